/* What a change of the step time is made of: the medians of each op and of each category of ops
 * before and after it, and how long steps took. */
#include "ops/flow/trends/explaining.h"

#include "compare/statistics/statistics.h"
#include "history/reading/reading.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_RUNS = 15, OPS_SHOWN = 6 };

/* Of the change of the step: what explains less is noise beside it. */
static const double op_least_part = .04;

static const double op_least_share = .001; /* of the time of all ops */

struct explaining {
    struct db *db;
    struct arena *scratch, *arena; /* of the work, of what is kept */
    struct report_change *change;
};

/* The runs nearest to the change on both sides, before[0..) and then after. */
struct sides {
    int64_t *ids;
    size_t before, count;
};

static bool sides_choose(const struct change_around *around, struct arena *arena,
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

/* Of the runs that tell their ops. NAN where no run of the side does. */
static double side_median(const double *us, const bool *told, size_t from, size_t end)
{
    double values[SIDE_RUNS];
    size_t count = 0;
    for (size_t i = from; i < end; i++)
        if (told[i])
            values[count++] = us[i];
    stats_sort(values, count);
    return count > 0 ? stats_quantile(values, count, .5) : NAN;
}

static int larger_first(const void *left, const void *right)
{
    const struct report_op *a = left, *b = right;
    double by_a = fabs(a->delta_us), by_b = fabs(b->delta_us);
    return by_a != by_b ? (by_a > by_b ? -1 : 1) : strcmp(a->signature, b->signature);
}

/* What parts leave of the step, of which nothing takes less than no time. Ops beside each other,
 * and means beside a median, may be more than the step: that is a line of its own, to be taken off.
 * Returns how many were added. */
static size_t rest_add(struct report_part rest, struct report_part *parts)
{
    bool is_beyond = rest.before_us < 0 || rest.after_us < 0;
    parts[0] = (struct report_part){rest.name, fmax(rest.before_us, 0), fmax(rest.after_us, 0)};
    if (is_beyond)
        parts[1] = (struct report_part){REPORT_PART_BEYOND, fmin(rest.before_us, 0),
                                        fmin(rest.after_us, 0)};
    return is_beyond ? 2 : 1;
}

/* The ops that are named, and all else of the step. */
static bool parts_fill(struct explaining *explaining)
{
    struct report_change *change = explaining->change;
    struct report_part rest = {"everything else", change->before, change->after};
    change->parts = arena_array(explaining->arena, struct report_part, change->op_count + 2);
    if (change->parts == NULL)
        return false;
    for (size_t i = 0; i < change->op_count; i++) {
        const struct report_op *op = &change->ops[i];
        change->parts[change->part_count++] =
            (struct report_part){op->name, op->before_us, op->after_us};
        rest.before_us -= op->before_us;
        rest.after_us -= op->after_us;
    }
    change->part_count += rest_add(rest, change->parts + change->part_count);
    return true;
}

static bool ops_fill(struct explaining *explaining, const struct sides *sides,
                     const struct op_points_list *found, struct err *err)
{
    struct report_change *change = explaining->change;
    struct report_op *ops = arena_array(explaining->scratch, struct report_op, found->count);
    double moved = change->after - change->before;
    size_t count = 0;
    if (ops == NULL)
        return arena_failed(explaining->scratch, "what a change is made of", err);
    for (size_t i = 0; i < found->count; i++) {
        const struct op_points *op = &found->items[i];
        double before = side_median(op->us, found->told, 0, sides->before);
        double after = side_median(op->us, found->told, sides->before, sides->count);
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
    change->ops = arena_array(explaining->arena, struct report_op, count);
    if (change->ops == NULL)
        return arena_failed(explaining->arena, "what a change is made of", err);
    for (; change->op_count < count; change->op_count++) {
        struct report_op *op = &change->ops[change->op_count];
        *op = ops[change->op_count];
        op->name = arena_strdup(explaining->arena, op->name);
        op->signature = arena_strdup(explaining->arena, op->signature);
    }
    return count == 0 || parts_fill(explaining) ||
           arena_failed(explaining->arena, "what a change is made of", err);
}

/* ---- where the step's time goes -------------------------------------------------------------- */

/* The time of all its ops in each run. */
struct category {
    const char *name;
    double *us;
};

static const char unnamed[] = "without a category";

/* Ops of each category together; NULL beyond the budget. */
static struct category *categories_sum(const struct op_points_list *found, size_t run_count,
                                       struct arena *arena, size_t *ret_count)
{
    struct category *categories = arena_array(arena, struct category, found->count);
    *ret_count = 0;
    for (size_t i = 0; categories != NULL && i < found->count; i++) {
        const char *name = found->items[i].category;
        size_t at = 0;
        name = name != NULL && name[0] != '\0' ? name : unnamed;
        while (at < *ret_count && strcmp(categories[at].name, name) != 0)
            at++;
        if (at == *ret_count) {
            categories[at] = (struct category){name, arena_array(arena, double, run_count)};
            if (categories[at].us == NULL)
                return NULL;
            ++*ret_count;
        }
        for (size_t run = 0; run < run_count; run++)
            categories[at].us[run] += found->items[i].us[run];
    }
    return categories;
}

static int part_order(const void *left, const void *right)
{
    const struct report_part *a = left, *b = right;
    double by_a = fmax(a->before_us, a->after_us), by_b = fmax(b->before_us, b->after_us);
    return by_a != by_b ? (by_a > by_b ? -1 : 1) : strcmp(a->name, b->name);
}

/* Each category, and what is left of the step. Where ops run beside each other they are more than
 * the step, of which they are no parts then. */
static bool categories_fill(struct explaining *explaining, const struct sides *sides,
                            const struct op_points_list *found, struct err *err)
{
    struct report_change *change = explaining->change;
    static const double beyond_most = .02; /* of the step: medians do not add up exactly */
    size_t count;
    struct report_part rest = {"small ops, idle and all else", change->before, change->after};
    const struct category *categories =
        categories_sum(found, sides->count, explaining->scratch, &count);
    struct report_part *parts =
        categories == NULL ? NULL : arena_array(explaining->arena, struct report_part, count + 2);
    if (parts == NULL)
        return arena_failed(explaining->arena, "what a change is made of", err);
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct report_part){
            arena_strdup(explaining->arena, categories[i].name),
            side_median(categories[i].us, found->told, 0, sides->before),
            side_median(categories[i].us, found->told, sides->before, sides->count)};
        if (parts[i].name == NULL)
            return arena_failed(explaining->arena, "what a change is made of", err);
        rest.before_us -= parts[i].before_us;
        rest.after_us -= parts[i].after_us;
    }
    bool are_parts = count > 0 && rest.before_us >= -beyond_most * change->before &&
                     rest.after_us >= -beyond_most * change->after; /* false of NAN, too */
    if (!are_parts)
        return true;
    qsort(parts, count, sizeof *parts, part_order);
    change->categories = parts;
    change->category_count = count + rest_add(rest, parts + count);
    return true;
}

