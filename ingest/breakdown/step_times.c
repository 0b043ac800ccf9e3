/* Two readings of the lines: what devices and hosts did, into lists; and a sweep over
 * them for each device, whose longest line it reads itself: stretches go to the steps that they lie
 * in.
 *
 * Where a viewer has grouped the events of a step, an event of the host counts in the step of its
 * group alone, as in xprof; else in whatever step it lies in.
 */
#include "ingest/breakdown/step_reading.h"

#include <stdlib.h>
#include <string.h>

const char *const step_part_names[STEP_PART_COUNT] = {
    [STEP_COMPUTE] = "compute",
    [STEP_COLLECTIVES] = "collectives",
    [STEP_DEVICE_TO_DEVICE] = "device_to_device",
    [STEP_HOST_TO_DEVICE] = "host_to_device",
    [STEP_DEVICE_TO_HOST] = "device_to_host",
    [STEP_INPUT_WAIT] = "input_wait",
    [STEP_KERNEL_LAUNCH] = "kernel_launch",
    [STEP_HOST_COMPUTE] = "host_compute",
    [STEP_COMPILE] = "compile",
    [STEP_IDLE] = "idle",
};

/* Who owns a moment in which several things go on: the first that is active. */
struct owner {
    enum work_class class;
    enum step_part part;
};

/* The device first; its host only while the device does nothing. Who loads or saves beside the
 * threads that launch may be ahead of them, and holds nothing up while those say what they do. */
static const struct owner our_owners[WORK_CLASS_COUNT] = {
    {WORK_COMPUTE, STEP_COMPUTE},
    {WORK_COLLECTIVE, STEP_COLLECTIVES},
    {WORK_DEVICE_TO_HOST, STEP_DEVICE_TO_HOST},
    {WORK_DEVICE_TO_DEVICE, STEP_DEVICE_TO_DEVICE},
    {WORK_HOST_TO_DEVICE, STEP_HOST_TO_DEVICE},
    {WORK_INFEED, STEP_INPUT_WAIT},
    {WORK_CONTAINER, STEP_COMPUTE},
    {WORK_HOST_COMPILE, STEP_COMPILE},
    {WORK_HOST_SAVE, STEP_HOST_COMPUTE},
    {WORK_HOST_INPUT, STEP_INPUT_WAIT},
    {WORK_HOST_SEND, STEP_HOST_TO_DEVICE},
    {WORK_HOST_LAUNCH, STEP_KERNEL_LAUNCH},
    {WORK_HOST_COMPUTE, STEP_HOST_COMPUTE},
    {WORK_BESIDE_SAVE, STEP_HOST_COMPUTE},
    {WORK_BESIDE_LOAD, STEP_INPUT_WAIT},
};

/* xprof's: its names of copies are none that a GPU's have today, so copies on a device compute;
 * compiling is what a host computes; and waiting for input stands before communication. */
static const struct owner xprof_owners[WORK_CLASS_COUNT] = {
    {WORK_COMPUTE, STEP_COMPUTE},           {WORK_DEVICE_TO_HOST, STEP_COMPUTE},
    {WORK_DEVICE_TO_DEVICE, STEP_COMPUTE},  {WORK_HOST_TO_DEVICE, STEP_COMPUTE},
    {WORK_CONTAINER, STEP_COMPUTE},         {WORK_INFEED, STEP_INPUT_WAIT},
    {WORK_HOST_INPUT, STEP_INPUT_WAIT},     {WORK_COLLECTIVE, STEP_COLLECTIVES},
    {WORK_HOST_LAUNCH, STEP_KERNEL_LAUNCH}, {WORK_HOST_SEND, STEP_HOST_TO_DEVICE},
    {WORK_HOST_COMPILE, STEP_HOST_COMPUTE}, {WORK_HOST_SAVE, STEP_HOST_COMPUTE},
    {WORK_HOST_COMPUTE, STEP_HOST_COMPUTE}, {WORK_BESIDE_SAVE, STEP_HOST_COMPUTE},
    {WORK_BESIDE_LOAD, STEP_INPUT_WAIT},
};

