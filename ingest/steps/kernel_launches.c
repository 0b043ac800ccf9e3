/* See kernel_launches.h. */
#include "ingest/steps/kernel_launches.h"
#include "ingest/steps/launches.h"
#include "ingest/steps/main_program.h"
#include "ingest/steps/step_windows.h"
#include "ingest/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that begins a launch. */
struct beginning {
    int64_t start_ps;
    struct opt_i64 correlation;
};

struct beginnings {
    struct beginning *items;
    size_t count, capacity;
};

struct plane_reading {
    struct profile *profile;
    struct plane_state *state;
    struct arena *arena; /* of the search */
    struct use_list uses;
    int32_t marker; /* the op that begins launches */
    struct beginnings beginnings;
};

/* ---- reading --------------------------------------------------------------------------------- */

static bool use_add(struct plane_reading *reading, const struct event *event, int64_t start)
{
    struct use_list *uses = &reading->uses;
    size_t op = (size_t)event->op;
    if (op >= uses->capacity) {
        size_t capacity = 2 * op + 64;
        struct op_use *items = arena_array(reading->arena, struct op_use, capacity);
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

static bool beginning_add(struct plane_reading *reading, const struct event_note *note,
                          int64_t start)
{
    struct beginnings *list = &reading->beginnings;
    struct beginning *items =
        arena_grow(reading->arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    items[list->count++] =
        (struct beginning){start, note == NULL ? (struct opt_i64){0} : note->correlation};
    return true;
}

/* Reads a line of ops: for how often each runs, and when there is a marker for when that does. */
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
            if (reading->marker == OP_NONE)
                kept = use_add(reading, event, start);
            else if (event->op == reading->marker)
                kept = beginning_add(reading, line_reader_note(&track->reader, i), start);
            if (!kept)
                return arena_failed(reading->arena, "the launches of a profile", err);
        }
    } while (track->reader.count > 0);
    return true;
}

static bool plane_read(struct plane_reading *reading, struct err *err)
{
    scoped_track track;
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

/* ---- the op that begins a launch ------------------------------------------------------------- */

/* false beyond the budget; the marker is OP_NONE where the program did not run. */
static bool marker_find(struct plane_reading *reading, const struct op_program *program)
{
    const struct plane_ops *ops = &reading->state->plane->ops;
    const int64_t launches = program_launches(ops, &reading->uses, program, reading->arena);
    reading->marker = OP_NONE;
    for (size_t i = 0; i < ops->count && i < reading->uses.capacity; i++) {
        const struct op_use *use = &reading->uses.items[i];
        if (use->count > 0 && use->count == launches && op_is_of(&ops->details[i], program) &&
            (reading->marker == OP_NONE ||
             use->first_ps < reading->uses.items[reading->marker].first_ps))
            reading->marker = (int32_t)i;
    }
    return launches >= 0;
}

/* ---- windows --------------------------------------------------------------------------------- */

static int compare_beginnings(const void *a, const void *b)
{
    const struct beginning *left = a, *right = b;
    return (left->start_ps > right->start_ps) - (left->start_ps < right->start_ps);
}

/* Which ids were launched from one beginning to the next; NULL where ids do not ascend with time.
 */
static bool ids_index(const struct plane_reading *reading, struct window_list *windows)
{
    const struct beginnings *list = &reading->beginnings;
    struct arena *arena = reading->profile->arena;
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i].correlation.set ||
            (i > 0 && list->items[i].correlation.value <= list->items[i - 1].correlation.value))
            return true;
    }
    struct launch_list *launches = arena_new(arena, struct launch_list);
    struct id_map *by_number = arena_new(arena, struct id_map);
    struct launch_run *runs = arena_array(arena, struct launch_run, list->count);
    if (launches == NULL || by_number == NULL || runs == NULL)
        return false;
    id_map_init(by_number, arena);
    for (size_t i = 0; i < list->count; i++) {
        int64_t last = i + 1 < list->count ? list->items[i + 1].correlation.value - 1 : INT64_MAX;
        runs[i] = (struct launch_run){list->items[i].correlation.value, last, (int64_t)i, 0};
        if (!id_map_set(by_number, (int64_t)i, (int32_t)i))
            return false;
    }
    *launches = (struct launch_list){runs, list->count, list->count};
    windows->launches = launches;
    windows->by_number = by_number;
    return true;
}

static bool windows_make(struct plane_reading *reading, const struct op_program *program)
{
    struct profile *profile = reading->profile;
    struct beginnings *list = &reading->beginnings;
    struct step_window *items = arena_array(profile->arena, struct step_window, list->count);
    if (items == NULL)
        return false;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_beginnings);
    for (size_t i = 0; i < list->count; i++) {
        int64_t end = i + 1 < list->count ? list->items[i + 1].start_ps : INT64_MAX;
        items[i] = window_by_ops(profile, (int64_t)i, list->items[i].start_ps, end, i);
    }
    reading->state->windows =
        (struct window_list){.items = items, .count = list->count, .by_ops = true};
    reading->state->windows.program = program;
    return ids_index(reading, &reading->state->windows);
}

static bool plane_windows(struct plane_reading *reading, const struct program_use *found,
                          struct err *err)
{
    struct profile *profile = reading->profile;
    struct op_program *program = arena_new(profile->arena, struct op_program);
    if (program == NULL || !marker_find(reading, &found->program))
        return arena_failed(profile->arena, "the launches of a profile", err);
    *program = found->program;
    if (reading->marker == OP_NONE)
        return true;
    return plane_read(reading, err) &&
           (windows_make(reading, program) ||
            arena_failed(profile->arena, "the launches of a profile", err));
}

static bool planes_search(struct profile *profile, struct arena *arena, struct err *err)
{
    struct use_by_program programs = {0};
    struct plane_reading *readings = arena_array(arena, struct plane_reading, profile->plane_count);
    if (readings == NULL)
        return arena_failed(arena, "the launches of a profile", err);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_reading *reading = &readings[p];
        *reading = (struct plane_reading){
            .profile = profile, .state = &profile->planes[p], .arena = arena, .marker = OP_NONE};
        if (!reading->state->plane->is_device)
            continue;
        if (!plane_read(reading, err))
            return false;
        if (!program_uses_add(&programs, profile, reading->state, &reading->uses, arena))
            return arena_failed(arena, "the launches of a profile", err);
    }
    const struct program_use **best = main_programs(profile, &programs, arena);
    if (best == NULL)
        return arena_failed(arena, "the launches of a profile", err);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        const struct program_use *found = best[plane->space - profile->spaces];
        if (plane->is_device && found != NULL && !plane_windows(&readings[p], found, err))
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
