/* Implements the notes of a comparison. */
#include "compare/reference/comparison_notes.h"

enum { NOTES_MOST = 2 }; /* one of each side */

static bool is_cut(const struct summary *summary)
{
    const int64_t limit = summary->producer.hot_op_limit;
    return summary->has_ours && (limit < 0 || (uint64_t)limit <= summary->hot_op_count);
}

struct opt_f64 unlisted_op_most(const struct summary *summary)
{
    if (!is_cut(summary) || summary->hot_op_count == 0)
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

/* Adds what is to be said of one side. false beyond the budget. */
static bool side_note(struct comparison *comparison, const struct summary *summary, bool after,
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
    else
        return true;
    comparison->notes.items[comparison->notes.count++] = text;
    return text != NULL;
}

bool comparison_notes_make(const struct summary *before, const struct summary *after,
                           struct arena *arena, struct comparison *comparison, struct err *err)
{
    const size_t rows = comparison->regressed_op_count + comparison->improved_op_count;
    comparison->notes = (struct string_list){arena_array(arena, const char *, NOTES_MOST), 0};
    comparison->unlisted_ops = arena_array(arena, struct unlisted_op, 2 * rows);
    if (comparison->notes.items == NULL || comparison->unlisted_ops == NULL ||
        !side_note(comparison, before, false, arena) || !side_note(comparison, after, true, arena))
        return arena_failed(arena, "the comparison", err);
    comparison->has_notes = comparison->notes.count > 0;
    return true;
}
