#include "ingest/steps/launches.h"
#include "ingest/lines/lines.h"
#include "ingest/steps/host_steps.h"
#include "ingest/steps/step_numbers.h"
#include "ingest/steps/step_windows.h"
#include "ingest/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

/* Ids from first to last that runs of different steps hold. */
struct contested_ids {
    int64_t first, last;
};

/* Of one process. */
struct reading {
    struct profile *profile;
    struct launch_list *list;
    size_t first, first_single;            /* of its runs, and of those of contested ids … */
    const struct contested_ids *contested; /* … which are read then; NULL: all are */
    size_t contested_count;
    int32_t process;
    const struct host_step *steps; /* ascending by start */
    size_t step_count;
    int64_t *behind_ps;           /* by step: how far behind its annotation it launches */
    struct launch_counts *counts; /* by step */
};

/* ---- reading --------------------------------------------------------------------------------- */

/* Launches behind an annotation are told apart by how far behind it they are, as a power of two. */
static int distance_of(int64_t behind_ps)
{
    return behind_ps == 0 ? 0 : 64 - __builtin_clzll((unsigned long long)behind_ps);
}

/* Adds the launch where its id is contested: to that of the id before, else by itself. Where they
 * are more than memory is bounded by none is kept. */
static void single_add(struct reading *reading, const struct launch_run *launch)
{
    enum { SINGLES_MOST = 1 << 20 };
    struct launch_list *list = reading->list;
    const size_t before =
        sorted_count(reading->contested_count, at, reading->contested[at].last < launch->first);
    if (before == reading->contested_count || reading->contested[before].first > launch->first)
        return;
    const size_t count = list->single_count - reading->first_single;
    struct launch_run *last = count > 0 ? &list->single[list->single_count - 1] : NULL;
    if (last != NULL && last->number == launch->number && last->last < launch->first &&
        last->last + 1 == launch->first &&
        distance_of(last->behind_ps) == distance_of(launch->behind_ps)) {
        last->last = launch->last;
        return;
    }
    if (count == SINGLES_MOST) {
        list->single_count = reading->first_single;
        reading->contested_count = 0;
        return;
    }
    list->single = arena_grow(reading->profile->arena, list->single, list->single_count,
                              &list->single_capacity, sizeof *list->single);
    list->single[list->single_count++] = *launch;
}

/* Adds the launch to the run of the line that it follows, else to a new one. */
static void launch_add(struct reading *reading, const struct launch_run *launch, bool *in_run)
{
    enum { APART_MOST = 1024 }; /* ids of two launches that follow: other calls take some, too */
    struct launch_list *list = reading->list;
    struct launch_run *last = *in_run ? &list->runs[list->count - 1] : NULL;
    if (last != NULL && last->number == launch->number && launch->last >= last->last &&
        launch->last - last->last <= APART_MOST &&
        distance_of(last->behind_ps) == distance_of(launch->behind_ps)) {
        last->last = launch->last;
        last->behind_ps = launch->behind_ps;
        return;
    }
    *in_run = true;
    list->runs = arena_grow(reading->profile->arena, list->runs, list->count, &list->capacity,
                            sizeof *list->runs);
    list->runs[list->count++] = *launch;
}

/* A launch by its place among the steps: that of the last one that began before it. */
static struct launch_run launch_of(struct reading *reading, size_t step, int64_t id, int64_t start)
{
    const struct host_step *host = &reading->steps[step];
    struct launch_run launch = {id, id, LAUNCH_OF_NO_STEP, 0};
    if (host->start_ps > start || start >= host->own_end_ps)
        return launch;
    launch.number = host->number;
    if (start > host->end_ps)
        launch.behind_ps = ps_between(host->end_ps, start);
    if (launch.behind_ps > 0)
        reading->counts[step].behind++;
    else
        reading->counts[step].inside++;
    if (launch.behind_ps > reading->behind_ps[step])
        reading->behind_ps[step] = launch.behind_ps;
    return launch;
}

