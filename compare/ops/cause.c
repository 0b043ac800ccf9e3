/* Implements the search for the cause.
 *
 * The parts of a step that can explain its change are the ops, all of them together, and the time
 * in which no op runs. What explains at least half of it alone is the cause; ops that all moved by
 * the same part of themselves are one cause, which lies outside the program. A cause goes the way
 * the step went: what got shorter explains no loss.
 */
#include "compare/ops/cause.h"

#include "compare/ops/op_series.h"
#include "compare/runs/runs.h"
#include "compare/statistics/statistics.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step that changes by less than this part of itself needs no cause. */
static const double clear_change = 0.005;

/* A cause explains at least this part of the change. */
static const double most_of_it = 0.5;

/* What all ops gained is about what the step did, as the medians show it or as the rule estimates
 * it; much more than both is another thing. */
static const double much_more = 1.5;

/* ---- all ops alike --------------------------------------------------------------------------- */

/* Ops move alike when all but a fifth of their time changed by the same percentage, half of it more
 * or less: clocks slow what computes more than what waits for memory. */
static const double alike_share = 0.8, alike_spread = 0.5;
/* The spread is never taken to be less than the noise of an op, nor so large that an op which did
 * not move at all would pass for one that did. */
static const double op_noise_pct = 1.5, still_spread = 0.9;

enum { ALIKE_OPS_MIN = 4 };

struct op_move {
    double pct, weight_us;
};

static int move_order(const void *left, const void *right)
{
    const struct op_move *a = left, *b = right;
    return (a->pct > b->pct) - (a->pct < b->pct);
}

/* The change of the op in the middle, by time. */
static double middle_pct(const struct op_move *moves, size_t count, double weight)
{
    double below = 0;
    for (size_t i = 0; i < count; i++) {
        below += moves[i].weight_us;
        if (below >= weight / 2)
            return moves[i].pct;
    }
    return 0;
}

/* Which part of the time moved as the middle did; the heaviest op can be left out, so that one op
 * alone never looks like all. */
static double part_near(const struct op_move *moves, size_t count, double middle,
                        bool less_heaviest)
{
    double spread =
        fmin(fmax(alike_spread * fabs(middle), op_noise_pct), still_spread * fabs(middle));
    double all = 0, near = 0;
    size_t heaviest = 0;
    for (size_t i = 0; i < count; i++)
        heaviest = moves[i].weight_us > moves[heaviest].weight_us ? i : heaviest;
    for (size_t i = 0; i < count; i++) {
        if (less_heaviest && i == heaviest)
            continue;
        all += moves[i].weight_us;
        near += fabs(moves[i].pct - middle) <= spread ? moves[i].weight_us : 0;
    }
    return all > 0 ? near / all : 0;
}

static double before_us_of_all(const struct op_table *table)
{
    double sum = 0;
    for (size_t i = 0; i < table->count; i++)
        sum += table->items[i].before_us;
    return sum;
}

/* true: the ops moved alike, by *ret_pct of themselves; ret_weight: the time they took before. */
static bool ops_are_alike(struct gate_state *judgement, const struct op_table *table,
                          double *ret_pct, double *ret_weight)
{
    double weight;
    struct op_move *moves = arena_array(judgement->arena, struct op_move, table->count);
    /* Ops that ran on both sides, with what each changed by, and their time before. */
    size_t count = 0;
    weight = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct op_series *series = &table->items[i];
        if (series->before_us <= 0 || series->after_us <= 0 || series->shifted)
            continue;
        double pct = 100 * (series->after_us - series->before_us) / series->before_us;
        moves[count++] = (struct op_move){pct, series->before_us};
        weight += series->before_us;
    }
    if (count < ALIKE_OPS_MIN || weight < alike_share * before_us_of_all(table))
        return false;
    qsort(moves, count, sizeof *moves, move_order);
    double middle = middle_pct(moves, count, weight);
    *ret_pct = middle;
    *ret_weight = weight;
    return fabs(middle) >= 100 * clear_change &&
           part_near(moves, count, middle, false) >= alike_share &&
           part_near(moves, count, middle, true) >= alike_share;
}

/* ---- ops and idle time ----------------------------------------------------------------------- */

/* The ops that moved the way the step did. */
struct op_crowd {
    double sum_us;
    int64_t count;
    const struct verdict_op *first;
};

