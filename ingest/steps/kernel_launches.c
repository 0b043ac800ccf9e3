#include "ingest/steps/kernel_launches.h"
#include "ingest/lines/lines.h"
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

static void use_add(struct plane_reading *reading, const struct event *event, int64_t start)
{
    struct use_list *uses = &reading->uses;
    size_t op = (size_t)event->op;
    if (op >= uses->capacity) {
        size_t capacity = 2 * op + 64;
        struct op_use *items = arena_array(reading->kept, struct op_use, capacity);
        if (uses->capacity > 0)
            memcpy(items, uses->items, uses->capacity * sizeof *items);
        uses->items = items;
        uses->capacity = capacity;
    }
    struct op_use *use = &uses->items[op];
    if (use->count++ == 0 || start < use->first_ps)
        use->first_ps = start;
    ps_add(&use->total_ps, event->duration_ps);
}

static void event_take(struct plane_reading *reading, const struct event *event,
                       const struct event_note *note, int64_t start)
{
    struct once_events *list = &reading->events;
    if (reading->subject == READ_USES) {
        use_add(reading, event, start);
    } else if (reading->subject == READ_BUSY) {
        const size_t begun = sorted_count(list->count, at, list->items[at].start_ps <= start);
        if (begun > 0)
            ps_add(&reading->busy_ps[begun - 1], event->duration_ps);
    } else if ((size_t)event->op < reading->uses.capacity && reading->places[event->op] >= 0 &&
               list->count < list->capacity) {
        list->items[list->count++] =
            (struct once_event){start, note == NULL ? (struct opt_i64){0} : note->correlation,
                                reading->places[event->op]};
    }
}

static bool line_read(struct plane_reading *reading, struct track *track, struct xline *line,
                      struct err *err)
{
    track_open_device(track, reading->state, line);
    do {
        if (!line_reader_next(&track->reader, err) ||
            !arena_ok(reading->kept, "the launches of a profile", err))
            return false;
        for (size_t i = 0; i < track->reader.count; i++) {
            const struct event *event = &track->reader.batch->events[i];
            int64_t start;
            if (track->has_ps && !__builtin_add_overflow(track->base_ps, event->offset_ps, &start))
                event_take(reading, event, line_reader_note(&track->reader, i), start);
        }
    } while (track->reader.count > 0);
    return true;
}

static bool plane_read(struct plane_reading *reading, enum plane_subject subject, struct err *err)
{
    scoped_track track;
    reading->subject = subject;
    track_init(&track, reading->profile, reading->state->plane->space);
    for (size_t i = 0; i < reading->state->plane->line_count; i++) {
        struct xline *line = &reading->state->plane->lines[i];
        if (line_is_of_ops(line) && !line_read(reading, &track, line, err))
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

/* Gives the ops that run once a launch their places, and their events room: all of them, or so many
 * that memory is bounded. They run as often as the program was launched but for a few; those in
 * loops run twice as often and more. */
static void once_ops_choose(struct plane_reading *reading)
{
    enum { EVENTS_MOST = 1 << 20 };
    const struct plane_ops *ops = &reading->state->plane->ops;
    const struct use_list *uses = &reading->uses;
    const int64_t few = few_of(reading->told);
    struct once_op *found = arena_array(reading->arena, struct once_op, ops->count);
    int64_t events = 0;
    size_t count = 0;
    for (size_t i = 0; i < ops->count && i < uses->capacity; i++) {
        const struct op_use *use = &uses->items[i];
        if (use->count > 0 && use->count >= reading->told - few &&
            use->count <= reading->told + few && use->count < 2 * reading->told &&
            op_is_of(&ops->details[i], reading->program)) {
            found[count++] = (struct once_op){use->first_ps, use->count, (int32_t)i};
            events += use->count;
        }
    }
    if (count > 1)
        qsort(found, count, sizeof *found, compare_once_ops);
    reading->places = arena_array(reading->arena, int32_t, uses->capacity);
    for (size_t i = 0; i < uses->capacity; i++)
        reading->places[i] = -1;
    const size_t every = 1 + (size_t)(events / EVENTS_MOST);
    for (size_t i = 0; i < count; i += every) {
        reading->places[found[i].op] = (int32_t)reading->place_count++;
        reading->events.capacity += (size_t)found[i].count;
    }
    reading->events.items =
        arena_array(reading->arena, struct once_event, reading->events.capacity);
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

/* ---- windows --------------------------------------------------------------------------------- */

static void windows_make(struct plane_reading *reading)
{
    struct profile *profile = reading->profile;
    struct arena *arena = profile->arena;
    const struct found_launches *found = &reading->launches;
    const struct found_launch *launches = found->items;
    const size_t count = found->count;
    struct step_window *items = arena_array(arena, struct step_window, count);
    struct op_program *program = arena_new(arena, struct op_program);
    *program = *reading->program;
    for (size_t i = 0; i < count; i++) {
        int64_t end = i + 1 < count    ? launches[i + 1].start_ps
                      : found->has_cut ? found->cut.start_ps
                                       : INT64_MAX;
        items[i] = window_by_ops(profile, launches[i].number, launches[i].start_ps, end, i);
    }
    struct window_list *windows = &reading->state->windows;
    *windows =
        (struct window_list){.items = items, .count = count, .by_ops = true, .program = program};
    if (!correlation_is_known(launches[0].correlation))
        return;
    /* All ids are known: which were launched from one launch to the next. */
    struct launch_list *list = arena_new(arena, struct launch_list);
    struct id_map *by_number = arena_new(arena, struct id_map);
    struct launch_run *runs = arena_array(arena, struct launch_run, count);
    id_map_init(by_number, arena);
    for (size_t i = 0; i < count; i++) {
        const struct found_launch *next = i + 1 < count ? &launches[i + 1] : &found->cut;
        const bool has_next = i + 1 < count || found->has_cut;
        int64_t last = has_next ? next->correlation.value - 1 : INT64_MAX;
        runs[i] = (struct launch_run){launches[i].correlation.value, last, launches[i].number, 0};
        id_map_set(by_number, launches[i].number, (int32_t)i);
    }
    *list = (struct launch_list){.runs = runs, .count = count, .capacity = count};
    windows->launches = list;
    windows->by_number = by_number;
}

/* Finds the launches of the program on a plane. */
static bool plane_launches(struct plane_reading *reading, struct err *err)
{
    scoped_arena own;
    arena_init_within(&own, reading->kept);
    reading->arena = &own;
    once_ops_choose(reading);
    if (!plane_read(reading, READ_ONCE, err))
        return false;
    if (reading->events.count == 0)
        return true;
    if (!places_order(reading, err))
        return false;
    reading->launches = launches_walk(&reading->events, reading->place_count, reading->kept);
    return true;
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
        if (readings[p].launches.count > 0)
            windows_make(&readings[p]);
    }
    return true;
}

bool kernel_launches_find(struct profile *profile, struct err *err)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    struct use_by_program programs = {0};
    struct plane_reading *readings =
        arena_array(&scratch, struct plane_reading, profile->plane_count);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_reading *reading = &readings[p];
        *reading = (struct plane_reading){
            .profile = profile, .state = &profile->planes[p], .kept = &scratch};
        if (!reading->state->plane->is_device)
            continue;
        if (!plane_read(reading, READ_USES, err))
            return false;
        program_uses_add(&programs, profile, reading->state, &reading->uses, &scratch);
    }
    const struct program_use **best = main_programs(profile, &programs, &scratch);
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
