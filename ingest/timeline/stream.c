/* See stream.h. Reading is optimistic: a line is taken to be in order until it shows that it is
 * not; then the plane begins its stage again, with its lines sorted: within ties, within a window,
 * and when that is too small, altogether.
 */
#include "ingest/timeline/stream.h"
#include "ingest/timeline/device_sums.h"
#include "ingest/timeline/line_work.h"
#include "ingest/timeline/running_totals.h"
#include "ingest/timeline/track.h"
#include "ingest/wire/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- one line -------------------------------------------------------------------------------- */

static bool in_stage(const struct xline *line, enum stage stage)
{
    return (line->role == LINE_OPS) == (stage == STAGE_OPS);
}

/* Gives the line the lists that it needs. */
static void lists_open(struct track *track, struct plane_state *state, const struct xline *line)
{
    const struct line_work_need need = {
        .global = track->profile->options->mode == BREAKDOWN_GLOBAL &&
                  (line->role == LINE_OPS || line->role == LINE_DEVICE),
        .own = line->role == LINE_OPS && !line->derived && !track->is_live,
    };
    const size_t first = line_work_open(state, need);
    track->global = need.global ? &state->work[first] : NULL;
    track->own = need.own ? &state->work[first + (need.global ? GLOBAL_CLASSES : 0)] : NULL;
}

static bool line_stream(struct track *track, struct plane_state *state, struct xline *line,
                        double *totals, bool *ret_disorder, struct err *err)
{
    *ret_disorder = false;
    if (!line_has_events(line))
        return true;
    lists_open(track, state, line);
    return line->role == LINE_OPS ? track_ops(track, state, line, totals, ret_disorder, err)
                                  : track_sum(track, state, line, ret_disorder, err);
}

/* ---- one plane ------------------------------------------------------------------------------- */

/* Forgets what a stage that is begun again has added. */
static void stage_reset(struct plane_state *state, enum stage stage, size_t work_count)
{
    struct plane_ops *ops = &state->plane->ops;
    line_work_close(state, work_count);
    state->out_of_range[stage] = 0;
    counter_init(&state->run_numbers[stage], &state->arena);
    counter_init(&state->run_texts[stage], &state->arena);
    if (stage == STAGE_SUMS) {
        state->marks.count = 0;
        memset(ops->seen, 0, ops->count * sizeof *ops->seen);
        return;
    }
    state->sums = NULL;
    gap_list_init(&state->gaps, &state->arena, state->gaps.each);
    if (ops->is_device && ops->count > 0)
        memset(ops->tallies, 0, ops->count * sizeof *ops->tallies);
    extents_init(&state->extents, &state->arena);
    state->apart_count = state->apart_self_ps = 0;
    state->ops_end_ps = INT64_MIN;
    state->heads = (struct head_sums){0};
    counter_init(&state->unplaced, &state->arena);
}

static bool lines_check(struct track *track, struct plane_state *state, enum stage stage,
                        struct err *err)
{
    for (size_t i = 0; i < state->plane->line_count; i++) {
        struct xline *line = &state->plane->lines[i];
        if (!in_stage(line, stage))
            continue;
        progress_expect(&track->profile->progress, line->end - line->begin);
        if (!line_order_check(&track->reader, state->plane, line, err))
            return false;
        progress_add(&track->profile->progress, line->end - line->begin);
    }
    return true;
}

/* The line that is swept while it is read: the longest one of ops. The others are read before.
 * Steps whose extent follows from their ops need all lines first. */
static struct xline *live_choose(struct plane_state *state)
{
    struct xline *live = NULL;
    if (state->windows.by_ops)
        return NULL;
    for (size_t i = 0; i < state->plane->line_count; i++) {
        struct xline *line = &state->plane->lines[i];
        if (line->role == LINE_OPS && !line->asynchronous && !line->derived &&
            (live == NULL || line->end - line->begin > live->end - live->begin))
            live = line;
    }
    return live;
}

