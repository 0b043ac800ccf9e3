/* See stream.h. Reading is optimistic: a line is taken to be in order until it shows that it is
 * not; then the plane begins its stage again, with the order of its lines checked before.
 */
#include "ingest/stream.h"
#include "ingest/fold.h"
#include "ingest/track.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- one plane ------------------------------------------------------------------------------- */

static bool in_stage(const struct xline *line, enum stage stage)
{
    return (line->role == LINE_OPS) == (stage == STAGE_OPS);
}

/* Forgets what a stage that is begun again has added. */
static void stage_reset(struct plane_state *state, enum stage stage, size_t work_count)
{
    struct plane_ops *ops = &state->plane->ops;
    while (state->work_count > work_count)
        interval_list_done(&state->work[--state->work_count].list);
    counter_init(&state->run_numbers[stage], &state->arena);
    counter_init(&state->run_texts[stage], &state->arena);
    if (stage == STAGE_SUMS) {
        state->marks.count = 0;
        memset(ops->seen, 0, ops->count * sizeof *ops->seen);
        return;
    }
    gap_list_init(&state->gaps, &state->arena, state->gaps.each);
    if (ops->is_device && ops->count > 0)
        memset(ops->tallies, 0, ops->count * sizeof *ops->tallies);
    for (size_t i = 0; i < state->windows.count; i++) {
        state->windows.items[i].first_ps = INT64_MAX;
        state->windows.items[i].last_ps = INT64_MIN;
    }
}

/* The lists that a line fills: two for the global breakdown, four for the device's own time. */
static bool work_open(struct track *track, struct plane_state *state, const struct xline *line,
                      struct err *err)
{
    bool global = track->profile->options->mode == BREAKDOWN_GLOBAL &&
                  (line->role == LINE_OPS || line->role == LINE_DEVICE);
    bool busy = line->role == LINE_OPS && !line->derived;
    track->work = state->work_count;
    for (unsigned i = 0; i < 2 + SWEEP_CLASSES; i++) {
        bool is_global = i <= GLOBAL_COMMUNICATION;
        if (is_global ? !global : !busy)
            continue;
        struct work_list *work = arena_grow(&state->arena, state->work, state->work_count,
                                            &state->work_capacity, sizeof *work);
        if (work == NULL)
            return arena_failed(&state->arena, "the lines of a profile", err);
        state->work = work;
        struct work_list *list = &work[state->work_count++];
        *list = (struct work_list){is_global, is_global ? i : i - GLOBAL_COMMUNICATION - 1, {0}};
        interval_list_init(&list->list, &state->spill);
    }
    return true;
}

static bool line_stream(struct track *track, struct plane_state *state, struct xline *line,
                        double *totals, bool *ret_disorder, struct err *err)
{
    *ret_disorder = false;
    if (line->event_count == 0)
        return true;
    if (!work_open(track, state, line, err))
        return false;
    return line->role == LINE_OPS
               ? track_ops(track, state, line, totals, ret_disorder, err)
               : track_sum(track, state, line, ret_disorder, err);
}

static bool lines_check(struct track *track, struct plane_state *state, enum stage stage,
                        struct err *err)
{
    for (size_t i = 0; i < state->plane->line_count; i++) {
        struct xline *line = &state->plane->lines[i];
        if (in_stage(line, stage) && !line->checked &&
            !line_order_check(&track->reader, state->plane, line, err))
            return false;
    }
    return true;
}

/* All lines of a plane that belong to a stage; each line has totals of its own. */
static bool plane_stream(struct track *track, struct plane_state *state, enum stage stage,
                         struct err *err)
{
    size_t work_count = state->work_count;
    bool disorder = false;
    for (size_t i = 0; i < state->plane->line_count && !disorder; i++) {
        struct xline *line = &state->plane->lines[i];
        double *parts = track->profile->lines[line->ordinal].parts;
        if (in_stage(line, stage) && !line_stream(track, state, line, parts, &disorder, err))
            return false;
    }
    if (!disorder)
        return true;
    stage_reset(state, stage, work_count);
    return lines_check(track, state, stage, err) && plane_stream(track, state, stage, err);
}

static bool planes_stream(struct profile *profile, enum stage stage, struct err *err)
{
    for (size_t i = 0; i < profile->plane_count; i++) {
        scoped_track track;
        if (!track_init(&track, profile, profile->planes[i].plane->space, err) ||
            !plane_stream(&track, &profile->planes[i], stage, err))
            return false;
    }
    return true;
}

/* ---- the reference's order ------------------------------------------------------------------- */

static void parts_add(double totals[PART_COUNT], const double parts[PART_COUNT])
{
    for (int part = 0; part < PART_COUNT; part++)
        totals[part] += parts[part];
}

/* One line after the other: lines that were only added up bring their sums, ops are added one by
 * one (§5). */
static bool lines_in_order(struct profile *profile, double totals[PART_COUNT], struct err *err)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        scoped_track track;
        if (!track_init(&track, profile, state->plane->space, err) ||
            !lines_check(&track, state, STAGE_OPS, err))
            return false;
        for (size_t i = 0; i < state->plane->line_count; i++) {
            struct xline *line = &state->plane->lines[i];
            bool disorder = false;
            if (line->role != LINE_OPS)
                parts_add(totals, profile->lines[line->ordinal].parts);
            else if (!line_stream(&track, state, line, totals, &disorder, err))
                return false;
            assert(!disorder);
        }
    }
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int compare_used(const void *a, const void *b)
{
    uint64_t left = used_tally(a)->first_seen, right = used_tally(b)->first_seen;
    return (left > right) - (left < right);
}

static bool used_collect(struct profile *profile, struct err *err)
{
    size_t capacity = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_ops *ops = &profile->planes[p].plane->ops;
        for (size_t i = 0; ops->is_device && i < ops->count; i++) {
            if (ops->tallies[i].count == 0)
                continue;
            struct used_op *used = arena_grow(profile->arena, profile->used, profile->used_count,
                                              &capacity, sizeof *used);
            if (used == NULL)
                return arena_failed(profile->arena, "the ops of a profile", err);
            profile->used = used;
            used[profile->used_count++] = (struct used_op){&profile->planes[p], (int32_t)i};
        }
    }
    if (profile->used_count > 0)
        qsort(profile->used, profile->used_count, sizeof *profile->used, compare_used);
    return true;
}

/* Adds what streaming left per op: the counts, and without exact order the times as well. */
static bool used_fold(struct profile *profile, struct err *err)
{
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct plane_ops *ops = &profile->used[i].state->plane->ops;
        const struct op_tally *tally = used_tally(&profile->used[i]);
        int32_t op = profile->used[i].op;
        if ((!profile->exact &&
             !fold_add(profile->fold, ops, op, tally->total_us, tally->exclusive_us)) ||
            !fold_count(profile->fold, ops, op, tally->count))
            return arena_failed(profile->arena, "the sums of a profile", err);
    }
    return true;
}

bool stream_sums(struct profile *profile, struct err *err)
{
    return planes_stream(profile, STAGE_SUMS, err);
}

bool stream_ops(struct profile *profile, double totals[PART_COUNT], struct err *err)
{
    memset(totals, 0, PART_COUNT * sizeof *totals);
    if (profile->exact) {
        if (!lines_in_order(profile, totals, err))
            return false;
    } else {
        if (!planes_stream(profile, STAGE_OPS, err))
            return false;
        for (size_t i = 0; i < profile->line_count; i++)
            parts_add(totals, profile->lines[i].parts);
    }
    return used_collect(profile, err) && used_fold(profile, err);
}
