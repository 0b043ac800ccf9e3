#include "ingest/steps/step_warmup.h"
#include "ingest/step_table/step_table.h"
#include "ingest/steps/host_steps.h"
#include "ingest/steps/step_windows.h"

#include <stdlib.h>

/* ---- what is known --------------------------------------------------------------------------- */

/* When marks of a kind last on planes[count]. */
static void marks_index(const struct plane_state *planes, size_t plane_count, enum mark_kind kind,
                        struct arena *arena, struct span_index *ret_index)
{
    struct time_span *spans = NULL;
    size_t count = 0, capacity = 0;
    for (size_t p = 0; p < plane_count; p++) {
        const struct mark_list *marks = &planes[p].marks;
        for (size_t i = 0; i < marks->count; i++) {
            const struct step_mark *mark = &marks->items[i];
            if (mark->kind != kind || !mark->has_ps)
                continue;
            spans = arena_grow(arena, spans, count, &capacity, sizeof *spans);
            spans[count++] = (struct time_span){mark->start_ps, mark_end(mark)};
        }
    }
    span_index_make(spans, count, arena, ret_index);
}

void compilations_find(struct profile *profile)
{
    marks_index(profile->planes, profile->plane_count, MARK_COMPILE, profile->arena,
                &profile->compiling);
}

/* ---- evidence -------------------------------------------------------------------------------- */

/* The span that made the row as long as it is. */
static const struct step_span *slowest_span(const struct step_row *row)
{
    for (size_t i = 0; i < row->span_count; i++) {
        if (row->spans[i].device == row->slowest && row->spans[i].duration_ps == row->max_ps)
            return &row->spans[i];
    }
    return &row->spans[0];
}

/* Of a step number and of what is of a step and begins with its number, for bsearch. */
static int number_order(const void *number, const void *of_step)
{
    int64_t wanted = *(const int64_t *)number, has = *(const int64_t *)of_step;
    return (wanted > has) - (wanted < has);
}
_Static_assert(offsetof(struct host_step, number) == 0 && offsetof(struct warmup_mark, number) == 0,
               "number_order reads the number first");

/* Whether the host annotated a step of the row's number; *span: from its begin, or the end of the
 * one before, to its end. */
static bool annotated_span(const struct host_step_list *list, int64_t number,
                           struct time_span *span)
{
    const struct host_step *step = list->count == 0 ? NULL
                                                    : bsearch(&number, list->items, list->count,
                                                              sizeof *list->items, number_order);
    if (step == NULL)
        return false;
    *span = (struct time_span){step->start_ps, step->end_ps};
    if (step > list->items && step[-1].end_ps < step->start_ps)
        span->start_ps = step[-1].end_ps;
    return true;
}

/* From the end of the step before to its own: what the host does before a device begins is in no
 * step of the device. The first one begins with its annotation, if any. */
static struct time_span span_with_gap(struct profile *profile, const struct step_table *table,
                                      size_t at)
{
    const struct step_row *row = &table->rows[at];
    const struct step_span *own = slowest_span(row);
    struct time_span span = {own->start_ps, own->start_ps};
    ps_add(&span.end_ps, own->duration_ps);
    if (at > 0 && row->slowest != UINT32_MAX) {
        const struct step_span *last = slowest_span(&table->rows[at - 1]);
        int64_t end = last->start_ps;
        ps_add(&end, last->duration_ps);
        span.start_ps = end < span.start_ps ? end : span.start_ps;
    }
    const bool annotated = step_method_has_numbers(table->method) && steps_are_annotated(profile);
    for (size_t s = 0; at == 0 && annotated && s < profile->space_count; s++) {
        struct time_span called;
        if (annotated_span(steps_of_host(profile, &profile->spaces[s]), row->number, &called) &&
            called.start_ps < span.start_ps)
            span.start_ps = called.start_ps;
    }
    return span;
}

/* What is known of the rows but for how idle their devices were. A compilation on the host makes
 * the way from the step before to this one longer, where steps wait for the host. A run of a
 * program does not: what it waited for came before. */
