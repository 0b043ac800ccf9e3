/* Implements the comparison of two summaries. */
#include "compare/reference/comparison.h"

#include "compare/reference/family_delta.h"
#include "compare/reference/memory_delta.h"
#include "compare/reference/provenance_checks.h"

#include <stdlib.h>
#include <string.h>

static struct opt_f64 difference(struct opt_f64 before, struct opt_f64 after)
{
    return before.set && after.set ? some_f64(after.value - before.value) : (struct opt_f64){0};
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* What the figures do not tell, beside the reference's document: of summaries that other tools
 * wrote there is nothing to say, as they do not tell what they left out. */
enum { NOTES_MOST = 2 }; /* one of each side */

/* The exclusive time, in µs, that an op which the summary does not list took at most: that of the
 * last one listed. Absent where all ops are listed, or nothing is known. */
static struct opt_f64 unlisted_op_most(const struct summary *summary)
{
    const int64_t limit = summary->producer.hot_op_limit;
    if (!summary->has_ours || (limit >= 0 && (uint64_t)limit > summary->hot_op_count) ||
        summary->hot_op_count == 0)
        return (struct opt_f64){0};
    return some_f64(summary->hot_ops[summary->hot_op_count - 1].exclusive_duration);
}

/* Adds the rows' ops that the side does not list; returns how many. */
static size_t unlisted_add(struct comparison *comparison, const struct op_delta *rows, size_t count,
                           bool after)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct opt_f64 most = after ? rows[i].after_at_most : rows[i].before_at_most;
        if (!most.set)
            continue;
        comparison->unlisted_ops[comparison->unlisted_op_count++] =
            (struct unlisted_op){rows[i].name, after ? "after" : "before", most.value};
        found++;
    }
    return found;
}