static bool live_stream(struct track *track, struct plane_state *state, struct xline *live,
                        bool *ret_disorder, struct err *err)
{
    track->is_live = true;
    lists_open(track, state, live);
    bool streamed = device_sums_begin(state, err);
    track->live = state->sums;
    streamed = streamed && track_ops(track, state, live, track->profile->lines[live->ordinal].parts,
                                     ret_disorder, err);
    track->is_live = false;
    track->live = NULL;
    return streamed;
}

/* All lines of a plane that belong to a stage; each line has totals of its own. *ret_disorder is
 * the one that ended it, NULL when none did. */
static bool lines_stream(struct track *track, struct plane_state *state, enum stage stage,
                         struct xline **ret_disorder, struct err *err)
{
    struct xline *live = stage == STAGE_OPS ? live_choose(state) : NULL;
    bool disorder = false;
    *ret_disorder = NULL;
    for (size_t i = 0; i < state->plane->line_count; i++) {
        struct xline *line = &state->plane->lines[i];
        double *parts = track->profile->lines[line->ordinal].parts;
        if (!in_stage(line, stage) || line == live || plane_is_vain(track->profile, state))
            continue;
        *ret_disorder = line;
        if (!line_stream(track, state, line, parts, &disorder, err))
            return false;
        if (disorder)
            return true;
    }
    *ret_disorder = live;
    if (live != NULL && !plane_is_vain(track->profile, state) &&
        !live_stream(track, state, live, &disorder, err))
        return false;
    if (!disorder)
        *ret_disorder = NULL;
    return true;
}

/* Has those lines sorted altogether that were too late by the device's clock; false: none. */
static bool device_lines_sort(struct plane_state *state)
{
    bool any = false;
    for (size_t i = 0; i < state->plane->line_count; i++) {
        struct xline *line = &state->plane->lines[i];
        if (!line->device_late)
            continue;
        assert(line->device_order < ORDER_FAR);
        line->device_order = ORDER_FAR;
        line->device_late = false;
        any = true;
    }
    return any;
}

/* Has lines read in a more patient order than before. One that is out of order is seldom the only
 * one: all lines of the stage are sorted then. The first whose events lie too far for that is
 * sorted altogether, after a second one all are. */
static void lines_sort(struct plane_state *state, enum stage stage, struct xline *disorder)
{
    const enum line_order order = disorder->order + 1;
    bool any_far = false;
    if (device_lines_sort(state))
        return;
    assert(order <= ORDER_FAR);
    for (size_t i = 0; i < state->plane->line_count; i++)
        any_far |=
            in_stage(&state->plane->lines[i], stage) && state->plane->lines[i].order == ORDER_FAR;
    disorder->order = order;
    for (size_t i = 0; i < state->plane->line_count && (order < ORDER_FAR || any_far); i++) {
        struct xline *line = &state->plane->lines[i];
        if (in_stage(line, stage) && line->order < order)
            line->order = order;
    }
}

/* Lines of ops are taken to be in order of picoseconds, until one is late. */
static void ops_order_begin(struct plane_state *state)
{
    for (size_t i = 0; i < state->plane->line_count; i++) {
        struct xline *line = &state->plane->lines[i];
        if (in_stage(line, STAGE_OPS))
            line->order = ORDER_TIES;
    }
}

/* By the device's clock a line of ops is seldom in order, but nearly so. */
static void device_order_begin(const struct profile *profile, struct plane_state *state)
{
    for (size_t i = 0; state->plane->clock != NULL && i < state->plane->line_count; i++) {
        struct xline *line = &state->plane->lines[i];
        if (in_stage(line, STAGE_OPS) && !line->derived)
            line->device_order = profile->exact ? ORDER_FAR : ORDER_NEAR;
    }
}

static bool plane_stream(struct profile *profile, struct plane_state *state, enum stage stage,
                         bool reads_ahead, struct err *err)
{
    size_t work_count = state->work_count;
    struct xline *disorder;
    scoped_track track;
    track_init(&track, profile, state->plane->space);
    track.reads_ahead = reads_ahead;
    for (;;) {
        track.told_bytes = 0;
        if (!lines_stream(&track, state, stage, &disorder, err))
            return false;
        if (disorder == NULL)
            return true;
        progress_expect(&profile->progress, track.told_bytes);
        stage_reset(state, stage, work_count);
        lines_sort(state, stage, disorder);
    }
}