static struct op_crowd crowd_of(const struct verdict *verdict, double sign)
{
    struct op_crowd crowd = {0};
    for (size_t i = 0, moved = verdict_moved_count(verdict); i < moved; i++) {
        const struct verdict_op *op = &verdict->ops[i];
        if (sign * op->delta_us <= 0)
            continue;
        crowd.sum_us += op->delta_us;
        crowd.count++;
        if (crowd.first == NULL || fabs(op->delta_us) > fabs(crowd.first->delta_us))
            crowd.first = op;
    }
    return crowd;
}

static struct verdict_cause cause_of_ops(const struct op_crowd *crowd, double delta_us)
{
    double first = crowd->first->delta_us;
    bool alone = first / delta_us >= most_of_it || crowd->count == 1;
    struct verdict_cause cause = {
        .kind = alone ? "op" : "ops",
        .name = crowd->first->name,
        .count = alone ? 1 : crowd->count,
        .of_count = crowd->count,
        .delta_us = alone ? first : crowd->sum_us,
        .first_share = some_f64(first / delta_us),
    };
    if (alone)
        cause.change_pct = crowd->first->delta_pct;
    return cause;
}

/* What is left when the parts that grew are taken off, each of them less than half. */
static struct verdict_cause unexplained(double delta_us, double of_ops, double of_idle)
{
    double sign = delta_us > 0 ? 1 : -1;
    double rest = fabs(delta_us) - fmax(of_ops, 0) - fmax(of_idle, 0);
    return (struct verdict_cause){.kind = "unexplained", .delta_us = sign * rest};
}

static struct verdict_cause parts_cause(const struct verdict *verdict, double delta_us)
{
    const struct verdict_balance *balance = &verdict->balance;
    double sign = delta_us > 0 ? 1 : -1, enough = most_of_it * fabs(delta_us);
    struct op_crowd crowd = crowd_of(verdict, sign);
    double of_ops = sign * crowd.sum_us;
    double of_idle = balance->known ? sign * balance->idle_delta_us : 0;
    if (crowd.first != NULL && of_ops >= enough && of_ops >= of_idle)
        return cause_of_ops(&crowd, delta_us);
    if (of_idle >= enough)
        return (struct verdict_cause){.kind = "idle", .delta_us = balance->idle_delta_us};
    return unexplained(delta_us, of_ops, of_idle);
}

/* The one host that all runs of the candidate ran on, where no past run did; else NULL. */
static const char *new_host(const struct gate_state *judgement)
{
    const struct gate_runs *runs = &judgement->candidate;
    const struct string_list *hosts = &runs->items[0].profiles[0]->summary->environment.hosts;
    bool known = hosts->count == 1, elsewhere = false;
    for (size_t i = 1; i < runs->count; i++)
        known &= run_hosts_equal(&runs->items[0], &runs->items[i]);
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        if (placed->role == RUN_CANDIDATE)
            continue;
        known &= !run_hosts_equal(&runs->items[0], &placed->run);
        elsewhere |= placed->run.profiles[0]->summary->environment.hosts.count > 0;
    }
    return known && elsewhere ? hosts->items[0] : NULL;
}

/* All ops alike: what their common percentage is of the time they took before, which is no more
 * than a step even where ops of parallel streams overlap. Kind NULL when they did not move alike,
 * or the other way than the step, or by another amount, or when one op alone explains more. */
static struct verdict_cause alike_cause(struct gate_state *judgement, const struct op_table *table,
                                        double before_us, double delta_us)
{
    double pct, weight;
    if (!ops_are_alike(judgement, table, &pct, &weight))
        return (struct verdict_cause){0};
    double alike_us = pct / 100 * fmin(weight, before_us), share = alike_us / delta_us;
    struct op_crowd crowd = crowd_of(judgement->verdict, delta_us > 0 ? 1 : -1);
    struct opt_f64 told = judgement->verdict->statistics.estimate_pct;
    double estimate_us = told.set ? told.value / 100 * before_us : 0;
    double said = fmax(1, estimate_us / delta_us); /* of what the medians say */
    if (share < most_of_it || share > much_more * said ||
        (crowd.first != NULL && fabs(crowd.first->delta_us) >= fabs(alike_us)))
        return (struct verdict_cause){0};
    return (struct verdict_cause){.kind = "all_ops",
                                  .name = judgement->paired ? NULL : new_host(judgement),
                                  .count = (int64_t)table->count,
                                  .of_count = (int64_t)table->count,
                                  .delta_us = alike_us,
                                  .change_pct = some_f64(pct)};
}

