/* What reports of the name told, and no run of today shows any more: runs were retracted or amended
 * since, a person took the change back, or trends did. Those alone who were told of a change are
 * told that it is none. */
#include "ops/flow/reports/making.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- marks ----------------------------------------------------------------------------------- */

/* Whether the mark is about what was told: of the same run, or beside it in the same direction. */
static bool is_about(const struct comparable *runs, const struct report_told *told,
                     const struct change_mark *mark)
{
    if (trends_number(told->at_profile) == mark->at_profile_id)
        return true;
    size_t at = comparable_from(runs, mark), there = 0;
    while (there < runs->count && strcmp(runs->points[there]->profile_id, told->at_profile) != 0)
        there++;
    return at < runs->count && there < runs->count && at <= there + REPORT_BESIDE_RUNS &&
           there <= at + REPORT_BESIDE_RUNS &&
           (told->after > told->before) == (mark->after > mark->before);
}

const struct report_told *report_told_at(const struct report_making *making,
                                         const struct comparable *runs, const char *series,
                                         const struct change_mark *mark)
{
    for (size_t i = 0; i < making->told.count; i++)
        if (making->told.items[i].workload != NULL &&
            strcmp(making->told.items[i].series, series) == 0 &&
            is_about(runs, &making->told.items[i], mark))
            return &making->told.items[i];
    return NULL;
}

/* The word of this time that took it back, a person's rather than one of trends; NULL: none. */
static const struct change_mark *word_find(const struct report_making *making,
                                           const struct trends_seen *seen,
                                           const struct report_told *told)
{
    const struct change_mark *found = NULL;
    for (size_t i = 0; i < seen->marks->count; i++) {
        const struct change_mark *mark = &seen->marks->items[i];
        bool is_of = mark->series_id == trends_number(told->series) && mark->measure != NULL &&
                     strcmp(mark->measure, making->report->measure) == 0 &&
                     strcmp(mark->status, "withdrawn") == 0 && mark->said_us >= making->new_us &&
                     mark->said_us < making->seen_us;
        bool is_better = found == NULL || !trends_is_ours(mark->method);
        for (size_t k = 0; is_of && is_better && k < seen->runs->count; k++)
            if (is_about(&seen->runs->items[k], told, mark))
                found = mark;
    }
    return found;
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* Whether a change of today is what was told: it has those levels, or lies there. */
static bool is_shown(const struct trends_seen *seen, const struct report_told *told)
{
    for (size_t i = 0; i < seen->runs->count; i++) {
        const struct course *course = &seen->courses[i];
        const struct comparable *runs = &seen->runs->items[i];
        for (size_t k = 0; k < course->change_count; k++) {
            const struct course_change *change = &course->changes[k];
            const struct change_around around = trends_around(runs, course, change);
            bool is_there = strcmp(told->at_utc, runs->points[around.after]->ran_at_utc) > 0 &&
                            strcmp(told->at_utc, runs->points[around.until]->ran_at_utc) <= 0;
            if (strcmp(course->series, told->series) == 0 && course_change_counts(change) &&
                (change->after > change->before) == (told->after > told->before) &&
                (is_there || report_same_levels(told->before, told->after, change)))
                return true;
        }
    }
    return false;
}

/* It lies before the runs that are looked at. */
static bool is_older(const struct trends_seen *seen, const struct report_told *told)
{
    const struct trend *trend = seen->trend;
    return trend->point_count >= TRENDS_RUNS &&
           strcmp(told->at_utc, trend->points[0].ran_at_utc) < 0;
}

/* The report says already that it is taken back, or came elsewhere. */
static bool is_said(const struct trend_report *report, const struct report_told *told)
{
    size_t i = 0;
    while (i < report->withdrawn_count &&
           (strcmp(report->withdrawn[i].series, told->series) != 0 ||
            strcmp(report->withdrawn[i].at_profile, told->at_profile) != 0))
        i++;
    return i < report->withdrawn_count;
}

/* "9 runs of its series were retracted since (one host was too hot), and those that are left do not
 * show it" */
static const char *runs_words(const struct report_making *making, const struct report_told *told)
{
    char runs[FORMAT_COUNTED_BYTES];
    return arena_printf(
        making->arena, "%s of its series %s %s since%s%s%s, and what is left does not show it",
        format_counted(told->run_count, "run", runs), told->run_count == 1 ? "was" : "were",
        told->action, told->reason != NULL ? " (" : "", told->reason != NULL ? told->reason : "",
        told->reason != NULL ? ")" : "");
}

/* "alice took it back on 2025-03-18 (it was none)", or what trends say. */
static const char *mark_words(const struct report_making *making, const struct change_mark *mark)
{
    char at[CLOCK_ISO_BYTES];
    struct err ignored = {0};
    const char *evidence = mark->evidence != NULL ? mark->evidence : "{}";
    if (trends_is_ours(mark->method))
        return "the runs up to then did not show it any more";
    scoped_json *said = json_parse(evidence, strlen(evidence), "a word", &ignored);
    const char *reason = json_string_value(json_object_get(said, "reason"));
    return arena_printf(making->arena, "%s took it back on %.10s%s%s%s", mark->by,
                        clock_iso(mark->said_us, at), reason != NULL ? " (" : "",
                        reason != NULL ? reason : "", reason != NULL ? ")" : "");
}

/* mark: the word that takes it back; NULL = none does, its runs are others now. */
static void taken_back_add(struct report_making *making, const struct report_told *told,
                           const struct change_mark *mark)
{
    bool by_runs = mark == NULL || (trends_is_ours(mark->method) && told->run_count > 0);
    struct report_withdrawn *out = REPORT_ADD(making, withdrawn, withdrawn_count);
    *out = (struct report_withdrawn){
        .workload = told->workload,
        .branch = making->request->branch,
        .series = told->series,
        .measure = making->report->measure,
        .unit = making->report->unit,
        .entry = mark == NULL ? NULL : arena_printf(making->arena, "k%" PRId64, mark->id),
        .at_profile = told->at_profile,
        .at_commit = told->at_commit,
        .at_utc = told->at_utc,
        .before = told->before,
        .after = told->after,
        .told_in = told->report,
        .why = by_runs ? runs_words(making, told) : mark_words(making, mark),
    };
    if (told->before > 0)
        out->change_pct = some_f64(100 * (told->after - told->before) / told->before);
}

void report_taken_back_take(struct report_making *making, const struct trends_seen *seen)
{
    for (size_t i = 0; i < making->told.count; i++) {
        struct report_told *told = &making->told.items[i];
        if (told->workload == NULL || strcmp(told->workload, seen->trend->workload) != 0)
            continue;
        const struct change_mark *mark = word_find(making, seen, told);
        bool stands = is_shown(seen, told) || is_older(seen, told) || is_said(making->report, told);
        if (!stands && (mark != NULL || told->run_count > 0))
            taken_back_add(making, told, mark);
        told->workload = NULL;
    }
}

void report_taken_back_rest(struct report_making *making)
{
    for (size_t i = 0; i < making->told.count; i++)
        if (making->told.items[i].workload != NULL && making->told.items[i].run_count > 0)
            taken_back_add(making, &making->told.items[i], NULL);
}
