#include "ingest/steps/kernel_launches.h"
#include "ingest/steps/launch_walk.h"
#include "ingest/steps/main_program.h"
#include "ingest/steps/step_windows.h"
#include "ingest/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

/* What is read of a line of ops: how often each runs; those that run once a launch; how long
 * the device is at work between those. */
enum plane_subject { READ_USES, READ_ONCE, READ_BUSY };

struct plane_reading {
    struct profile *profile;
    struct plane_state *state;
    struct arena *kept;  /* of the search */
    struct arena *arena; /* of what is told of the plane at hand */
    enum plane_subject subject;
    struct use_list uses;
    const struct op_program *program; /* whose launches are steps */
    int32_t *places;                  /* by op, -1 = it does not run once a launch */
    size_t place_count;
    int64_t told; /* how often the program was launched, as most of its ops tell */
    struct once_events events;
    int64_t *busy_ps; /* by event: from its start to that of the next */
    struct found_launches launches;
};

/* ---- reading --------------------------------------------------------------------------------- */

static bool use_add(struct plane_reading *reading, const struct event *event, int64_t start)
{
    struct use_list *uses = &reading->uses;
    size_t op = (size_t)event->op;
    if (op >= uses->capacity) {
        size_t capacity = 2 * op + 64;
        struct op_use *items = arena_array(reading->kept, struct op_use, capacity);
        if (items == NULL)
            return false;
        if (uses->capacity > 0)
            memcpy(items, uses->items, uses->capacity * sizeof *items);
        uses->items = items;
        uses->capacity = capacity;
    }
    struct op_use *use = &uses->items[op];
    if (use->count++ == 0 || start < use->first_ps)
        use->first_ps = start;
    ps_add(&use->total_ps, event->duration_ps);
    return true;
}

static void once_add(struct plane_reading *reading, const struct event *event,
                     const struct event_note *note, int64_t start)
{
    struct once_events *list = &reading->events;
    if ((size_t)event->op < reading->uses.capacity && reading->places[event->op] >= 0 &&
        list->count < list->capacity)
        list->items[list->count++] =
            (struct once_event){start, note == NULL ? (struct opt_i64){0} : note->correlation,
                                reading->places[event->op]};
}

/* Events are sorted by start. */
static void busy_add(struct plane_reading *reading, const struct event *event, int64_t start)
{
    const struct once_events *list = &reading->events;
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle].start_ps <= start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0)
        ps_add(&reading->busy_ps[low - 1], event->duration_ps);
}

static bool line_read(struct plane_reading *reading, struct track *track, struct xline *line,
                      struct err *err)
{
    if (!track_open_device(track, reading->state, line, err))
        return false;
    do {
        if (!line_reader_next(&track->reader, err))
            return false;
        for (size_t i = 0; i < track->reader.count; i++) {
            const struct event *event = &track->reader.events[i];
            int64_t start;
            if (!track->has_ps || __builtin_add_overflow(track->base_ps, event->offset_ps, &start))
                continue;
            bool kept = true;
            if (reading->subject == READ_USES)
                kept = use_add(reading, event, start);
            else if (reading->subject == READ_ONCE)
                once_add(reading, event, line_reader_note(&track->reader, i), start);
            else
                busy_add(reading, event, start);
            if (!kept)
                return arena_failed(reading->kept, "the launches of a profile", err);
        }
    } while (track->reader.count > 0);
    return true;
}

static bool plane_read(struct plane_reading *reading, enum plane_subject subject, struct err *err)
{
    scoped_track track;
    reading->subject = subject;
    if (!track_init(&track, reading->profile, reading->state->plane->space, err))
        return false;
    for (size_t i = 0; i < reading->state->plane->line_count; i++) {
        struct xline *line = &reading->state->plane->lines[i];
        if (line->role == LINE_OPS && !line->derived && !line->asynchronous &&
            line_has_events(line) && !line_read(reading, &track, line, err))
            return false;
    }
    return true;
}

/* ---- ops that run once a launch -------------------------------------------------------------- */

struct once_op {
    int64_t first_ps, count;
    int32_t op;
};

static int compare_once_ops(const void *a, const void *b)
{
    const struct once_op *left = a, *right = b;
    if (left->first_ps != right->first_ps)
        return left->first_ps < right->first_ps ? -1 : 1;
    return (left->op > right->op) - (left->op < right->op);
}

/* How many launches may lack an op, or be cut by the capture, of so many. */
static int64_t few_of(int64_t launches)
{
    enum { PER_LAUNCHES = 16 };
    return 1 + launches / PER_LAUNCHES;
}

/* Ops that run once a launch: as often as the program was launched but for a few; those in loops
 * run twice as often and more. Sorted by when they first ran; NULL beyond the budget. */
