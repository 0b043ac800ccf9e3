/* See kernel_launches.h. */
#include "ingest/kernel_launches.h"
#include "ingest/launches.h"
#include "ingest/steps.h"
#include "ingest/track.h"

#include <stdlib.h>
#include <string.h>

/* What an op of one plane did. */
struct op_use {
    int64_t count, total_ps;
    int64_t first_ps; /* its first start */
};

struct use_list {
    struct op_use *items; /* by op */
    size_t capacity;
};

struct program_use {
    struct main_program program;
    size_t space;
    int64_t total_ps;
};

struct use_by_program {
    struct program_use *items;
    size_t count, capacity;
};

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
    if (!track_open(track, reading->state, line, err))
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

/* ---- the program ----------------------------------------------------------------------------- */

static bool program_add(struct use_by_program *list, const struct program_use *use,
                        struct arena *arena)
{
    struct program_use *items =
        arena_grow(arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    items[list->count++] = *use;
    return true;
}

static bool plane_programs(const struct plane_reading *reading, struct use_by_program *list)
{
    const struct plane_ops *ops = &reading->state->plane->ops;
    size_t space = (size_t)(reading->state->plane->space - reading->profile->spaces);
    for (size_t i = 0; i < ops->count && i < reading->uses.capacity; i++) {
        const struct op_detail *detail = &ops->details[i];
        const struct op_use *use = &reading->uses.items[i];
        const struct program_use program = {
            {detail->module, detail->has_program, detail->has_program ? detail->program_id : 0},
            space,
            use->total_ps};
        if (use->count > 0 && detail->module != STRING_NONE &&
            !program_add(list, &program, reading->arena))
            return false;
    }
    return true;
}

/* By module, host and id. */
static int compare_programs(const void *a, const void *b)
{
    const struct program_use *left = a, *right = b;
    if (left->program.module != right->program.module)
        return left->program.module < right->program.module ? -1 : 1;
    if (left->space != right->space)
        return left->space < right->space ? -1 : 1;
    if (left->program.has_id != right->program.has_id)
        return left->program.has_id ? 1 : -1;
    return (left->program.id > right->program.id) - (left->program.id < right->program.id);
}

/* Joins the ops of each program. */
static void programs_join(struct use_by_program *list)
{
    size_t kept = 0;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_programs);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && compare_programs(&list->items[kept - 1], &list->items[i]) == 0)
            ps_add(&list->items[kept - 1].total_ps, list->items[i].total_ps);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* The module that takes most time on all hosts; ids of one module differ from host to host. */
static uint32_t main_module(const struct use_by_program *list)
{
    uint32_t best = STRING_NONE;
    int64_t most = -1, total = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool first = i == 0 || list->items[i - 1].program.module != list->items[i].program.module;
        total = first ? 0 : total;
        ps_add(&total, list->items[i].total_ps);
        if (total > most) {
            most = total;
            best = list->items[i].program.module;
        }
    }
    return best;
}

/* By host, the program of that module that takes most time there; NULL where none ran. */
static const struct program_use **programs_of_spaces(const struct profile *profile,
                                                     const struct use_by_program *list,
                                                     struct arena *arena)
{
    const uint32_t module = main_module(list);
    const struct program_use **best =
        arena_array(arena, const struct program_use *, profile->space_count);
    for (size_t i = 0; best != NULL && i < list->count; i++) {
        const struct program_use *use = &list->items[i];
        const struct program_use **held = &best[use->space];
        if (use->program.module == module && (*held == NULL || use->total_ps > (*held)->total_ps))
            *held = use;
    }
    return best;
}

/* ---- the op that begins a launch ------------------------------------------------------------- */

static int compare_counts(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* How often the program was launched: ops in its loops run more often than that, ops in branches
 * less often. The tenth part that runs least is taken for branches and for what was cut off. */
static int64_t launch_count(int64_t *counts, size_t count)
{
    enum { BRANCHES_PER_OPS = 10 };
    qsort(counts, count, sizeof *counts, compare_counts);
    return counts[count / BRANCHES_PER_OPS];
}

/* false beyond the budget; the marker is OP_NONE where the program did not run. */
static bool marker_find(struct plane_reading *reading, const struct main_program *program)
{
    const struct plane_ops *ops = &reading->state->plane->ops;
    int64_t *counts = arena_array(reading->arena, int64_t, ops->count);
    size_t count = 0;
    reading->marker = OP_NONE;
    if (counts == NULL)
        return false;
    for (size_t i = 0; i < ops->count && i < reading->uses.capacity; i++) {
        if (reading->uses.items[i].count > 0 && op_is_of(&ops->details[i], program))
            counts[count++] = reading->uses.items[i].count;
    }
    if (count == 0)
        return true;
    const int64_t launches = launch_count(counts, count);
    for (size_t i = 0; i < ops->count && i < reading->uses.capacity; i++) {
        const struct op_use *use = &reading->uses.items[i];
        if (use->count == launches && op_is_of(&ops->details[i], program) &&
            (reading->marker == OP_NONE ||
             use->first_ps < reading->uses.items[reading->marker].first_ps))
            reading->marker = (int32_t)i;
    }
    return true;
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
        runs[i] = (struct launch_run){list->items[i].correlation.value, last, (int64_t)i};
        if (!id_map_set(by_number, (int64_t)i, (int32_t)i))
            return false;
    }
    *launches = (struct launch_list){runs, list->count, list->count};
    windows->launches = launches;
    windows->by_number = by_number;
    return true;
}

static bool windows_make(struct plane_reading *reading, const struct main_program *program)
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
    struct main_program *program = arena_new(profile->arena, struct main_program);
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
        if (!plane_programs(reading, &programs))
            return arena_failed(arena, "the launches of a profile", err);
    }
    programs_join(&programs);
    const struct program_use **best = programs_of_spaces(profile, &programs, arena);
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
