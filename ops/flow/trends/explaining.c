/* What a change of the step time is made of: the medians of each op and of each category of ops
 * before and after it, and how long steps took.
 *
 * Where a level drifts the change is told as free of it, and so are its ops: each of them by its
 * own line, up to where the change lies. */
#include "ops/flow/trends/explaining.h"

#include "compare/statistics/statistics.h"
#include "history/reading/reading.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE_RUNS = 15, /* whose median counts */
    LINE_RUNS = 60, /* of a level that drifts, by which lines are drawn */
    OPS_SHOWN = 6
};

/* Of the change of the step: what explains less is noise beside it. */
static const double op_least_part = .04;

static const double op_least_share = .001; /* of the time of all ops */

struct explaining {
    struct db *db;
    struct arena *scratch, *arena; /* of the work, of what is kept */
    struct report_change *change;
};

/* The runs nearest to the change on one side of it, as numbers of those that are loaded. */
struct side {
    size_t from, end;           /* whose medians count */
    size_t line_from, line_end; /* by which the lines of a level that drifts are drawn; none */
};

/* Runs of both sides, before[0..) and then after. */
struct sides {
    int64_t *ids;
    double *places; /* from where the change lies */
    size_t count;
    struct side before, after;
    bool is_one_drift;
};

static struct sides sides_choose(const struct change_around *around, struct arena *arena)
{
    size_t old = around->after - around->level_from + 1, new, line, other;
    new = around->level_end > around->until ? around->level_end - around->until : 0;
    line = around->drifts_from <= around->after ? around->after + 1 - around->drifts_from : 0;
    other = around->drifts_end > around->until ? around->drifts_end - around->until : 0;
    line = line < LINE_RUNS ? line : LINE_RUNS;
    other = other < LINE_RUNS ? other : LINE_RUNS;
    old = old < SIDE_RUNS ? old : SIDE_RUNS;
    new = new < SIDE_RUNS ? new : SIDE_RUNS;
    size_t first = old > line ? old : line, all = first + (new > other ? new : other);
    struct sides sides = {.ids = arena_array(arena, int64_t, all),
                          .places = arena_array(arena, double, all),
                          .count = all,
                          .before = {first - old, first, first - line, first},
                          .after = {first, first + new, first, first + other},
                          .is_one_drift = around->is_one_drift};
    for (size_t i = 0; i < all; i++) {
        size_t run = i < first ? around->after + 1 - first + i : around->until + i - first;
        sides.ids[i] = trends_number(around->runs->points[run]->profile_id);
        sides.places[i] = (double)run - (double)around->at;
    }
    return sides;
}

/* Slopes between runs of one side that tell their ops, into slopes[]; returns how many. */
static size_t side_slopes(const struct sides *sides, const struct side *side, const double *us,
                          const bool *told, double *slopes)
{
    size_t count = 0;
    for (size_t i = side->line_from; i < side->line_end; i++)
        for (size_t k = i + 1; k < side->line_end && told[i]; k++)
            if (told[k])
                slopes[count++] = (us[k] - us[i]) / (sides->places[k] - sides->places[i]);
    return count;
}

static double slope_median(double *slopes, size_t count)
{
    stats_sort(slopes, count);
    return count > 0 ? stats_quantile(slopes, count, .5) : 0;
}

/* The median of the runs of the side that tell their ops, at the change. NAN where none does. */
static double side_median(const struct sides *sides, const struct side *side, const double *us,
                          const bool *told, double slope)
{
    double values[SIDE_RUNS];
    size_t count = 0;
    for (size_t i = side->from; i < side->end; i++)
        if (told[i])
            values[count++] = us[i] - slope * sides->places[i];
    stats_sort(values, count);
    if (count == 0)
        return NAN;
    return fmax(stats_quantile(values, count, .5), 0); /* a line may lead below it */
}

/* What us[] of the runs is on both sides of the change, by lines of Theil and Sen where a level
 * drifts. */