static bool plane_sums_job(void *context, size_t index, struct err *err)
{
    struct profile *profile = context;
    return plane_stream(profile, &profile->planes[index], STAGE_SUMS, false, err);
}

/* ---- the reference's order ------------------------------------------------------------------- */

static void parts_add(double totals[PART_COUNT], const double parts[PART_COUNT])
{
    for (int part = 0; part < PART_COUNT; part++)
        totals[part] += parts[part];
}

/* The lines of a plane: those that were only added up bring their sums, ops are added one by one
 * (§5). */
static bool plane_in_order(struct profile *profile, struct plane_state *state,
                           double totals[PART_COUNT], struct err *err)
{
    scoped_track track;
    device_order_begin(profile, state);
    track_init(&track, profile, state->plane->space);
    if (!lines_check(&track, state, STAGE_OPS, err))
        return false;
    for (size_t i = 0; i < state->plane->line_count; i++) {
        struct xline *line = &state->plane->lines[i];
        bool disorder = false;
        if (line->role != LINE_OPS && state->plane->space->store != NULL) {
            if (!track_parts(&track, state, line, totals, err))
                return false;
        } else if (line->role != LINE_OPS)
            parts_add(totals, profile->lines[line->ordinal].parts);
        else if (!line_stream(&track, state, line, totals, &disorder, err))
            return false;
        assert(!disorder);
    }
    return true;
}

static bool planes_in_order(struct profile *profile, double totals[PART_COUNT], struct err *err)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        if (!plane_in_order(profile, &profile->planes[p], totals, err))
            return false;
    }
    return true;
}

struct ops_job {
    struct plane_state *state;
    int64_t bytes; /* of its lines of ops */
};

struct ops_jobs {
    struct profile *profile;
    struct ops_job *items;
    size_t count;
};

static int compare_jobs(const void *a, const void *b)
{
    const struct ops_job *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    return (left->state > right->state) - (left->state < right->state);
}

/* The planes that have ops, the longest first. */
static struct ops_jobs ops_jobs_of(struct profile *profile)
{
    struct ops_jobs jobs = {.profile = profile,
                            .items =
                                arena_array(profile->arena, struct ops_job, profile->plane_count)};
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct ops_job job = {.state = &profile->planes[p]};
        const struct xplane *plane = job.state->plane;
        for (size_t i = 0; i < plane->line_count; i++) {
            if (in_stage(&plane->lines[i], STAGE_OPS))
                job.bytes += plane->lines[i].end - plane->lines[i].begin;
        }
        if (job.bytes > 0)
            jobs.items[jobs.count++] = job;
    }
    if (jobs.count > 0)
        qsort(jobs.items, jobs.count, sizeof *jobs.items, compare_jobs);
    return jobs;
}

/* Whether a thread is left to read ahead for the plane. Planes are begun in rounds, one for each
 * thread; those that have none in the last round read ahead for the longest of it. */
static bool reads_ahead(const struct ops_jobs *jobs, size_t index)
{
    const size_t threads = (size_t)jobs->profile->options->threads, place = index % threads;
    const size_t of_round = jobs->count - (index - place);
    return of_round + place < threads;
}

static bool plane_ops_job(void *context, size_t index, struct err *err)
{
    const struct ops_jobs *jobs = context;
    struct plane_state *state = jobs->items[index].state;
    ops_order_begin(state);
    device_order_begin(jobs->profile, state);
    return plane_stream(jobs->profile, state, STAGE_OPS, reads_ahead(jobs, index), err);
}

