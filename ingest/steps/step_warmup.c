#include "ingest/steps/step_warmup.h"
#include "ingest/step_table/step_table.h"
#include "ingest/steps/host_steps.h"
#include "ingest/steps/step_windows.h"

#include <stdlib.h>

/* ---- what is known --------------------------------------------------------------------------- */

/* When marks of a kind last on planes[count]. */
static bool marks_index(const struct plane_state *planes, size_t plane_count, enum mark_kind kind,
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
            struct time_span *items = arena_grow(arena, spans, count, &capacity, sizeof *items);
            if (items == NULL)
                return false;
            spans = items;
            spans[count] = (struct time_span){mark->start_ps, mark->start_ps};
            ps_add(&spans[count++].end_ps, mark->duration_ps);
        }
    }
    return span_index_make(spans, count, arena, ret_index);
}

bool compilations_find(struct profile *profile, struct err *err)
{
    return marks_index(profile->planes, profile->plane_count, MARK_COMPILE, profile->arena,
                       &profile->compiling) ||
           arena_failed(profile->arena, "the steps of a profile", err);
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
static bool span_with_gap(struct profile *profile, const struct step_table *table, size_t at,
                          struct time_span *ret_span, struct err *err)
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
        const struct host_step_list *list = steps_of_host(profile, &profile->spaces[s], err);
        if (list == NULL)
            return false;
        if (annotated_span(list, row->number, &called) && called.start_ps < span.start_ps)
            span.start_ps = called.start_ps;
    }
    *ret_span = span;
    return true;
}

/* A compilation on the host makes the way from the step before to this one longer, where steps wait
 * for the host. A run of a program does not: what it waited for came before. */
static bool waits_for_host(enum step_method method)
{
    return method != STEPS_MODULE_RUN && method != STEPS_LAUNCH;
}

/* What is known of the rows but for how idle their devices were; NULL with ERR_LIMIT. */
static struct warmup_step *evidence_of(struct profile *profile, const struct step_table *table,
                                       struct arena *arena, struct err *err)
{
    struct warmup_step *evidence = arena_array(arena, struct warmup_step, table->count);
    for (size_t i = 0; evidence != NULL && i < table->count; i++) {
        struct time_span span;
        evidence[i] = (struct warmup_step){.duration_ps = table->rows[i].max_ps, .idle_ps = -1};
        if (profile->compiling.count == 0 || !waits_for_host(table->method))
            continue;
        if (!span_with_gap(profile, table, i, &span, err))
            return NULL;
        evidence[i].compile_ps = span_index_within(&profile->compiling, span.start_ps, span.end_ps);
    }
    if (evidence == NULL)
        (void)arena_failed(arena, "the steps of a profile", err);
    return evidence;
}

/* How long the device of a window that begins then was busy, by its ops; -1 = not known. */
static int64_t busy_by_ops(const struct window_list *windows, const struct step_span *span)
{
    size_t low = 0, high = windows->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (windows->items[middle].span_ps[0] < span->start_ps)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < windows->count && windows->items[low].span_ps[0] == span->start_ps;
    return found ? windows->items[low].busy_ps : -1;
}

/* Adds how idle the devices of all rows were, whose device is the number of a plane: between ops,
 * or, in steps that a line bounds, between runs of programs. false beyond the budget. */
static bool idle_add(const struct profile *profile, const struct step_table *table,
                     struct arena *arena, struct warmup_step *evidence)
{
    struct span_index *runs = arena_array(arena, struct span_index, profile->plane_count);
    bool by_runs = table->method == STEPS_LINE;
    for (size_t p = 0; by_runs && runs != NULL && p < profile->plane_count; p++) {
        if (!marks_index(&profile->planes[p], 1, MARK_MODULE, arena, &runs[p]))
            return false;
    }
    for (size_t i = 0; runs != NULL && i < table->count; i++) {
        const struct step_span *span = slowest_span(&table->rows[i]);
        int64_t busy = by_runs ? span_index_within(&runs[span->device], span->start_ps,
                                                   span->start_ps + span->duration_ps)
                               : busy_by_ops(&profile->planes[span->device].windows, span);
        bool known = busy >= 0 && (!by_runs || runs[span->device].count > 0);
        int64_t idle = span->duration_ps - busy;
        evidence[i].idle_ps = !known ? -1 : idle < 0 ? 0 : idle;
    }
    return runs != NULL;
}