static struct report_part part_make(const struct sides *sides, const double *us, const bool *told)
{
    double slopes[LINE_RUNS * (LINE_RUNS - 1)]; /* of two sides */
    size_t count = side_slopes(sides, &sides->before, us, told, slopes);
    if (sides->is_one_drift)
        count += side_slopes(sides, &sides->after, us, told, slopes + count);
    double before = slope_median(slopes, count), after = before;
    if (!sides->is_one_drift)
        after = slope_median(slopes, side_slopes(sides, &sides->after, us, told, slopes));
    return (struct report_part){.before_us = side_median(sides, &sides->before, us, told, before),
                                .after_us = side_median(sides, &sides->after, us, told, after)};
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
static void ops_fill(struct explaining *explaining, const struct sides *sides,
                     const struct op_points_list *found)
{
    struct report_change *change = explaining->change;
    struct report_part rest = {"everything else", change->before, change->after};
    struct report_op *ops = arena_array(explaining->scratch, struct report_op, found->count);
    double moved = change->after - change->before;
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct op_points *op = &found->items[i];
        const struct report_part part = part_make(sides, op->us, found->told);
        double before = part.before_us, after = part.after_us;
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
    change->parts = arena_array(explaining->arena, struct report_part, count + 2);
    for (; change->op_count < count; change->op_count++) {
        struct report_op *op = &change->ops[change->op_count];
        *op = ops[change->op_count];
        op->name = arena_strdup(explaining->arena, op->name);
        op->signature = arena_strdup(explaining->arena, op->signature);
        change->parts[change->part_count++] =
            (struct report_part){op->name, op->before_us, op->after_us};
        rest.before_us -= op->before_us;
        rest.after_us -= op->after_us;
    }
    if (count > 0)
        change->part_count += rest_add(rest, change->parts + change->part_count);
}

/* ---- where the step's time goes -------------------------------------------------------------- */

/* The time of all its ops in each run. */
struct category {
    const char *name;
    double *us;
};

static const char unnamed[] = "without a category";

/* Ops of each category together. */
static struct category *categories_sum(const struct op_points_list *found, size_t run_count,
                                       struct arena *arena, size_t *ret_count)
{
    struct category *categories = arena_array(arena, struct category, found->count);
    *ret_count = 0;
    for (size_t i = 0; i < found->count; i++) {
        const char *name = found->items[i].category;
        size_t at = 0;
        name = name != NULL && name[0] != '\0' ? name : unnamed;
        while (at < *ret_count && strcmp(categories[at].name, name) != 0)
            at++;
        if (at == *ret_count)
            categories[(*ret_count)++] =
                (struct category){name, arena_array(arena, double, run_count)};
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
static void categories_fill(struct explaining *explaining, const struct sides *sides,
                            const struct op_points_list *found)
{
    struct report_change *change = explaining->change;
    static const double beyond_most = .02; /* of the step: medians do not add up exactly */
    size_t count;
    struct report_part rest = {"small ops, idle and all else", change->before, change->after};
    const struct category *categories =
        categories_sum(found, sides->count, explaining->scratch, &count);
    struct report_part *parts = arena_array(explaining->arena, struct report_part, count + 2);
    for (size_t i = 0; i < count; i++) {
        parts[i] = part_make(sides, categories[i].us, found->told);
        parts[i].name = arena_strdup(explaining->arena, categories[i].name);
        rest.before_us -= parts[i].before_us;
        rest.after_us -= parts[i].after_us;
    }
    bool are_parts = count > 0 && rest.before_us >= -beyond_most * change->before &&
                     rest.after_us >= -beyond_most * change->after; /* false of NAN, too */
    if (!are_parts)
        return;
    qsort(parts, count, sizeof *parts, part_order);
    change->categories = parts;
    change->category_count = count + rest_add(rest, parts + count);
}

/* ---- how long steps took --------------------------------------------------------------------- */

static bool steps_fill(struct explaining *explaining, const struct sides *sides, struct err *err)
{
    struct report_change *change = explaining->change;
    struct steady_steps found;
    struct step_bin_list bins;
    size_t from = sides->before.from, old = sides->before.end - from;
    const struct profile_numbers runs = {sides->ids + from, sides->after.end - from};
    if (!ledger_steady_steps(explaining->db, runs, explaining->scratch, &found, err))
        return false;
    struct step_times steps = {found.us, 0, found.count};
    for (size_t i = 0; i < old; i++)
        steps.before += found.count_of[i];
    step_bins_make(&steps, explaining->scratch, &bins);
    change->step_bins = arena_array(explaining->arena, struct report_step_bin, bins.count);
    for (; change->step_bin_count < bins.count; change->step_bin_count++) {
        const struct step_bin *bin = &bins.items[change->step_bin_count];
        change->step_bins[change->step_bin_count] = (struct report_step_bin){
            bin->from_us, isfinite(bin->until_us) ? some_f64(bin->until_us) : (struct opt_f64){0},
            bin->before, bin->after};
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void drifts_take(struct change_around *around, const struct course *course)
{
    const struct course_drift *of_old = NULL, *of_new = NULL;
    around->drifts_from = around->after + 1;
    around->drifts_end = around->until;
    for (size_t i = 0; i < course->drift_count; i++) {
        const struct course_drift *drift = &course->drifts[i];
        size_t from = comparable_place(around->runs, drift->from_profile);
        size_t end = comparable_place(around->runs, drift->until_profile) + 1;
        if (!course_drift_is_sure(drift))
            continue;
        if (from <= around->after && end > around->after) {
            of_old = drift;
            around->drifts_from = from > around->level_from ? from : around->level_from;
        }
        if (from <= around->until && end > around->until) {
            of_new = drift;
            around->drifts_end = end < around->level_end ? end : around->level_end;
        }
    }
    around->is_one_drift = of_old != NULL && of_old == of_new;
}

struct change_around trends_around(const struct comparable *runs, const struct course *course,
                                   const struct course_change *change)
{
    struct change_around around = {.runs = runs,
                                   .at = comparable_place(runs, change->at_profile),
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
    drifts_take(&around, course);
    return around;
}

/* The ops on both sides, which are kept as `explaining` says; none of another measure. */
static bool ops_find(struct explaining *explaining, const struct change_around *around,
                     struct sides *ret_sides, struct op_points_list *ret_found, struct err *err)
{
    *ret_sides = sides_choose(around, explaining->scratch);
    if (!ledger_op_points(explaining->db,
                          (struct profile_numbers){ret_sides->ids, ret_sides->count},
                          op_least_share, explaining->scratch, ret_found, err))
        return false;
    ops_fill(explaining, ret_sides, ret_found);
    return arena_ok(explaining->scratch, "what a change is made of", err);
}

static bool is_of_step_time(const struct report_change *change)
{
    return strcmp(change->measure, measure_rows[MEASURE_steady_step_median].name) == 0;
}

bool trends_explain(struct db *db, const struct change_around *around, struct arena *scratch,
                    struct arena *arena, struct report_change *change, struct err *err)
{
    struct sides sides;
    struct op_points_list found;
    struct explaining explaining = {db, scratch, arena, change};
    if (!is_of_step_time(change))
        return true;
    if (!ops_find(&explaining, around, &sides, &found, err))
        return false;
    categories_fill(&explaining, &sides, &found);
    return steps_fill(&explaining, &sides, err);
}

bool trends_explain_ops(struct db *db, const struct change_around *around, struct arena *arena,
                        struct report_change *change, struct err *err)
{
    struct sides sides;
    struct op_points_list found;
    struct explaining explaining = {db, arena, arena, change};
    return !is_of_step_time(change) || ops_find(&explaining, around, &sides, &found, err);
}