static struct once_op *once_ops_find(struct plane_reading *reading, size_t *ret_count)
{
    const struct plane_ops *ops = &reading->state->plane->ops;
    const struct use_list *uses = &reading->uses;
    const int64_t few = few_of(reading->told);
    struct once_op *found = arena_array(reading->arena, struct once_op, ops->count);
    size_t count = 0;
    for (size_t i = 0; found != NULL && i < ops->count && i < uses->capacity; i++) {
        const struct op_use *use = &uses->items[i];
        if (use->count > 0 && use->count >= reading->told - few &&
            use->count <= reading->told + few && use->count < 2 * reading->told &&
            op_is_of(&ops->details[i], reading->program))
            found[count++] = (struct once_op){use->first_ps, use->count, (int32_t)i};
    }
    if (count > 1)
        qsort(found, count, sizeof *found, compare_once_ops);
    *ret_count = count;
    return found;
}

/* Gives the ops that are looked for their places, and their events room: all of them, or so many
 * that memory is bounded. false beyond the budget. */
static bool once_ops_choose(struct plane_reading *reading)
{
    enum { EVENTS_MOST = 1 << 20 };
    int64_t events = 0;
    size_t count;
    const struct once_op *found = once_ops_find(reading, &count);
    reading->places = arena_array(reading->arena, int32_t, reading->uses.capacity);
    if (found == NULL || reading->places == NULL)
        return false;
    for (size_t i = 0; i < reading->uses.capacity; i++)
        reading->places[i] = -1;
    for (size_t i = 0; i < count; i++)
        events += found[i].count;
    const size_t every = 1 + (size_t)(events / EVENTS_MOST);
    for (size_t i = 0; i < count; i += every) {
        reading->places[found[i].op] = (int32_t)reading->place_count++;
        reading->events.capacity += (size_t)found[i].count;
    }
    reading->events.items =
        arena_array(reading->arena, struct once_event, reading->events.capacity);
    return reading->events.items != NULL;
}

/* The place of the op that the device waited longest for; of the first one, where that was not
 * twice as long as for it: a device that hardly waits says little. */
static int32_t place_after_idle(const struct plane_reading *reading, int64_t *idle_ps)
{
    const struct once_events *list = &reading->events;
    int32_t best = 0;
    for (size_t i = 1; i < list->count; i++) {
        const int64_t between = ps_between(list->items[i - 1].start_ps, list->items[i].start_ps);
        if (between > reading->busy_ps[i - 1])
            ps_add(&idle_ps[list->items[i].place], between - reading->busy_ps[i - 1]);
    }
    for (int32_t place = 1; (size_t)place < reading->place_count; place++)
        best = idle_ps[place] > idle_ps[best] ? place : best;
    return idle_ps[best] / 2 > idle_ps[0] ? best : 0;
}

/* Gives places by which op came first, and sorts the events by start. A capture of whole launches
 * begins with the first op of one and ends with the last, as most do that a program makes of
 * itself. Of any other the op begins launches that the device waits longest for, if any. */
static bool places_order(struct plane_reading *reading, struct err *err)
{
    struct once_events *list = &reading->events;
    const int32_t count = (int32_t)reading->place_count;
    int32_t *order = arena_array(reading->arena, int32_t, reading->place_count);
    int64_t *idle_ps = arena_array(reading->arena, int64_t, reading->place_count);
    int32_t seen = 0;
    reading->busy_ps = arena_array(reading->arena, int64_t, list->count);
    if (order == NULL || idle_ps == NULL || reading->busy_ps == NULL)
        return arena_failed(reading->arena, "the launches of a profile", err);
    qsort(list->items, list->count, sizeof *list->items, compare_starts);
    memset(order, -1, reading->place_count * sizeof *order);
    for (size_t i = 0; i < list->count; i++) {
        int32_t *place = &order[list->items[i].place];
        *place = *place < 0 ? seen++ : *place;
        list->items[i].place = *place;
    }
    if (list->items[list->count - 1].place + 1 == count)
        return true;
    if (!plane_read(reading, READ_BUSY, err))
        return false;
    const int32_t first = place_after_idle(reading, idle_ps);
    for (size_t i = 0; i < list->count; i++)
        list->items[i].place = (list->items[i].place - first + count) % count;
    return true;
}