static struct warmup_step *evidence_of(struct profile *profile, const struct step_table *table,
                                       struct arena *arena)
{
    const bool waits_for_host = table->method != STEPS_MODULE_RUN && table->method != STEPS_LAUNCH;
    struct warmup_step *evidence = arena_array(arena, struct warmup_step, table->count);
    for (size_t i = 0; i < table->count; i++) {
        evidence[i] = (struct warmup_step){.duration_ps = table->rows[i].max_ps, .idle_ps = -1};
        if (profile->compiling.count == 0 || !waits_for_host)
            continue;
        const struct time_span span = span_with_gap(profile, table, i);
        evidence[i].compile_ps = span_index_within(&profile->compiling, span.start_ps, span.end_ps);
    }
    return evidence;
}

/* Adds how idle the devices of all rows were, whose device is the number of a plane: between ops,
 * or, in steps that a line bounds, between runs of programs. */
static void idle_add(const struct profile *profile, const struct step_table *table,
                     struct arena *arena, struct warmup_step *evidence)
{
    struct span_index *runs = arena_array(arena, struct span_index, profile->plane_count);
    bool by_runs = table->method == STEPS_LINE;
    for (size_t p = 0; by_runs && p < profile->plane_count; p++)
        marks_index(&profile->planes[p], 1, MARK_MODULE, arena, &runs[p]);
    for (size_t i = 0; i < table->count; i++) {
        const struct step_span *span = slowest_span(&table->rows[i]);
        const struct window_list *windows = &profile->planes[span->device].windows;
        const size_t own =
            sorted_count(windows->count, at, windows->items[at].span_ps[0] < span->start_ps);
        int64_t busy = -1; /* not known */
        if (by_runs)
            busy = span_index_within(&runs[span->device], span->start_ps,
                                     span->start_ps + span->duration_ps);
        else if (own < windows->count && windows->items[own].span_ps[0] == span->start_ps)
            busy = windows->items[own].busy_ps;
        bool known = busy >= 0 && (!by_runs || runs[span->device].count > 0);
        int64_t idle = span->duration_ps - busy;
        evidence[i].idle_ps = !known ? -1 : idle < 0 ? 0 : idle;
    }
}

void step_compilations_mark(struct profile *profile, struct step_table *table)
{
    bool by_number = profile->compiling.count > 0 && step_method_has_numbers(table->method) &&
                     steps_are_annotated(profile);
    for (size_t i = 0; profile->compiling.count > 0 && i < table->count; i++) {
        struct step_row *row = &table->rows[i];
        struct warmup_step step = {.duration_ps = row->max_ps};
        struct time_span span;
        bool annotated = false;
        for (size_t s = 0; by_number && s < profile->space_count; s++) {
            if (!annotated_span(steps_of_host(profile, &profile->spaces[s]), row->number, &span))
                continue;
            annotated = true;
            ps_add(&step.compile_ps,
                   span_index_within(&profile->compiling, span.start_ps, span.end_ps));
        }
        if (!annotated) {
            span = span_with_gap(profile, table, i);
            step.compile_ps = span_index_within(&profile->compiling, span.start_ps, span.end_ps);
        }
        row->host_compiled = warmup_has_compiled(&step);
    }
}

/* ---- deciding -------------------------------------------------------------------------------- */

static void row_mark(struct step_row *row, const char *reason)
{
    row->warmup_reason = reason;
    row->warmup = reason != NULL;
}

/* Marks the rows by their numbers, or by the evidence of which at most `most` rows can be; a last
 * one that was cut tells nothing of the others. */
static void rows_mark(const struct profile *profile, struct step_table *table, bool cut,
                      const struct warmup_step *evidence, size_t most)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    const size_t count = table->count - cut;
    const char **reasons = arena_array(&scratch, const char *, count);
    bool fixed = warmup_is_fixed(profile, table->method);
    if (!fixed)
        warmup_find(evidence, count, most, &scratch, reasons);
    for (size_t i = 0; i < count; i++) {
        if (fixed && table->rows[i].number < profile->options->warmup_steps)
            reasons[i] = WARMUP_NUMBER;
        row_mark(&table->rows[i], reasons[i]);
    }
    if (cut)
        row_mark(&table->rows[count], WARMUP_CUT);
}

void step_warmup_read(struct profile *profile, struct step_table *table)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    const bool cut = profile->cut.left_out && table->method == STEPS_LAUNCH && table->count > 1;
    rows_mark(profile, table, cut, evidence_of(profile, table, &scratch), WARMUP_STEPS_MOST);
}

/* Whether the plane's windows are steps of a device with ops. */
static bool has_steps(const struct plane_state *state)
{
    return state->plane->is_device && plane_has_op_line(state->plane) && state->windows.count > 0;
}