/* The launches of one line, which come by start as the steps do. */
static bool line_read(struct reading *reading, struct track *track, struct plane_state *state,
                      struct xline *line, struct err *err)
{
    size_t step = 0;
    bool in_run = false;
    track_open(track, state, line);
    do {
        if (!line_reader_next(&track->reader, err) ||
            !arena_ok(reading->profile->arena, "the launches of a profile", err))
            return false;
        line_reader_take_ps(&track->reader);
        for (size_t i = 0; i < track->reader.count; i++) {
            const struct event_note *note = line_reader_note(&track->reader, i);
            int64_t start;
            if (note == NULL || !correlation_is_known(note->correlation) || !track->has_ps ||
                __builtin_add_overflow(track->base_ps, track->reader.batch->events[i].offset_ps,
                                       &start))
                continue;
            while (step + 1 < reading->step_count && reading->steps[step + 1].start_ps <= start)
                step++;
            const struct launch_run launch =
                launch_of(reading, step, note->correlation.value, start);
            if (reading->contested != NULL)
                single_add(reading, &launch);
            else
                launch_add(reading, &launch, &in_run);
        }
    } while (track->reader.count > 0);
    return true;
}

static int compare_runs(const void *a, const void *b)
{
    const struct launch_run *left = a, *right = b;
    if (left->first != right->first)
        return left->first < right->first ? -1 : 1;
    return (left->last > right->last) - (left->last < right->last);
}

static bool lines_read(struct reading *reading, const struct xspace *space, struct err *err)
{
    for (size_t p = 0; p < reading->profile->plane_count; p++) {
        struct plane_state *state = &reading->profile->planes[p];
        if (state->plane->space != space || !state->plane->is_host)
            continue;
        scoped_track track;
        track_init(&track, reading->profile, space);
        for (size_t i = 0; i < state->plane->line_count; i++) {
            struct xline *line = &state->plane->lines[i];
            if (line->launches && line->process == reading->process &&
                !line_read(reading, &track, state, line, err))
                return false;
        }
    }
    return true;
}

/* How far behind annotations launches are of their steps, by those that the next step follows. Of
 * one step alone nobody knows what is usual: nothing, or where its annotation holds no launch as
 * far as it is long. */
static int64_t usual_distance(struct reading *reading)
{
    const struct launch_list *list = reading->list;
    const struct host_step *first = &reading->steps[0];
    bool holds_any = false;
    if (reading->step_count > 1) {
        size_t count = 0;
        for (size_t i = 0; i < reading->step_count; i++) {
            if (reading->steps[i].own_end_ps == INT64_MAX)
                reading->behind_ps[count++] = reading->behind_ps[i];
        }
        if (count == 0)
            return INT64_MAX;
        qsort(reading->behind_ps, count, sizeof *reading->behind_ps, i64_order);
        int64_t most = reading->behind_ps[(count - 1) / 2];
        ps_add(&most, most);
        return most;
    }
    for (size_t i = reading->first; i < list->count && !holds_any; i++)
        holds_any = list->runs[i].number == first->number && list->runs[i].behind_ps == 0;
    return holds_any ? 0 : ps_between(first->start_ps, first->end_ps);
}

static void stretches_leave_out(struct launch_run *runs, size_t count, int64_t most_ps)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i].behind_ps > most_ps)
            runs[i].number = LAUNCH_OF_NO_STEP;
}

/* Finds which ids runs[count], ascending, of different steps hold: found[count], ascending. Returns
 * how many. */
static size_t contested_find(const struct launch_run *runs, size_t count,
                             struct contested_ids *found)
{
    int64_t reach = INT64_MIN, number = 0; /* of the run that goes furthest … */
    int64_t others = INT64_MIN;            /* … and how far those of other steps go */
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct launch_run *run = &runs[i];
        const bool same = i > 0 && run->number == number;
        const int64_t taken = same ? others : reach;
        const int64_t last = run->last < taken ? run->last : taken;
        if (i > 0 && run->first <= last) {
            if (kept == 0 || run->first > found[kept - 1].last)
                found[kept++] = (struct contested_ids){run->first, last};
            else if (last > found[kept - 1].last)
                found[kept - 1].last = last;
        }
        const int64_t other = run->last > reach ? reach : run->last;
        if (i > 0 && !same && other > others)
            others = other;
        if (run->last > reach) {
            reach = run->last;
            number = run->number;
        }
    }
    return kept;
}