/* Adds what is to be said of one side. */
static void side_note(struct comparison *comparison, const struct summary *summary, bool after,
                      struct arena *arena)
{
    const char *side = after ? "after" : "before", *text = NULL;
    const size_t count =
        unlisted_add(comparison, comparison->regressed_ops, comparison->regressed_op_count, after) +
        unlisted_add(comparison, comparison->improved_ops, comparison->improved_op_count, after);
    if (summary_is_memory(summary))
        text = arena_printf(arena,
                            "The side %s is a device memory profile alone, which tells no times: "
                            "none are compared.",
                            side);
    else if (count > 0)
        text = arena_printf(arena,
                            "%zu of the ops here %s not among the %zu hottest of the side %s: "
                            "nobody knows that they took 0 there, only that each took %.3f us at "
                            "most (unlisted_ops).",
                            count, count == 1 ? "is" : "are", summary->hot_op_count, side,
                            unlisted_op_most(summary).value);
    if (text != NULL)
        comparison->notes.items[comparison->notes.count++] = text;
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* A hot op of one side on its way into a row; rank orders sides and positions of one name. */
struct sided_op {
    const struct hot_op *op;
    size_t rank;
    bool is_after;
};

static int op_name_order(const void *left, const void *right)
{
    const struct sided_op *a = left, *b = right;
    int order = strcmp(a->op->name, b->op->name);
    return order != 0 ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static int slower_order(const void *left, const void *right)
{
    const struct op_delta *a = left, *b = right;
    if (a->delta != b->delta)
        return a->delta > b->delta ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int faster_order(const void *left, const void *right)
{
    const struct op_delta *a = left, *b = right;
    if (a->delta != b->delta)
        return a->delta < b->delta ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Copies the rows whose delta has the sign, sorts them, returns how many are shown: the length of
 * a Python slice [:top_k]. */
static size_t op_rows_pick(const struct op_delta *rows, size_t count, bool slower, int64_t top_k,
                           struct op_delta *picked)
{
    size_t picked_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (slower ? rows[i].delta > 0 : rows[i].delta < 0)
            picked[picked_count++] = rows[i];
    }
    if (picked_count > 1)
        qsort(picked, picked_count, sizeof *picked, slower ? slower_order : faster_order);
    if (top_k >= 0)
        return (uint64_t)top_k < picked_count ? (size_t)top_k : picked_count;
    uint64_t dropped = (uint64_t)0 - (uint64_t)top_k;
    return dropped < picked_count ? picked_count - (size_t)dropped : 0;
}

static void ops_compare(const struct summary *before, const struct summary *after, int64_t top_k,
                        struct arena *arena, struct comparison *out)
{
    size_t count = before->hot_op_count + after->hot_op_count;
    struct sided_op *ops = arena_array(arena, struct sided_op, count);
    struct op_delta *rows = arena_array(arena, struct op_delta, count);
    out->regressed_ops = arena_array(arena, struct op_delta, count);
    out->improved_ops = arena_array(arena, struct op_delta, count);
    for (size_t i = 0; i < count; i++) {
        bool is_after = i >= before->hot_op_count;
        const struct hot_op *op =
            is_after ? &after->hot_ops[i - before->hot_op_count] : &before->hot_ops[i];
        ops[i] = (struct sided_op){op, i, is_after};
    }
    if (count > 1)
        qsort(ops, count, sizeof *ops, op_name_order);
    const struct opt_f64 unlisted[] = {unlisted_op_most(before), unlisted_op_most(after)};
    size_t row_count = 0;
    /* one row per name; of ops with the same name on a side the last one counts */
    for (size_t i = 0; i < count; i++) {
        const char *name = ops[i].op->name;
        if (row_count == 0 || strcmp(rows[row_count - 1].name, name) != 0)
            rows[row_count++] = (struct op_delta){
                .name = name, .before_at_most = unlisted[0], .after_at_most = unlisted[1]};
        struct op_delta *row = &rows[row_count - 1];
        *(ops[i].is_after ? &row->after : &row->before) = ops[i].op->exclusive_duration;
        *(ops[i].is_after ? &row->after_at_most : &row->before_at_most) = (struct opt_f64){0};
        row->delta = row->after - row->before;
    }
    out->regressed_op_count = op_rows_pick(rows, row_count, true, top_k, out->regressed_ops);
    out->improved_op_count = op_rows_pick(rows, row_count, false, top_k, out->improved_ops);
}

/* ---- step classes ---------------------------------------------------------------------------- */

static struct step_class_row *class_rows(const struct step_time *step_time, struct arena *arena)
{
    struct step_class_row *rows = arena_array(arena, struct step_class_row, step_time->class_count);
    for (size_t i = 0; i < step_time->class_count; i++) {
        const struct step_class *class = &step_time->classes[i];
        rows[i] = (struct step_class_row){
            .name = class->name,
            .count = class->count,
            .fraction_of_steady = class->fraction_of_steady,
            .median_duration = class->stats.median,
            .p90_duration = class->stats.p90,
            .representative_step = class->representative_step,
            .representative_duration = class->representative_duration,
            .periodicity = class->periodicity,
        };
    }
    return rows;
}

/* A class of one side on its way into a delta; rank orders sides and positions of one name. */
struct sided_class {
    const struct step_class_row *row;
    size_t rank;
    bool is_after;
};

static int class_name_order(const void *left, const void *right)
{
    const struct sided_class *a = left, *b = right;
    int order = strcmp(a->row->name, b->row->name);
    return order != 0 ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static void classes_compare(const struct step_time *before, const struct step_time *after,
                            struct arena *arena, struct step_classes *out)
{
    out->before = class_rows(before, arena);
    out->before_count = before->class_count;
    out->after = class_rows(after, arena);
    out->after_count = after->class_count;
    size_t count = out->before_count + out->after_count;
    out->delta = arena_array(arena, struct step_class_delta, count);
    struct sided_class *classes = arena_array(arena, struct sided_class, count);
    for (size_t i = 0; i < count; i++) {
        bool is_after = i >= out->before_count;
        classes[i] = (struct sided_class){
            is_after ? &out->after[i - out->before_count] : &out->before[i], i, is_after};
    }
    if (count > 1)
        qsort(classes, count, sizeof *classes, class_name_order);
    /* one delta per name; of classes with the same name on a side the last one counts */
    for (size_t i = 0; i < count; i++) {
        const struct step_class_row *row = classes[i].row;
        bool is_after = classes[i].is_after;
        if (out->delta_count == 0 || strcmp(out->delta[out->delta_count - 1].name, row->name) != 0)
            out->delta[out->delta_count++] = (struct step_class_delta){.name = row->name};
        struct step_class_delta *delta = &out->delta[out->delta_count - 1];
        *(is_after ? &delta->after_count : &delta->before_count) = row->count;
        *(is_after ? &delta->after_fraction : &delta->before_fraction) = row->fraction_of_steady;
        *(is_after ? &delta->median_after : &delta->median_before) = row->median_duration;
        delta->median_delta = difference(delta->median_before, delta->median_after);
        delta->median_regression_pct = change_percent(delta->median_before, delta->median_after);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct opt_f64 share_change(const struct summary *before, const struct summary *after,
                                   enum breakdown_part part)
{
    return some_f64(after->time_breakdown.part[part].share_of_total -
                    before->time_breakdown.part[part].share_of_total);
}

bool comparison_make(const struct summary *before, const struct summary *after, int64_t top_k,
                     struct arena *arena, struct comparison *ret_comparison, struct err *err)
{
    struct comparison out = {.before_source = before->source_path,
                             .after_source = after->source_path,
                             .provenance_checks = provenance_checks_make(before, after, arena),
                             .has_memory = before->has_memory && after->has_memory};
    if (!summary_is_memory(before) && !summary_is_memory(after)) {
        const struct duration_stats *old = &before->step_time.steady_state_steps;
        const struct duration_stats *new = &after->step_time.steady_state_steps;
        out.step_time = (struct step_time_delta){
            .steady_state_median_before = old->median,
            .steady_state_median_after = new->median,
            .steady_state_median_delta = difference(old->median, new->median),
            .steady_state_p90_before = old->p90,
            .steady_state_p90_after = new->p90,
            .steady_state_p90_delta = difference(old->p90, new->p90),
        };
        out.time_breakdown_share_delta = (struct share_delta){
            .compute = share_change(before, after, PART_COMPUTE),
            .communication = share_change(before, after, PART_COMMUNICATION),
            .host = share_change(before, after, PART_HOST),
            .stall = share_change(before, after, PART_STALL),
            .other = share_change(before, after, PART_OTHER),
        };
        family_deltas_make(before, after, arena, &out);
        ops_compare(before, after, top_k, arena, &out);
        classes_compare(&before->step_time, &after->step_time, arena, &out.step_classes);
    }
    if (out.has_memory)
        out.memory = memory_delta_make(&before->memory, &after->memory, arena);
    out.notes.items = arena_array(arena, const char *, NOTES_MOST);
    out.unlisted_ops = arena_array(arena, struct unlisted_op,
                                   2 * (out.regressed_op_count + out.improved_op_count));
    side_note(&out, before, false, arena);
    side_note(&out, after, true, arena);
    out.has_notes = out.notes.count > 0;
    *ret_comparison = out;
    return arena_ok(arena, "the comparison", err);
}