static struct owner owner_of(const struct owner *owners, unsigned classes)
{
    for (size_t i = 0; i < WORK_CLASS_COUNT; i++)
        if (classes & 1U << owners[i].class)
            return owners[i];
    return (struct owner){WORK_CLASS_COUNT, STEP_IDLE};
}

static bool is_save(enum work_class class)
{
    return class == WORK_HOST_SAVE || class == WORK_BESIDE_SAVE;
}

/* Who owns what, in both readings: of all that may go on at once few things do, again and again. */
struct owners {
    bool known;
    unsigned classes;
    struct owner ours, theirs;
};
enum { OWNERS_KEPT = 64 };

/* ---- steps ----------------------------------------------------------------------------------- */

static void step_add(struct step_reading *reading, struct device_step step, size_t *capacity)
{
    struct step_breakdown *breakdown = reading->breakdown;
    breakdown->steps = arena_grow(reading->arena, breakdown->steps, breakdown->count, capacity,
                                  sizeof *breakdown->steps);
    breakdown->steps[breakdown->count++] = step;
}

static int step_order(const void *left, const void *right)
{
    const struct device_step *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The spans of the summary's steps; without steps all that each device did. */
static void steps_take(struct step_reading *reading)
{
    const struct step_table *table = &reading->summary->steps;
    size_t capacity = 0;
    for (size_t p = 0; table->count == 0 && p < reading->profile->plane_count; p++) {
        const struct plane_state *state = &reading->profile->planes[p];
        const struct device_sums *sums = state->sums;
        if (state->device == UINT32_MAX || sums == NULL || sums->start_ps >= sums->end_ps)
            continue;
        step_add(reading,
                 (struct device_step){.device = state->device,
                                      .start_ps = sums->start_ps,
                                      .duration_ps = ps_between(sums->start_ps, sums->end_ps)},
                 &capacity);
    }
    for (size_t i = 0; i < table->count; i++) {
        const struct step_row *row = &table->rows[i];
        for (size_t s = 0; s < row->span_count; s++) {
            const struct step_span *span = &row->spans[s];
            step_add(reading,
                     (struct device_step){.numbered = true,
                                          .number = row->number,
                                          .device = span->device,
                                          .leads = !row->warmup && row->slowest == span->device,
                                          .start_ps = span->start_ps,
                                          .duration_ps = span->duration_ps},
                     &capacity);
        }
    }
    if (reading->breakdown->count > 0)
        qsort(reading->breakdown->steps, reading->breakdown->count, sizeof(struct device_step),
              step_order);
}

/* Where each step lies, over all of its devices. */
static void hulls_make(struct step_reading *reading)
{
    const struct step_table *table = &reading->summary->steps;
    id_map_init(&reading->hull_by_number, reading->arena);
    reading->hulls = arena_array(reading->arena, struct interval, table->count);
    for (size_t i = 0; i < table->count; i++) {
        const struct step_row *row = &table->rows[i];
        struct interval *hull = &reading->hulls[i];
        *hull = (struct interval){INT64_MAX, INT64_MIN};
        for (size_t s = 0; s < row->span_count; s++) {
            const struct step_span *span = &row->spans[s];
            const int64_t end = span->start_ps + span->duration_ps;
            hull->start = span->start_ps < hull->start ? span->start_ps : hull->start;
            hull->end = end > hull->end ? end : hull->end;
        }
        id_map_set(&reading->hull_by_number, row->number, (int32_t)i);
    }
}

/* Whether a viewer has grouped the events of the steps: those of GPUs are then named by the group.
 */
static bool is_grouped(const struct step_reading *reading)
{
    bool any = false;
    if (reading->summary->steps.method != STEPS_LINE)
        return false;
    for (size_t p = 0; p < reading->profile->plane_count; p++) {
        const struct xplane *plane = reading->profile->planes[p].plane;
        if (plane->is_device && strncmp(plane->name, "/device:GPU", strlen("/device:GPU")) != 0)
            return false;
        any = any || (plane->is_host && plane_ops_has_groups(&plane->ops));
    }
    return any;
}

/* ---- the sweep ------------------------------------------------------------------------------- */

/* Steps of one device, by start. */
struct device_steps {
    struct device_step *items;
    size_t count;
    size_t first; /* the first that may not be over */
    struct owners owners[OWNERS_KEPT];
    struct arena *arena;
    struct untold_idle *idle;
    struct time_span waiting; /* that goes on, of a step as long as … */
    int64_t waiting_step_ps;
};

static const struct owners *owners_of(struct device_steps *steps, unsigned classes)
{
    struct owners *owners = &steps->owners[(classes ^ classes >> WORK_HOST_COMPUTE) % OWNERS_KEPT];
    if (!owners->known || owners->classes != classes)
        *owners = (struct owners){true, classes,
                                  owner_of(our_owners, classes | classes >> WORK_UNGROUPED),
                                  owner_of(xprof_owners, classes)};
    return owners;
}

/* Keeps the waiting that is over, if it is long. */
static void waiting_keep(struct device_steps *steps)
{
    enum { STEP_PARTS = 100 };
    struct untold_idle *idle = steps->idle;
    const struct time_span waiting = steps->waiting;
    steps->waiting = (struct time_span){0};
    if (waiting.start_ps == waiting.end_ps ||
        ps_between(waiting.start_ps, waiting.end_ps) < steps->waiting_step_ps / STEP_PARTS)
        return;
    idle->spans = arena_grow(steps->arena, idle->spans, idle->span_count, &idle->span_capacity,
                             sizeof *idle->spans);
    idle->spans[idle->span_count++] = waiting;
}

/* Stretches that follow each other are one, whatever the host computes in some. */
static void waiting_add(struct device_steps *steps, const struct device_step *step,
                        struct time_span span, struct owner ours)
{
    if (!step->leads || is_save(ours.class) ||
        (ours.part != STEP_IDLE && ours.part != STEP_HOST_COMPUTE))
        return;
    if (span.start_ps == steps->waiting.end_ps) {
        steps->waiting.end_ps = span.end_ps;
        return;
    }
    waiting_keep(steps);
    steps->waiting = span;
    steps->waiting_step_ps = step->duration_ps;
}

/* A device waits between two steps, mostly: the next one begins with its first op. */
static void between_add(struct device_steps *steps, int64_t start, int64_t end, struct owner ours)
{
    for (size_t i = steps->first > 0 ? steps->first : 1; i < steps->count; i++) {
        struct device_step *before = &steps->items[i - 1];
        const int64_t over = before->start_ps + before->duration_ps;
        const int64_t next = steps->items[i].start_ps;
        const int64_t from = start > over ? start : over, to = end < next ? end : next;
        if (from < to) {
            ps_add(&before->behind_ps[ours.part], to - from);
            ps_add(&before->save_behind_ps, is_save(ours.class) ? to - from : 0);
            waiting_add(steps, before, (struct time_span){from, to}, ours);
        }
        if (next >= end)
            break;
    }
}

static void segment_add(void *context, int64_t start, int64_t end, unsigned classes)
{
    struct device_steps *steps = context;
    const struct owners *owners = owners_of(steps, classes);
    const struct owner ours = owners->ours, theirs = owners->theirs;
    while (steps->first < steps->count &&
           steps->items[steps->first].start_ps + steps->items[steps->first].duration_ps <= start)
        steps->first++;
    const struct device_step *at = &steps->items[steps->first];
    const bool lies_in_step = steps->first < steps->count && start >= at->start_ps &&
                              end <= at->start_ps + at->duration_ps; /* nearly all do */
    if (!lies_in_step)
        between_add(steps, start, end, ours);
    for (size_t i = steps->first; i < steps->count && steps->items[i].start_ps < end; i++) {
        struct device_step *step = &steps->items[i];
        const int64_t step_end = step->start_ps + step->duration_ps;
        const int64_t from = start > step->start_ps ? start : step->start_ps;
        const int64_t to = end < step_end ? end : step_end;
        if (from >= to)
            continue;
        ps_add(&step->ps[ours.part], to - from);
        ps_add(&step->xprof_ps[theirs.part], to - from);
        ps_add(&step->save_ps, is_save(ours.class) ? to - from : 0);
        waiting_add(steps, step, (struct time_span){from, to}, ours);
    }
}

/* Sweeps what the lists have of a device and its host, and its longest line as it is read. */
static bool device_sweep(struct step_reading *reading, struct device_steps *steps,
                         const struct plane_line *longest, struct work_lists *lists,
                         struct err *err)
{
    struct sweep sweep = {.segment = segment_add, .context = steps};
    struct sweep_input *inputs =
        arena_array(reading->arena, struct sweep_input, lists->count + reading->host.count);
    size_t count = 0;
    for (size_t i = 0; i < lists->count; i++)
        inputs[count++] = (struct sweep_input){&lists->items[i]->list, lists->items[i]->class};
    for (size_t i = 0; i < reading->host.count; i++)
        inputs[count++] =
            (struct sweep_input){&reading->host.items[i]->list, reading->host.items[i]->class};
    struct interval window = {steps->items[0].start_ps, INT64_MIN};
    for (size_t i = 0; i < steps->count; i++) {
        const int64_t end = steps->items[i].start_ps + steps->items[i].duration_ps;
        window.end = end > window.end ? end : window.end;
    }
    lists->sweep = &sweep;
    return sweep_begin(&sweep, inputs, count, window, err) &&
           (longest->line == NULL || device_line_read(reading, longest, lists, err)) &&
           sweep_end(&sweep, err);
}

/* The steps of one device, or of the host alone. */
static bool device_break_down(struct step_reading *reading, uint32_t device,
                              struct device_steps *steps, struct err *err)
{
    struct spill spill;
    struct work_lists lists;
    struct plane_line longest = {0};
    const struct profile *profile = reading->profile;
    spill_init(&spill);
    work_lists_init(&lists, reading->arena, &spill);
    bool read = true;
    for (size_t p = 0; p < profile->plane_count; p++)
        if (device != UINT32_MAX && profile->planes[p].device == device)
            device_line_longest(profile->planes[p].plane, &longest);
    for (size_t p = 0; p < profile->plane_count && read; p++)
        if (device != UINT32_MAX && profile->planes[p].device == device)
            read = device_lines_read(reading, profile->planes[p].plane, longest.line, &lists, err);
    read = read && device_sweep(reading, steps, &longest, &lists, err);
    work_lists_done(&lists);
    spill_done(&spill);
    return read;
}

static bool devices_break_down(struct step_reading *reading, struct err *err)
{
    const struct step_breakdown *breakdown = reading->breakdown;
    for (size_t begin = 0, end; begin < breakdown->count; begin = end) {
        const uint32_t device = breakdown->steps[begin].device;
        for (end = begin + 1; end < breakdown->count && breakdown->steps[end].device == device;)
            end++;
        struct device_steps steps = {.items = &breakdown->steps[begin],
                                     .count = end - begin,
                                     .arena = reading->arena,
                                     .idle = &reading->breakdown->idle};
        reading->own = steps.items;
        reading->own_count = steps.count;
        if (!device_break_down(reading, device, &steps, err))
            return false;
        waiting_keep(&steps);
    }
    return true;
}

/* What lies between the step and the next one, by the device that tells when that begins; -1: this
 * one does not. */
static int64_t between_of(const struct step_reading *reading, const struct device_step *step)
{
    const int32_t at =
        step->numbered ? id_map_find(&reading->hull_by_number, step->number) : ID_MAP_ABSENT;
    const struct step_row *row = at == ID_MAP_ABSENT ? NULL : &reading->summary->steps.rows[at];
    if (row == NULL || !row->has_period || row->slowest != step->device)
        return -1;
    return row->period_ps < step->duration_ps ? 0 : row->period_ps - step->duration_ps;
}

/* Of steps that lack their mark in between, each one's share, as its period is; and how long the
 * steps take of which idle time is told. */
static void behind_settle(struct step_reading *reading)
{
    const struct step_breakdown *breakdown = reading->breakdown;
    struct untold_idle *idle = &reading->breakdown->idle;
    for (size_t i = 0; i < breakdown->count; i++) {
        struct device_step *step = &breakdown->steps[i];
        const int64_t between_ps = between_of(reading, step);
        const int64_t whole_ps = step->duration_ps + (between_ps > 0 ? between_ps : 0);
        int64_t behind_ps = 0;
        if (step->leads) {
            ps_add(&idle->steps_ps, whole_ps);
            if (whole_ps > idle->longest_step_ps)
                idle->longest_step_ps = whole_ps;
        }
        if (between_ps < 0)
            continue;
        for (int part = 0; part < STEP_PART_COUNT; part++)
            ps_add(&behind_ps, step->behind_ps[part]);
        if (behind_ps <= between_ps)
            continue;
        const double share = (double)between_ps / (double)behind_ps;
        for (int part = 0; part < STEP_PART_COUNT; part++)
            step->behind_ps[part] = (int64_t)(share * (double)step->behind_ps[part]);
        step->save_behind_ps = (int64_t)(share * (double)step->save_behind_ps);
    }
}

/* Steps lie apart anyway: a compilation beside them costs what they do more than the middle one of
 * those behind which nobody compiles. */
static void compile_settle(struct step_reading *reading)
{
    const struct step_breakdown *breakdown = reading->breakdown;
    int64_t *usual = arena_array(reading->arena, int64_t, breakdown->count);
    size_t count = 0;
    for (size_t i = 0; i < breakdown->count; i++) {
        const int64_t between_ps = between_of(reading, &breakdown->steps[i]);
        if (between_ps >= 0 && breakdown->steps[i].behind_ps[STEP_COMPILE] == 0)
            usual[count++] = between_ps;
    }
    if (count == 0)
        return;
    qsort(usual, count, sizeof *usual, i64_order);
    for (size_t i = 0; i < breakdown->count; i++) {
        const int64_t between_ps = between_of(reading, &breakdown->steps[i]);
        const int64_t more_ps = between_ps - usual[(count - 1) / 2];
        int64_t *compile_ps = &breakdown->steps[i].behind_ps[STEP_COMPILE];
        if (between_ps >= 0 && *compile_ps > more_ps)
            *compile_ps = more_ps > 0 ? more_ps : 0;
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Idle is what is left of each step; so parts add up to it. */
bool step_breakdown_read(struct profile *profile, const struct summary *summary,
                         struct arena *arena, struct step_breakdown *ret_breakdown, struct err *err)
{
    struct spill spill;
    struct step_reading reading = {
        .profile = profile, .summary = summary, .arena = arena, .breakdown = ret_breakdown};
    *ret_breakdown = (struct step_breakdown){0};
    steps_take(&reading);
    hulls_make(&reading);
    reading.grouped = is_grouped(&reading);
    for (size_t p = 0; p < profile->plane_count; p++)
        reading.has_device |= profile->planes[p].plane->is_device;
    spill_init(&spill);
    work_lists_init(&reading.host, arena, &spill);
    bool read = host_lines_read(&reading, err) && devices_break_down(&reading, err);
    work_lists_done(&reading.host);
    spill_done(&spill);
    behind_settle(&reading);
    step_absent_note(&reading);
    if (!read)
        return false;
    compile_settle(&reading);
    return true;
}