bool step_compilations_mark(struct profile *profile, struct step_table *table, struct err *err)
{
    bool by_number = profile->compiling.count > 0 && step_method_has_numbers(table->method) &&
                     steps_are_annotated(profile);
    for (size_t i = 0; profile->compiling.count > 0 && i < table->count; i++) {
        struct step_row *row = &table->rows[i];
        struct warmup_step step = {.duration_ps = row->max_ps};
        bool annotated = false;
        for (size_t s = 0; by_number && s < profile->space_count; s++) {
            struct time_span span;
            const struct host_step_list *list = steps_of_host(profile, &profile->spaces[s], err);
            if (list == NULL)
                return false;
            if (!annotated_span(list, row->number, &span))
                continue;
            annotated = true;
            ps_add(&step.compile_ps,
                   span_index_within(&profile->compiling, span.start_ps, span.end_ps));
        }
        struct time_span own;
        if (!span_with_gap(profile, table, i, &own, err))
            return false;
        if (!annotated)
            step.compile_ps = span_index_within(&profile->compiling, own.start_ps, own.end_ps);
        row->host_compiled = warmup_has_compiled(&step);
    }
    return true;
}

/* ---- deciding -------------------------------------------------------------------------------- */

static void row_mark(struct step_row *row, const char *reason)
{
    row->warmup_reason = reason;
    row->warmup = reason != NULL;
}

/* Marks the rows by their numbers, or by the evidence of which at most `most` rows can be. */
static bool rows_mark(const struct profile *profile, struct step_table *table,
                      const struct warmup_step *evidence, size_t most, struct arena *arena)
{
    const char **reasons = arena_array(arena, const char *, table->count);
    bool fixed = warmup_is_fixed(profile, table->method);
    if (reasons == NULL || (!fixed && !warmup_find(evidence, table->count, most, arena, reasons)))
        return false;
    for (size_t i = 0; i < table->count; i++) {
        if (fixed && table->rows[i].number < profile->options->warmup_steps)
            reasons[i] = WARMUP_NUMBER;
        row_mark(&table->rows[i], reasons[i]);
    }
    return true;
}

bool step_warmup_read(struct profile *profile, struct step_table *table, struct err *err)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    const struct warmup_step *evidence = evidence_of(profile, table, &scratch, err);
    if (evidence == NULL)
        return false;
    const bool cut = profile->cut.left_out && table->method == STEPS_LAUNCH && table->count > 1;
    table->count -= cut;
    const bool marked = rows_mark(profile, table, evidence, WARMUP_STEPS_MOST, &scratch);
    table->count += cut;
    if (cut)
        row_mark(&table->rows[table->count - 1], WARMUP_CUT);
    return marked || arena_failed(&scratch, "the steps of a profile", err);
}

/* Whether the plane's windows are steps of a device with ops. */
static bool has_steps(const struct plane_state *state)
{
    return state->plane->is_device && plane_has_op_line(state->plane) && state->windows.count > 0;
}

/* The spans of all windows, their devices the numbers of planes; NULL beyond the budget. */
static struct numbered_span *spans_gather(const struct profile *profile, struct arena *arena,
                                          size_t *ret_count)
{
    size_t most = 0, count = 0;
    for (size_t p = 0; p < profile->plane_count; p++)
        most += profile->planes[p].windows.count;
    struct numbered_span *spans = arena_array(arena, struct numbered_span, most);
    for (size_t p = 0; p < profile->plane_count && spans != NULL; p++) {
        const struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; has_steps(state) && i < state->windows.count; i++) {
            const struct step_window *window = &state->windows.items[i];
            spans[count++] =
                (struct numbered_span){window->number,
                                       {(uint32_t)p, window->span_ps[0],
                                        ps_between(window->span_ps[0], window->span_ps[1])}};
        }
    }
    *ret_count = count;
    return spans;
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

