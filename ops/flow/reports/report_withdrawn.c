/* What was told before and came elsewhere: runs that were taken in since say so, or the ledger's
 * marks. A reader who was told of a change and finds it elsewhere must not have to guess. */
#include "ops/flow/reports/making.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether the mark is one of trends, of the report's measure. */
static bool is_mark_of(const struct report_making *making, const struct change_mark *mark)
{
    return trends_is_ours(mark->method) && mark->measure != NULL &&
           strcmp(mark->measure, making->report->measure) == 0;
}

/* Where a profile stands among the runs; count: it is none of them. */
static size_t place_of(const struct comparable *runs, int64_t profile)
{
    size_t i = 0;
    while (i < runs->count && trends_number(runs->points[i]->profile_id) != profile)
        i++;
    return i;
}

/* The course that the mark lies in, and its place there; NULL: in none. */
static const struct course *course_of(const struct trends_seen *seen,
                                      const struct change_mark *mark, size_t *ret_which,
                                      size_t *ret_place)
{
    for (size_t i = 0; i < seen->runs->count; i++) {
        *ret_which = i;
        *ret_place = place_of(&seen->runs->items[i], mark->at_profile_id);
        if (trends_number(seen->courses[i].series) == mark->series_id &&
            *ret_place < seen->runs->items[i].count)
            return &seen->courses[i];
    }
    return NULL;
}

/* Whether the change was marked in this time, too: one that was known before is another. */
static bool is_marked_anew(const struct report_making *making, const struct trends_seen *seen,
                           const struct course_change *change)
{
    size_t i = 0;
    while (i < seen->marks->count && change->entry != NULL &&
           seen->marks->items[i].id != trends_number(change->entry))
        i++;
    return change->entry != NULL && i < seen->marks->count &&
           seen->marks->items[i].said_us >= making->new_us;
}

/* The change of today that was marked: it stands beside, or it has the mark's levels and is marked
 * since. NULL: none. */
static const struct course_change *change_of(const struct report_looking *looking,
                                             const struct trends_seen *seen, size_t place,
                                             const struct change_mark *mark, bool *ret_beside)
{
    const struct course *course = looking->course;
    const struct comparable *runs = looking->runs;
    const struct course_change *elsewhere = NULL;
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        size_t at = place_of(runs, trends_number(change->at_profile));
        if (!course_change_counts(change))
            continue;
        *ret_beside = (change->after > change->before) == (mark->after > mark->before) &&
                      at <= place + REPORT_BESIDE_RUNS && place <= at + REPORT_BESIDE_RUNS;
        if (*ret_beside)
            return change;
        if (report_same_levels(mark->before, mark->after, change) &&
            is_marked_anew(looking->making, seen, change))
            elsewhere = change;
    }
    return elsewhere;
}

/* Whether the report tells it as a change of its period. */
static bool is_told_anew(const struct trend_report *report, const struct course *course,
                         const struct course_change *change)
{
    const struct report_change *told;
    for (size_t i = 0; (told = report_change_at(report, i)) != NULL; i++)
        if (strcmp(told->series, course->series) == 0 &&
            strcmp(told->at_profile, change->at_profile) == 0)
            return true;
    return false;
}

static struct opt_f64 percent_of(double before, double after)
{
    return before > 0 ? some_f64(100 * (after - before) / before) : (struct opt_f64){0};
}

/* Adds that it was told at that run. mark: the ledger's word there; NULL = none. */
static void moved_add(const struct report_looking *looking, const struct course_change *change,
                      const struct trend_point *told, const struct change_mark *mark)
{
    struct report_making *making = looking->making;
    const struct change_around around = trends_around(looking->runs, looking->course, change);
    const struct report_told *before =
        mark == NULL ? NULL : report_told_at(making, looking->runs, looking->course->series, mark);
    struct report_withdrawn *out = REPORT_ADD(making, withdrawn, withdrawn_count);
    *out = (struct report_withdrawn){
        .told_in = before == NULL ? NULL : before->report,
        .workload = keep(making, looking->course->workload),
        .branch = making->request->branch,
        .series = keep(making, looking->course->series),
        .measure = making->report->measure,
        .unit = making->report->unit,
        .entry = mark == NULL ? NULL : arena_printf(making->arena, "k%" PRId64, mark->id),
        .at_profile = keep(making, told->profile_id),
        .at_commit = keep(making, told->commit),
        .at_utc = keep(making, told->ran_at_utc),
        .before = change->before,
        .after = change->after,
        .change_pct = percent_of(change->before, change->after),
        .why = "runs that were taken in since show it there",
        .has_moved = true,
        .moved_to = {.at_profile = keep(making, change->at_profile),
                     .after_profile = keep(making, change->after_profile),
                     .after_commit = keep(making, change->after_commit),
                     .after_utc = keep(making, looking->runs->points[around.after]->ran_at_utc),
                     .until_profile = keep(making, change->until_profile),
                     .until_commit = keep(making, change->until_commit),
                     .until_utc = keep(making, looking->runs->points[around.until]->ran_at_utc)},
    };
}

