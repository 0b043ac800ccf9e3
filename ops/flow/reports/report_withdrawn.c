/* What was told before and is taken back: the ledger keeps what trends have marked, and the word
 * that withdraws a mark. A reader who was told of a change and finds it in no report any more must
 * not have to guess. */
#include "ops/flow/reports/making.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A change that is told so near by is the same one, at its likeliest place of today. */
enum { BESIDE_RUNS = 3 };

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

static bool is_told_beside(const struct course *course, const struct comparable *runs, size_t place,
                           const struct change_mark *mark)
{
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        size_t at = place_of(runs, trends_number(change->at_profile));
        if (course_change_counts(change) &&
            (change->after > change->before) == (mark->after > mark->before) &&
            at <= place + BESIDE_RUNS && place <= at + BESIDE_RUNS)
            return true;
    }
    return false;
}

static bool mark_take(struct report_making *making, const struct trends_seen *seen,
                      const struct change_mark *mark, struct err *err)
{
    size_t which, place;
    const struct course *course = course_of(seen, mark, &which, &place);
    const struct comparable *runs = &seen->runs->items[which];
    if (course == NULL || is_told_beside(course, runs, place, mark))
        return true;
    const struct trend_point *at = runs->points[place];
    struct report_withdrawn *out = REPORT_ADD(making, withdrawn, withdrawn_count);
    if (out == NULL)
        return arena_failed(making->arena, "a report", err);
    *out = (struct report_withdrawn){
        .workload = keep(making, course->workload),
        .branch = making->request->branch,
        .series = keep(making, course->series),
        .measure = making->report->measure,
        .unit = making->report->unit,
        .entry = arena_printf(making->arena, "k%" PRId64, mark->id),
        .at_profile = keep(making, at->profile_id),
        .at_commit = keep(making, at->commit),
        .at_utc = keep(making, at->ran_at_utc),
        .before = mark->before,
        .after = mark->after,
        .why = "the runs up to then did not show it any more",
    };
    if (mark->before > 0)
        out->change_pct = some_f64(100 * (mark->after - mark->before) / mark->before);
    return (out->entry != NULL && out->at_utc != NULL) ||
           arena_failed(making->arena, "a report", err);
}

bool report_withdrawn_take(struct report_making *making, const struct trends_seen *seen,
                           struct err *err)
{
    const struct report_request *request = making->request;
    for (size_t i = 0; i < seen->marks->count; i++) {
        const struct change_mark *mark = &seen->marks->items[i];
        bool is_new = mark->said_us >= making->new_us && mark->said_us < request->until_us;
        if (is_new && strcmp(mark->status, "withdrawn") == 0 && trends_is_ours(mark->method) &&
            mark->measure != NULL && strcmp(mark->measure, making->report->measure) == 0 &&
            !mark_take(making, seen, mark, err))
            return false;
    }
    return true;
}
