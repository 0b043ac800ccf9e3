/* Which ops a change of the step time is made of: the medians of each op before and after it. */
#include "compare/statistics/statistics.h"
#include "history/reading/reading.h"
#include "ops/flow/reports/making.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_RUNS = 15, OPS_SHOWN = 6 };

/* Of the change of the step: what explains less is noise beside it. */
static const double op_least_part = .04;

static const double op_least_share = .001; /* of the time of all ops */

/* The runs nearest to the change on both sides, before[0..) and then after. */
struct sides {
    int64_t *ids;
    size_t before, count;
};

static bool sides_choose(const struct report_around *around, struct arena *arena,
                         struct sides *ret_sides)
{
    size_t before = around->after - around->level_from + 1, after;
    after = around->level_end > around->until ? around->level_end - around->until : 0;
    before = before < SIDE_RUNS ? before : SIDE_RUNS;
    after = after < SIDE_RUNS ? after : SIDE_RUNS;
    struct sides sides = {arena_array(arena, int64_t, before + after), before, before + after};
    for (size_t i = 0; sides.ids != NULL && i < sides.count; i++) {
        size_t run = i < before ? around->after + 1 - before + i : around->until + i - before;
        sides.ids[i] = trends_number(around->runs->points[run]->profile_id);
    }
    *ret_sides = sides;
    return sides.ids != NULL;
}

/* NAN where no run of the side tells its ops. */
static double side_median(const struct op_points *op, const bool *told, size_t from, size_t end)
{
    double values[SIDE_RUNS];
    size_t count = 0;
    for (size_t i = from; i < end; i++)
        if (told[i])
            values[count++] = op->us[i];
    stats_sort(values, count);
    return count > 0 ? stats_quantile(values, count, .5) : NAN;
}

static int larger_first(const void *left, const void *right)
{
    const struct report_op *a = left, *b = right;
    double by_a = fabs(a->delta_us), by_b = fabs(b->delta_us);
    return by_a != by_b ? (by_a > by_b ? -1 : 1) : strcmp(a->signature, b->signature);
}

/* The ops that are named, and all else of the step. */
static bool parts_fill(struct report_making *making, struct report_change *change)
{
    struct report_part rest = {"everything else", change->before, change->after};
    change->parts = arena_array(making->arena, struct report_part, change->op_count + 1);
    if (change->parts == NULL)
        return false;
    for (size_t i = 0; i < change->op_count; i++) {
        const struct report_op *op = &change->ops[i];
        change->parts[change->part_count++] =
            (struct report_part){op->name, op->before_us, op->after_us};
        rest.before_us -= op->before_us;
        rest.after_us -= op->after_us;
    }
    change->parts[change->part_count++] = rest;
    return true;
}

bool report_ops_explain(struct report_making *making, const struct report_around *around,
                        struct report_change *change, struct err *err)
{
    struct sides sides;
    struct op_points_list found;
    if (strcmp(change->measure, measure_rows[MEASURE_steady_step_median].name) != 0)
        return true;
    if (!sides_choose(around, making->scratch, &sides))
        return arena_failed(making->scratch, "a report", err);
    if (!ledger_op_points(making->db, (struct profile_numbers){sides.ids, sides.count},
                          op_least_share, making->scratch, &found, err))
        return false;
    struct report_op *ops = arena_array(making->scratch, struct report_op, found.count);
    double moved = change->after - change->before;
    size_t count = 0;
    if (ops == NULL)
        return arena_failed(making->scratch, "a report", err);
    for (size_t i = 0; i < found.count; i++) {
        const struct op_points *op = &found.items[i];
        double before = side_median(op, found.told, 0, sides.before);
        double after = side_median(op, found.told, sides.before, sides.count);
        if (isfinite(after - before) && fabs(after - before) >= op_least_part * fabs(moved))
            ops[count++] = (struct report_op){
                .name = op->name,
                .signature = op->signature,
                .before_us = before,
                .after_us = after,
                .delta_us = after - before,
                .share_pct = some_f64(100 * (after - before) / moved),
            };
    }
    if (count > 1)
        qsort(ops, count, sizeof *ops, larger_first);
    count = count < OPS_SHOWN ? count : OPS_SHOWN;
    change->ops = arena_array(making->arena, struct report_op, count);
    if (change->ops == NULL)
        return arena_failed(making->arena, "a report", err);
    for (; change->op_count < count; change->op_count++) {
        struct report_op *op = &change->ops[change->op_count];
        *op = ops[change->op_count];
        op->name = arena_strdup(making->arena, op->name);
        op->signature = arena_strdup(making->arena, op->signature);
    }
    return count == 0 || parts_fill(making, change) || arena_failed(making->arena, "a report", err);
}