/* Where they showed it: at the mark that stood there when the period began, else at the likeliest
 * run of then. *ret_mark: the mark, where one is. */
static size_t told_place(const struct report_looking *looking, const struct course_shift *shift,
                         const struct change_mark **ret_mark)
{
    const struct change_mark_list *marks = looking->series->seen->marks;
    const size_t *places = looking->before->places;
    size_t likeliest = places[shift->index], told = likeliest, nearest = SIZE_MAX;
    *ret_mark = NULL;
    for (size_t i = 0; i < marks->count; i++) {
        const struct change_mark *mark = &marks->items[i];
        bool stood = strcmp(mark->status, "withdrawn") != 0
                         ? mark->said_us < looking->making->new_us
                         : mark->said_us >= looking->making->new_us;
        if (!stood || !is_mark_of(looking->making, mark) ||
            mark->series_id != trends_number(looking->course->series) ||
            (mark->after > mark->before) != (shift->after > shift->before))
            continue;
        size_t at = comparable_from(looking->runs, mark);
        size_t away = at > likeliest ? at - likeliest : likeliest - at;
        if (at >= places[shift->first] && at <= places[shift->last] && away < nearest) {
            nearest = away;
            told = at;
            *ret_mark = mark;
        }
    }
    return told;
}

void report_moved_take(const struct report_looking *looking, const struct course_change *change)
{
    const struct change_mark *mark;
    bool is_there;
    const struct course_shift *shift = report_shown_before(looking, change, &is_there);
    if (looking->making->request->name == NULL || !course_change_counts(change))
        return;
    size_t told = told_place(looking, shift, &mark),
           at = comparable_place(looking->runs, change->at_profile),
           after = comparable_place(looking->runs, change->after_profile),
           until = comparable_place(looking->runs, change->until_profile);
    bool is_within = told > after && told <= until;
    bool is_beside = told <= at + REPORT_BESIDE_RUNS && at <= told + REPORT_BESIDE_RUNS;
    if (!is_within && !(is_beside && is_there))
        moved_add(looking, change, looking->runs->points[told], mark);
}

static void mark_take(struct report_making *making, const struct trends_seen *seen,
                      const struct change_mark *mark)
{
    size_t which, place;
    const struct course *course = course_of(seen, mark, &which, &place);
    const struct comparable *runs = &seen->runs->items[which];
    if (course == NULL || report_told_at(making, runs, course->series, mark) == NULL)
        return;
    bool is_beside = false;
    const struct report_looking looking = {.making = making, .runs = runs, .course = course};
    const struct course_change *now = change_of(&looking, seen, place, mark, &is_beside);
    if (now != NULL && !is_beside && !is_told_anew(making->report, course, now))
        moved_add(&looking, now, runs->points[place], mark);
}

void report_elsewhere_take(struct report_making *making, const struct trends_seen *seen)
{
    const struct report_request *request = making->request;
    if (request->name != NULL) /* what was told by name was seen to move with the runs that moved
                                  it */
        return;
    for (size_t i = 0; i < seen->marks->count; i++) {
        const struct change_mark *mark = &seen->marks->items[i];
        bool is_new = mark->said_us >= making->new_us && mark->said_us < request->until_us;
        if (is_new && strcmp(mark->status, "withdrawn") == 0 && is_mark_of(making, mark))
            mark_take(making, seen, mark);
    }
}