/* Planes side by side, each with sums of its own. */
static bool planes_beside(struct profile *profile, double totals[PART_COUNT], struct err *err)
{
    struct ops_jobs jobs = ops_jobs_of(profile);
    if (!worker_pool_run(profile->options->threads, jobs.count, plane_ops_job, &jobs, err))
        return false;
    for (size_t i = 0; i < profile->line_count; i++)
        parts_add(totals, profile->lines[i].parts);
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int compare_used(const void *a, const void *b)
{
    uint64_t left = used_tally(a)->first_seen, right = used_tally(b)->first_seen;
    return (left > right) - (left < right);
}

static void used_collect(struct profile *profile)
{
    size_t all = 0;
    for (size_t p = 0; p < profile->plane_count; p++)
        all += profile->planes[p].plane->ops.is_device ? profile->planes[p].plane->ops.count : 0;
    profile->used = arena_array(profile->arena, struct used_op, all);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_ops *ops = &profile->planes[p].plane->ops;
        for (size_t i = 0; ops->is_device && i < ops->count; i++) {
            if (ops->tallies[i].count == 0 && op_placed(&profile->planes[p], (int32_t)i) == 0)
                continue;
            profile->used[profile->used_count++] =
                (struct used_op){&profile->planes[p], (int32_t)i};
        }
    }
    if (profile->used_count > 0)
        qsort(profile->used, profile->used_count, sizeof *profile->used, compare_used);
}

/* Adds what streaming left per op: the counts, and without exact order the times as well. */
static void used_add_up(struct profile *profile)
{
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct plane_ops *ops = &profile->used[i].state->plane->ops;
        const struct op_tally *tally = used_tally(&profile->used[i]);
        int32_t op = profile->used[i].op;
        if (tally->count == 0)
            continue;
        if (!profile->exact)
            running_totals_add(profile->running, ops, op, tally->total_us, tally->exclusive_us);
        running_totals_count(profile->running, ops, op, tally->count);
    }
}

/* Counts the events of lines that the index stepped over. */
static bool skipped_settle(struct profile *profile, struct err *err)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; i < plane->line_count; i++) {
            if (plane->lines[i].skipped)
                profile->event_count += plane->lines[i].event_count;
        }
        if (!limit_check(&profile->options->limits, max_events, profile->event_count,
                         plane->space->input.path, err))
            return false;
    }
    return true;
}

bool stream_sums(struct profile *profile, struct err *err)
{
    return worker_pool_run(profile->options->threads, profile->plane_count, plane_sums_job, profile,
                           err) &&
           line_work_cover(profile, err);
}

bool stream_ops(struct profile *profile, double totals[PART_COUNT], struct err *err)
{
    memset(totals, 0, PART_COUNT * sizeof *totals);
    bool streamed = profile->exact ? planes_in_order(profile, totals, err)
                                   : planes_beside(profile, totals, err);
    if (!streamed || !skipped_settle(profile, err))
        return false;
    used_collect(profile);
    used_add_up(profile);
    return arena_ok(profile->arena, "the sums of a profile", err);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

/* What is shown of a device is learnt from all of its lines. */
static bool plane_learn(struct profile *profile, struct plane_state *state, struct err *err)
{
    struct xplane *plane = state->plane;
    scoped_line_reader reader = {0};
    plane->clock = arena_new(&state->arena, struct device_clock);
    line_reader_init(&reader, plane->space, &profile->options->limits);
    for (size_t i = 0; i < plane->line_count; i++) {
        const struct xline *line = &plane->lines[i];
        progress_expect(&profile->progress, line->end - line->begin);
        if (line_has_events(line) && !line->derived &&
            !line_reader_learn(&reader, plane, line, &state->arena, err))
            return false;
        progress_add(&profile->progress, line->end - line->begin);
    }
    if (plane->clock->begins.count == 0)
        plane->clock = NULL;
    else
        device_clock_settle(plane->clock, &state->arena);
    return arena_ok(&state->arena, "the clocks of a profile", err);
}

static bool plane_learn_job(void *context, size_t index, struct err *err)
{
    struct profile *profile = context;
    struct plane_state *state = &profile->planes[index];
    return !state->plane->ops.tells_device_time || plane_learn(profile, state, err);
}

bool stream_clocks(struct profile *profile, struct err *err)
{
    return worker_pool_run(profile->options->threads, profile->plane_count, plane_learn_job,
                           profile, err);
}

bool stream_clocks_differ(const struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        if (plane_is_vain(profile, &profile->planes[p]))
            return true;
    }
    return false;
}

bool stream_is_late(const struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; i < plane->line_count; i++) {
            if (plane->lines[i].late_head)
                return true;
        }
    }
    return false;
}