/* Finds the launches of the program on a plane. */
static bool plane_launches(struct plane_reading *reading, struct err *err)
{
    scoped_arena own;
    arena_init_within(&own, reading->kept);
    reading->arena = &own;
    if (!once_ops_choose(reading))
        return arena_failed(reading->arena, "the launches of a profile", err);
    if (!plane_read(reading, READ_ONCE, err))
        return false;
    if (reading->events.count == 0)
        return true;
    return places_order(reading, err) &&
           (launches_walk(&reading->events, reading->place_count, reading->kept,
                          &reading->launches) ||
            arena_failed(reading->kept, "the launches of a profile", err));
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Which ids were launched from one launch to the next, where all are known. */
static bool ids_index(const struct plane_reading *reading, struct window_list *windows)
{
    const struct found_launches *found = &reading->launches;
    const struct found_launch *items = found->items;
    struct arena *arena = reading->profile->arena;
    struct launch_list *launches = arena_new(arena, struct launch_list);
    struct id_map *by_number = arena_new(arena, struct id_map);
    struct launch_run *runs = arena_array(arena, struct launch_run, found->count);
    if (launches == NULL || by_number == NULL || runs == NULL)
        return false;
    id_map_init(by_number, arena);
    for (size_t i = 0; i < found->count; i++) {
        const struct found_launch *next = i + 1 < found->count ? &items[i + 1] : &found->cut;
        const bool has_next = i + 1 < found->count || found->has_cut;
        int64_t last = has_next ? next->correlation.value - 1 : INT64_MAX;
        runs[i] = (struct launch_run){items[i].correlation.value, last, items[i].number, 0};
        if (!id_map_set(by_number, items[i].number, (int32_t)i))
            return false;
    }
    *launches = (struct launch_list){.runs = runs, .count = found->count, .capacity = found->count};
    windows->launches = launches;
    windows->by_number = by_number;
    return true;
}

/* false beyond the budget. */
static bool windows_make(struct plane_reading *reading)
{
    struct profile *profile = reading->profile;
    const struct found_launches *found = &reading->launches;
    const size_t count = found->count;
    struct step_window *items = arena_array(profile->arena, struct step_window, count);
    struct op_program *program = arena_new(profile->arena, struct op_program);
    if (items == NULL || program == NULL)
        return false;
    *program = *reading->program;
    for (size_t i = 0; i < count; i++) {
        const struct found_launch *launch = &found->items[i];
        int64_t end = i + 1 < count    ? launch[1].start_ps
                      : found->has_cut ? found->cut.start_ps
                                       : INT64_MAX;
        items[i] = window_by_ops(profile, launch->number, launch->start_ps, end, i);
    }
    reading->state->windows =
        (struct window_list){.items = items, .count = count, .by_ops = true, .program = program};
    return !correlation_is_known(found->items[0].correlation) ||
           ids_index(reading, &reading->state->windows);
}

/* Finds the launches on the planes of one host, which lie behind each other. Where a device lacks
 * few of those that another has, what they have in common is looked for. */
static bool host_launches(struct plane_reading *readings, size_t count, struct err *err)
{
    int64_t told = 0;
    for (size_t p = 0; p < count; p++) {
        struct plane_reading *reading = &readings[p];
        reading->told = program_launches(&reading->state->plane->ops, &reading->uses,
                                         reading->program, reading->kept);
        if (reading->told < 0)
            return arena_failed(reading->kept, "the launches of a profile", err);
        told = reading->told > told ? reading->told : told;
    }
    const struct plane_reading *most = &readings[0];
    for (size_t p = 0; p < count; p++) {
        if (readings[p].told >= told - few_of(told))
            readings[p].told = told;
        if (readings[p].state->plane->is_device && !plane_launches(&readings[p], err))
            return false;
        most = readings[p].launches.count > most->launches.count ? &readings[p] : most;
    }
    for (size_t p = 0; p < count; p++) {
        launches_number(&readings[p].launches, &most->launches);
        if (readings[p].launches.count > 0 && !windows_make(&readings[p]))
            return arena_failed(readings[p].kept, "the launches of a profile", err);
    }
    return true;
}

static bool planes_search(struct profile *profile, struct arena *arena, struct err *err)
{
    struct use_by_program programs = {0};
    struct plane_reading *readings = arena_array(arena, struct plane_reading, profile->plane_count);
    if (readings == NULL)
        return arena_failed(arena, "the launches of a profile", err);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_reading *reading = &readings[p];
        *reading =
            (struct plane_reading){.profile = profile, .state = &profile->planes[p], .kept = arena};
        if (!reading->state->plane->is_device)
            continue;
        if (!plane_read(reading, READ_USES, err))
            return false;
        if (!program_uses_add(&programs, profile, reading->state, &reading->uses, arena))
            return arena_failed(arena, "the launches of a profile", err);
    }
    const struct program_use **best = main_programs(profile, &programs, arena);
    if (best == NULL)
        return arena_failed(arena, "the launches of a profile", err);
    for (size_t p = 0, next; p < profile->plane_count; p = next) {
        const struct xspace *space = profile->planes[p].plane->space;
        const struct program_use *found = best[space - profile->spaces];
        for (next = p; next < profile->plane_count && profile->planes[next].plane->space == space;)
            readings[next++].program = found == NULL ? NULL : &found->program;
        if (found != NULL && !host_launches(&readings[p], next - p, err))
            return false;
    }
    return true;
}

bool kernel_launches_find(struct profile *profile, struct err *err)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    return planes_search(profile, &scratch, err);
}