/* ---- numbers of another type ----------------------------------------------------------------- */

/* The types in the shapes of an op's two sides are compared one beside the other. What else differs
 * in them (dimensions, layouts) is no matter, but the arrays must be as many. */
enum { TYPE_BYTES = 16, PAIRS_MAX = 16 };

/* What takes the place of what, and how much longer the ops take in which it does. */
struct type_pair {
    char before[TYPE_BYTES], after[TYPE_BYTES];
    double delta_us;
};

/* The next type of a shape, "bf16" of "bf16[8,128]{1,0}"; *at is moved behind it. "": no more, or
 * one that is too long for a type. */
static void type_take(const char **at, char type[TYPE_BYTES])
{
    const char *bracket = strchr(*at, '['), *first = bracket;
    type[0] = '\0';
    if (bracket == NULL)
        return;
    while (first > *at && isalnum((unsigned char)first[-1]))
        first--;
    size_t length = (size_t)(bracket - first);
    if (length < TYPE_BYTES) {
        memcpy(type, first, length);
        type[length] = '\0';
    }
    *at = bracket + 1;
}

/* A count or an index in place of another says nothing of precision. */
static bool is_float(const char *type)
{
    return strncmp(type, "bf", 2) == 0 || (type[0] == 'f' && isdigit((unsigned char)type[1]));
}

/* The types that the two shapes differ in: one pair of them, and as many arrays on both sides. */
static bool types_differ(const char *before, const char *after, struct type_pair *ret_pair)
{
    struct type_pair pair = {0};
    for (;;) {
        char old[TYPE_BYTES], new[TYPE_BYTES];
        type_take(&before, old);
        type_take(&after, new);
        if (old[0] == '\0' || new[0] == '\0') {
            *ret_pair = pair;
            return old[0] == new[0] && is_float(pair.before) && is_float(pair.after);
        }
        if (strcmp(old, new) == 0)
            continue;
        if (pair.before[0] != '\0' &&
            (strcmp(old, pair.before) != 0 || strcmp(new, pair.after) != 0))
            return false;
        memcpy(pair.before, old, sizeof pair.before);
        memcpy(pair.after, new, sizeof pair.after);
    }
}

static void pair_count(struct type_pair pairs[PAIRS_MAX], const struct type_pair *found)
{
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        bool is_new = pairs[i].before[0] == '\0';
        if (!is_new && (strcmp(pairs[i].before, found->before) != 0 ||
                        strcmp(pairs[i].after, found->after) != 0))
            continue;
        double delta_us = pairs[i].delta_us + found->delta_us;
        pairs[i] = *found;
        pairs[i].delta_us = delta_us;
        return;
    }
}

/* "f32 in place of bf16", where ops whose shapes differ in that type, and in no other, explain at
 * least half of what the step gained; in the arena. NULL: none do. */
static const char *precision_change(struct gate_state *judgement, const struct op_table *table,
                                    double gain_us)
{
    struct type_pair pairs[PAIRS_MAX] = {0}, found;
    for (size_t i = 0; i < table->count; i++) {
        const struct op_series *series = &table->items[i];
        const struct op_row *before = series->before, *after = series->after;
        if (before == NULL || after == NULL || before->shape_signature == NULL ||
            after->shape_signature == NULL ||
            !types_differ(before->shape_signature, after->shape_signature, &found))
            continue;
        found.delta_us = series->after_us - series->before_us;
        pair_count(pairs, &found);
    }
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        if (pairs[i].before[0] == '\0' || pairs[i].delta_us / gain_us < most_of_it)
            continue;
        return arena_printf(judgement->arena, "%s in place of %s", pairs[i].after, pairs[i].before);
    }
    return NULL;
}

/* ---- the cause ------------------------------------------------------------------------------- */

void cause_find(struct gate_state *judgement, const struct op_table *table)
{
    struct verdict *verdict = judgement->verdict;
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    if (verdict->cause.kind != NULL || !before.set || !after.set)
        return;
    double gain = after.value - before.value; /* as the verdict prints it: shares are of that */
    if (fabs(gain) < clear_change * before.value)
        return;
    struct verdict_cause cause = alike_cause(judgement, table, before.value, gain);
    if (cause.kind == NULL)
        cause = parts_cause(verdict, gain);
    cause.share_of_delta = some_f64(cause.delta_us / gain);
    cause.precision = precision_change(judgement, table, gain);
    verdict->cause = cause;
}
