/* Reads the course of the baseline's branch up to the verdict, and what it names beside it. */
#include "ops/flow/trends/judged.h"

#include "history/reading/reading.h"
#include "history/verdicts/verdicts.h"
#include "ops/flow/trends/trends.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <stdlib.h>
#include <string.h>

/* Runs that are drawn beside those that the verdict names: enough to see what was before. */
enum { RUNS_BEFORE = 20 };

static bool is_listed(const struct string_list *ids, const char *id)
{
    return text_index(id, ids->items, ids->count) < ids->count;
}

static bool is_named(const struct verdict *verdict, const char *profile)
{
    bool found = is_listed(&verdict->baseline.profile_ids, profile) ||
                 is_listed(&verdict->candidate.profile_ids, profile);
    for (size_t i = 0; !found && i < verdict->baseline.set_aside_count; i++)
        found = is_listed(&verdict->baseline.set_aside[i].profile_ids, profile);
    return found;
}

/* From so many runs before the first one that is named. Returns how many are named. */
static size_t branch_cut(struct trend *branch, const struct verdict *verdict)
{
    size_t first = branch->point_count, named = 0;
    for (size_t i = 0; i < branch->point_count; i++)
        if (is_named(verdict, branch->points[i].profile_id)) {
            first = named++ == 0 ? i : first;
        }
    size_t cut = first > RUNS_BEFORE ? first - RUNS_BEFORE : 0;
    if (named == 0) /* of the branch the verdict took nothing */
        cut = branch->point_count > RUNS_BEFORE ? branch->point_count - RUNS_BEFORE : 0;
    branch->points += cut;
    branch->point_count -= cut;
    return named;
}

/* Runs of any branch that are named and not drawn yet. */
static bool others_read(struct db *db, const struct trend_query *query,
                        const struct verdict *verdict, struct arena *arena,
                        struct verdict_course *course, struct err *err)
{
    struct trend all;
    struct trend_query any = *query;
    any.branch = NULL;
    if (!ledger_trend(db, &any, arena, &all, err))
        return err->kind == ERR_MISSING;
    course->others = arena_array(arena, struct trend_point, all.point_count);
    for (size_t i = 0; i < all.point_count; i++) {
        const char *profile = all.points[i].profile_id;
        bool is_drawn = trend_point_find(&course->branch, profile) < course->branch.point_count;
        if (is_named(verdict, profile) && !is_drawn)
            course->others[course->other_count++] = all.points[i];
    }
    return true;
}

bool trends_judged(struct db *db, int64_t verdict_id, const struct verdict *verdict,
                   struct arena *arena, struct verdict_course *ret_course, struct err *err)
{
    struct verdict_moment moment;
    struct err missing = {0};
    struct conf_file policy = {0};
    *ret_course = (struct verdict_course){0};
    if (!verdict->candidate.step_median_us.set || verdict->series == NULL) {
        ret_course->why = "the candidate tells no step time";
        return true;
    }
    if (!ledger_verdict_moment(db, verdict_id, arena, &moment, err) ||
        (moment.policy != NULL &&
         !conf_text_read(moment.policy, "the recorded policy", arena, &policy, err)))
        return false;
    const struct opt_i64 then = some_i64(moment.recorded_us);
    const struct trends_request request = {
        .project = verdict->project,
        .workload = verdict->workload,
        .branch = verdict->baseline.branch,
        .series = verdict->series,
        .measure = measure_rows[MEASURE_steady_step_median].name,
        .policy = moment.policy != NULL ? &policy : NULL,
        .policy_is_recorded = moment.policy != NULL,
        .as_of_us = then,
        .corrected_us = then,
        .shown = TRENDS_RUNS,
    };
    const struct trend_query query = {.project = request.project,
                                      .workload = request.workload,
                                      .series = request.series,
                                      .measure = request.measure,
                                      .run_limit = TRENDS_RUNS,
                                      .as_of_us = then,
                                      .corrected_us = then};
    size_t named = 0;
    if (request.branch != NULL) { /* of several branches only what is named is drawn */
        if (trends_read(db, &request, arena, &ret_course->branch, &missing))
            named = branch_cut(&ret_course->branch, verdict);
        else if (missing.kind != ERR_MISSING) {
            *err = missing;
            return false;
        } else
            ret_course->branch = (struct trend){0};
    }
    if (!others_read(db, &query, verdict, arena, ret_course, err))
        return false;
    if (ret_course->branch.point_count + ret_course->other_count < 2 ||
        named + ret_course->other_count == 0)
        ret_course->why = "of its series the ledger holds no other run to compare it with";
    return true;
}