/* Of rows by ascending number, those whose ops were kept apart on every device. */
static size_t rows_kept_apart(const struct profile *profile, const struct step_table *table)
{
    const struct step_window *first = NULL;
    size_t count = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct window_list *windows = &profile->planes[p].windows;
        for (size_t i = 0; i < windows->count; i++) {
            const struct step_window *window = &windows->items[i];
            if (window->head == 0 && (first == NULL || window->number < first->number))
                first = window;
        }
    }
    while (count < table->count && (first == NULL || table->rows[count].number < first->number))
        count++;
    return count;
}

/* NULL for a steady step. */
static const char *reason_of(const struct warmup_list *list, int64_t number)
{
    const struct warmup_mark *mark =
        list->count == 0 ? NULL
                         : bsearch(&number, list->items, list->count, sizeof *mark, number_order);
    return mark != NULL ? mark->reason : NULL;
}

/* ---- the end of the capture ------------------------------------------------------------------ */

/* Looks for a device on which the last row was cut: its last window ran fewer ops than each other
 * one, by a tenth and more, ended with another op than the one before, and the device ran nothing
 * behind it. */
static struct cut_step cut_find(const struct profile *profile, const struct step_table *table)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        const struct window_list *windows = &state->windows;
        int64_t least = INT64_MAX;
        if (!has_steps(state) || windows->count < 2)
            continue;
        const struct step_window *last = &windows->items[windows->count - 1];
        for (size_t i = 0; i + 1 < windows->count; i++)
            least = windows->items[i].op_count < least ? windows->items[i].op_count : least;
        if (last->span_ps[1] >= state->ops_end_ps && last->last_op != last[-1].last_op &&
            last->op_count <= least - (least + 9) / 10 &&
            last->number == table->rows[table->count - 1].number)
            return (struct cut_step){.found = true,
                                     .number = last->number,
                                     .op_count = last->op_count,
                                     .other_count = least};
    }
    return (struct cut_step){0};
}

/* ---- the decision ---------------------------------------------------------------------------- */

/* The rows of the windows of all devices, whose devices are the numbers of planes. */
static struct step_table windows_table(const struct profile *profile, struct arena *arena)
{
    struct step_table table = {.method = profile->step_method};
    size_t most = 0, count = 0;
    for (size_t p = 0; p < profile->plane_count; p++)
        most += profile->planes[p].windows.count;
    struct numbered_span *spans = arena_array(arena, struct numbered_span, most);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; has_steps(state) && i < state->windows.count; i++) {
            const struct step_window *window = &state->windows.items[i];
            spans[count++] =
                (struct numbered_span){window->number,
                                       {(uint32_t)p, window->span_ps[0],
                                        ps_between(window->span_ps[0], window->span_ps[1])}};
        }
    }
    step_rows_make(spans, count, arena, &table);
    return table;
}

void step_warmup_decide(struct profile *profile)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    struct step_table table = windows_table(profile, &scratch);
    struct warmup_step *evidence = evidence_of(profile, &table, &scratch);
    const bool by_ops = table.method == STEPS_ANNOTATION || table.method == STEPS_LAUNCH;
    size_t most = WARMUP_STEPS_MOST;
    if (by_ops && !warmup_is_fixed(profile, table.method)) {
        size_t apart = rows_kept_apart(profile, &table);
        most = apart < most ? apart : most;
        if (table.count > 0)
            profile->cut = cut_find(profile, &table);
        profile->cut.left_out = profile->cut.found && apart == table.count;
    }
    idle_add(profile, &table, &scratch, evidence);
    rows_mark(profile, &table, profile->cut.left_out, evidence, most);

    struct warmup_list *list = &profile->warmup;
    list->count = 0;
    list->items = arena_array(profile->arena, struct warmup_mark, table.count);
    for (size_t i = 0; i < table.count; i++) {
        if (table.rows[i].warmup)
            list->items[list->count++] =
                (struct warmup_mark){table.rows[i].number, table.rows[i].warmup_reason};
    }
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct window_list *windows = &profile->planes[p].windows;
        for (size_t i = 0; i < windows->count; i++)
            windows->items[i].steady = reason_of(list, windows->items[i].number) == NULL;
    }
}

void step_warmup_apply(const struct profile *profile, struct step_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        row_mark(&table->rows[i], reason_of(&profile->warmup, table->rows[i].number));
}