/* ---- how long steps took --------------------------------------------------------------------- */

static bool steps_fill(struct explaining *explaining, const struct sides *sides, struct err *err)
{
    struct report_change *change = explaining->change;
    struct steady_steps found;
    struct step_bin_list bins;
    if (!ledger_steady_steps(explaining->db, (struct profile_numbers){sides->ids, sides->count},
                             explaining->scratch, &found, err))
        return false;
    struct step_times steps = {found.us, 0, found.count};
    for (size_t i = 0; i < sides->before; i++)
        steps.before += found.count_of[i];
    if (!step_bins_make(&steps, explaining->scratch, &bins))
        return arena_failed(explaining->scratch, "what a change is made of", err);
    change->step_bins = arena_array(explaining->arena, struct report_step_bin, bins.count);
    if (change->step_bins == NULL)
        return arena_failed(explaining->arena, "what a change is made of", err);
    for (; change->step_bin_count < bins.count; change->step_bin_count++) {
        const struct step_bin *bin = &bins.items[change->step_bin_count];
        change->step_bins[change->step_bin_count] = (struct report_step_bin){
            bin->from_us, isfinite(bin->until_us) ? some_f64(bin->until_us) : (struct opt_f64){0},
            bin->before, bin->after};
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct change_around trends_around(const struct comparable *runs, const struct course *course,
                                   const struct course_change *change)
{
    struct change_around around = {.runs = runs,
                                   .after = comparable_place(runs, change->after_profile),
                                   .until = comparable_place(runs, change->until_profile),
                                   .level_end = runs->count};
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *other = &course->changes[i];
        if (other == change || !course_change_counts(other))
            continue;
        if (other < change)
            around.level_from = comparable_place(runs, other->until_profile);
        else if (around.level_end == runs->count)
            around.level_end = comparable_place(runs, other->after_profile) + 1;
    }
    return around;
}

bool trends_explain(struct db *db, const struct change_around *around, struct arena *scratch,
                    struct arena *arena, struct report_change *change, struct err *err)
{
    struct sides sides;
    struct op_points_list found;
    struct explaining explaining = {db, scratch, arena, change};
    if (strcmp(change->measure, measure_rows[MEASURE_steady_step_median].name) != 0)
        return true;
    if (!sides_choose(around, scratch, &sides))
        return arena_failed(scratch, "what a change is made of", err);
    return ledger_op_points(db, (struct profile_numbers){sides.ids, sides.count}, op_least_share,
                            scratch, &found, err) &&
           ops_fill(&explaining, &sides, &found, err) &&
           categories_fill(&explaining, &sides, &found, err) &&
           steps_fill(&explaining, &sides, err);
}