/* Reads the launches of contested ids one by one. */
static bool contested_read(struct reading *reading, const struct xspace *space, int64_t most_ps,
                           struct err *err)
{
    struct launch_list *list = reading->list;
    struct launch_run *runs = &list->runs[reading->first];
    const size_t count = list->count - reading->first;
    scoped_arena own;
    arena_init_within(&own, reading->profile->arena);
    struct contested_ids *contested = arena_array(&own, struct contested_ids, count);
    qsort(runs, count, sizeof *runs, compare_runs);
    reading->contested = contested;
    reading->contested_count = contested_find(runs, count, contested);
    reading->first_single = list->single_count;
    if (reading->contested_count == 0)
        return true;
    if (!lines_read(reading, space, err))
        return false;
    stretches_leave_out(&list->single[reading->first_single],
                        list->single_count - reading->first_single, most_ps);
    return true;
}

static int compare_steps(const void *a, const void *b)
{
    const struct host_step *left = a, *right = b;
    return (left->start_ps > right->start_ps) - (left->start_ps < right->start_ps);
}

/* Reads the launches of a process by its own annotations. */
static bool process_read(struct reading *reading, const struct xspace *space,
                         struct host_step_list *found, struct err *err)
{
    struct arena *arena = reading->profile->arena;
    const struct launch_list *list = reading->list;
    struct host_step *steps = arena_array(arena, struct host_step, found->count);
    reading->first = list->count;
    reading->behind_ps = arena_array(arena, int64_t, found->count);
    reading->counts = arena_array(arena, struct launch_counts, found->count);
    memcpy(steps, found->items, found->count * sizeof *steps);
    reading->step_count = found->count;
    qsort(steps, reading->step_count, sizeof *steps, compare_steps);
    reading->steps = steps;
    if (!lines_read(reading, space, err))
        return false;
    if (list->count == reading->first)
        return true;
    const int64_t unmarked = unmarked_by_launches(found->items, found->count, reading->counts);
    found->unmarked += unmarked;
    const int64_t most_ps = unmarked > 0 ? 0 : usual_distance(reading);
    stretches_leave_out(&reading->list->runs[reading->first], list->count - reading->first,
                        most_ps);
    return contested_read(reading, space, most_ps, err);
}

bool launches_find(struct profile *profile, const struct xspace *space, struct err *err)
{
    struct launch_list *list = arena_new(profile->arena, struct launch_list);
    struct host_step_list *found = steps_of_host(profile, space);
    int32_t processes = 1; /* that launch, at most */
    if (found->count == 0)
        return true;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; plane->space == space && i < plane->line_count; i++) {
            if (plane->lines[i].launches && plane->lines[i].process >= processes)
                processes = plane->lines[i].process + 1;
        }
    }
    for (int32_t process = 0; process < processes; process++) {
        struct reading reading = {.profile = profile, .list = list, .process = process};
        struct host_step_list own =
            processes > 1 ? steps_of_process(profile, space, process) : *found;
        if (!process_read(&reading, space, processes > 1 ? &own : found, err))
            return false;
    }
    if (list->count == 0)
        return true;
    qsort(list->runs, list->count, sizeof *list->runs, compare_runs);
    if (list->single_count > 0)
        qsort(list->single, list->single_count, sizeof *list->single, compare_runs);

    struct id_map *by_number = arena_new(profile->arena, struct id_map);
    id_map_init(by_number, profile->arena);
    for (size_t i = 0; i < found->window_count; i++)
        id_map_set(by_number, found->windows[i].number, (int32_t)i);
    for (size_t p = 0; p < profile->plane_count; p++) { /* windows are the same for all devices */
        struct plane_state *state = &profile->planes[p];
        if (state->plane->space != space || !state->plane->is_device)
            continue;
        state->windows.launches = list;
        state->windows.by_number = by_number;
    }
    return true;
}