static bool decision_keep(struct profile *profile, const struct step_table *table)
{
    struct warmup_list *list = &profile->warmup;
    list->count = 0;
    list->items = arena_array(profile->arena, struct warmup_mark, table->count);
    for (size_t i = 0; list->items != NULL && i < table->count; i++) {
        if (table->rows[i].warmup)
            list->items[list->count++] =
                (struct warmup_mark){table->rows[i].number, table->rows[i].warmup_reason};
    }
    return list->items != NULL;
}

/* NULL for a steady step. */
static const char *reason_of(const struct warmup_list *list, int64_t number)
{
    const struct warmup_mark *mark =
        list->count == 0 ? NULL
                         : bsearch(&number, list->items, list->count, sizeof *mark, number_order);
    return mark != NULL ? mark->reason : NULL;
}

static void windows_mark(struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct window_list *windows = &profile->planes[p].windows;
        for (size_t i = 0; i < windows->count; i++)
            windows->items[i].steady =
                reason_of(&profile->warmup, windows->items[i].number) == NULL;
    }
}

/* ---- the end of the capture ------------------------------------------------------------------ */

/* Whether the last window of a device ran fewer ops than each other one, by a tenth and more, ended
 * with another op than the one before, and the device ran nothing behind it. */
static bool window_was_cut(const struct plane_state *state, struct cut_step *ret_cut)
{
    const struct window_list *windows = &state->windows;
    int64_t least = INT64_MAX;
    if (windows->count < 2)
        return false;
    const struct step_window *last = &windows->items[windows->count - 1];
    for (size_t i = 0; i + 1 < windows->count; i++)
        least = windows->items[i].op_count < least ? windows->items[i].op_count : least;
    *ret_cut = (struct cut_step){
        .found = last->span_ps[1] >= state->ops_end_ps && last->last_op != last[-1].last_op &&
                 last->op_count <= least - (least + 9) / 10,
        .number = last->number,
        .op_count = last->op_count,
        .other_count = least,
    };
    return ret_cut->found;
}

/* Looks for a device on which the last row was cut. */
static struct cut_step cut_find(const struct profile *profile, const struct step_table *table)
{
    struct cut_step cut;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        if (has_steps(state) && window_was_cut(state, &cut) &&
            cut.number == table->rows[table->count - 1].number)
            return cut;
    }
    return (struct cut_step){0};
}

/* ---- the decision ---------------------------------------------------------------------------- */

bool step_warmup_decide(struct profile *profile, struct err *err)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    struct step_table table = {.method = profile->step_method};
    size_t count, most = WARMUP_STEPS_MOST;
    struct numbered_span *spans = spans_gather(profile, &scratch, &count);
    if (spans == NULL)
        return arena_failed(&scratch, "the steps of a profile", err);
    if (!step_rows_make(spans, count, &scratch, &table, err))
        return false;
    struct warmup_step *evidence = evidence_of(profile, &table, &scratch, err);
    if (evidence == NULL)
        return false;
    bool by_ops = table.method == STEPS_ANNOTATION || table.method == STEPS_LAUNCH;
    if (by_ops && !warmup_is_fixed(profile, table.method)) {
        size_t apart = rows_kept_apart(profile, &table);
        most = apart < most ? apart : most;
        if (table.count > 0)
            profile->cut = cut_find(profile, &table);
        profile->cut.left_out = profile->cut.found && apart == table.count;
    }
    if (!idle_add(profile, &table, &scratch, evidence))
        return arena_failed(&scratch, "the steps of a profile", err);
    table.count -= profile->cut.left_out; /* what was cut tells nothing of the others */
    if (!rows_mark(profile, &table, evidence, most, &scratch))
        return arena_failed(&scratch, "the steps of a profile", err);
    table.count += profile->cut.left_out;
    if (profile->cut.left_out)
        row_mark(&table.rows[table.count - 1], WARMUP_CUT);
    if (!decision_keep(profile, &table))
        return arena_failed(profile->arena, "the steps of a profile", err);
    windows_mark(profile);
    return true;
}

void step_warmup_apply(const struct profile *profile, struct step_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        row_mark(&table->rows[i], reason_of(&profile->warmup, table->rows[i].number));
}
