/* What a report told and whose runs were retracted since. No mark of the ledger takes it back, as
 * marks are about runs that are there: what reports of the name told is asked of them. */
#include "ops/flow/reports/making.h"
#include "ops/runtime/text.h"

#include <string.h>

bool report_retracted_find(struct report_making *making, struct err *err)
{
    return making->request->name == NULL ||
           ledger_report_retracted(making->db, making->report,
                                   (struct report_span){making->new_us, making->seen_us},
                                   making->arena, &making->retracted, err);
}

/* Whether a change of today is what was told: it has those levels, or lies there. */
static bool is_shown(const struct trends_seen *seen, const struct report_retracted *told)
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
static bool is_older(const struct trends_seen *seen, const struct report_retracted *told)
{
    const struct trend *trend = seen->trend;
    return trend->point_count >= TRENDS_RUNS &&
           strcmp(told->at_utc, trend->points[0].ran_at_utc) < 0;
}

/* The report says already that it is taken back, or came elsewhere. */
static bool is_said(const struct trend_report *report, const struct report_retracted *told)
{
    size_t i = 0;
    while (i < report->withdrawn_count &&
           (strcmp(report->withdrawn[i].series, told->series) != 0 ||
            strcmp(report->withdrawn[i].at_profile, told->at_profile) != 0))
        i++;
    return i < report->withdrawn_count;
}

/* "9 runs of its series were retracted since (one host was too hot), and those that are left do not
 * show it"; NULL beyond the budget. */
static const char *why_words(const struct report_making *making,
                             const struct report_retracted *told)
{
    char runs[FORMAT_COUNTED_BYTES];
    return arena_printf(making->arena,
                        "%s of its series %s retracted since%s%s%s, and what is left does not "
                        "show it",
                        format_counted(told->run_count, "run", runs),
                        told->run_count == 1 ? "was" : "were", told->reason != NULL ? " (" : "",
                        told->reason != NULL ? told->reason : "", told->reason != NULL ? ")" : "");
}

static bool retracted_add(struct report_making *making, const struct report_retracted *told,
                          struct err *err)
{
    struct report_withdrawn *out = REPORT_ADD(making, withdrawn, withdrawn_count);
    if (out == NULL)
        return arena_failed(making->arena, "a report", err);
    *out = (struct report_withdrawn){
        .workload = told->workload,
        .branch = making->request->branch,
        .series = told->series,
        .measure = making->report->measure,
        .unit = making->report->unit,
        .at_profile = told->at_profile,
        .at_commit = told->at_commit,
        .at_utc = told->at_utc,
        .before = told->before,
        .after = told->after,
        .told_in = told->report,
        .why = why_words(making, told),
    };
    if (told->before > 0)
        out->change_pct = some_f64(100 * (told->after - told->before) / told->before);
    return out->why != NULL || arena_failed(making->arena, "a report", err);
}

bool report_retracted_take(struct report_making *making, const struct trends_seen *seen,
                           struct err *err)
{
    for (size_t i = 0; i < making->retracted.count; i++) {
        struct report_retracted *told = &making->retracted.items[i];
        if (told->workload == NULL || strcmp(told->workload, seen->trend->workload) != 0)
            continue;
        bool stands = is_shown(seen, told) || is_older(seen, told) || is_said(making->report, told);
        if (!stands && !retracted_add(making, told, err))
            return false;
        told->workload = NULL;
    }
    return true;
}

bool report_retracted_rest(struct report_making *making, struct err *err)
{
    for (size_t i = 0; i < making->retracted.count; i++)
        if (making->retracted.items[i].workload != NULL &&
            !retracted_add(making, &making->retracted.items[i], err))
            return false;
    return true;
}
