/* Implements the tests of ops: the same pooled t test as the step's, on the logarithm of each op's
 * time per run, then Benjamini and Hochberg over the whole family.
 *
 * The tests are one-sided, as the question is (is it slower?), which finds more at the same false
 * discovery rate. Improvements are a family of their own: each op is shown with p and q of the
 * direction in which it moved.
 *
 * The family is fixed by the baseline alone: picking ops by their difference first and testing
 * afterwards finds "regressions" in 95 % of unchanged pairs.
 */
#include "compare/ops/op_rows.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_before(const void *left, const void *right)
{
    const struct op_series *a = *(const struct op_series *const *)left;
    const struct op_series *b = *(const struct op_series *const *)right;
    if (a->before_us != b->before_us)
        return a->before_us < b->before_us ? -1 : 1;
    return strcmp(a->signature, b->signature);
}

/* The family: all ops but the smallest, which together take less than op_min_share of the step. One
 * of three hundred equal ops is small, and their sum is all of the step. *ret_count of them. */
static struct op_series **family_choose(struct gate_state *judgement, struct op_table *table,
                                        size_t *ret_count)
{
    const struct gate_policy *policy = judgement->policy;
    double small = 0, most = policy->op_min_share * table->step_us;
    struct op_series **all = arena_array(judgement->arena, struct op_series *, table->count);
    size_t count = 0;
    if (table->step_us <= 0)
        return NULL;
    for (size_t i = 0; i < table->count; i++)
        all[i] = &table->items[i];
    if (table->count > 1)
        qsort(all, table->count, sizeof(struct op_series *), by_before);
    for (size_t i = 0; i < table->count; i++) {
        small += all[i]->before_us;
        if (small >= most && all[i]->before_us > 0 && all[i]->before_us >= policy->op_min_us)
            all[count++] = all[i];
    }
    *ret_count = count;
    return all;
}

/* Logarithms of us[count]; zeros (the op did not run) are left out. Returns how many are written.
 */
static size_t logs_of(const double *us, size_t count, double *logs)
{
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        if (us[i] > 0)
            logs[written++] = log(us[i]);
    }
    return written;
}

/* false: it did not run in every run of both sides, or nothing tells its variance. */
static bool series_test(const struct op_table *table, const struct op_series *series, double *logs,
                        struct run_test *ret_test)
{
    size_t a = table->baseline_runs, b = table->candidate_runs;
    struct run_values before = {logs, logs_of(series->us, a, logs)};
    struct run_values after = {logs + a, logs_of(series->us + a, b, logs + a)};
    struct run_values past = {logs + a + b,
                              logs_of(series->us + a + b, table->history_runs, logs + a + b)};
    return before.count == a && after.count == b && run_test_make(&past, &before, &after, ret_test);
}

/* ---- the past, judged by itself -------------------------------------------------------------- */

/* Each stretch of past runs that is judged. */
struct past_scores {
    double *largest; /* of each stretch: the largest |t| of an op that seems to have changed */
    size_t count;
    size_t beside; /* the first of them are of runs beside each other */
};

/* As many runs as the candidate has, from the first on, with so many between them less one; the
 * runs are a ring. */
struct past_stretch {
    size_t first, length, stride;
};

static bool is_inside(const struct past_stretch *stretch, size_t place, size_t count)
{
    size_t behind = (place + count - stretch->first) % count;
    return behind < stretch->length * stretch->stride && behind % stretch->stride == 0;
}

/* The |t| of the stretch against the other runs; 0 when they differ by less than what is called a
 * change. */
static double stretch_score(const double *logs, size_t count, const struct past_stretch *stretch,
                            double effect)
{
    double in = 0, out = 0, in_squares = 0, out_squares = 0;
    double n = (double)stretch->length, m = (double)(count - stretch->length);
    for (size_t i = 0; i < count; i++)
        *(is_inside(stretch, i, count) ? &in : &out) += logs[i];
    in /= n;
    out /= m;
    for (size_t i = 0; i < count; i++) {
        bool inside = is_inside(stretch, i, count);
        double apart = logs[i] - (inside ? in : out);
        *(inside ? &in_squares : &out_squares) += apart * apart;
    }
    if (fabs(in - out) < effect || n + m < 3)
        return 0;
    double error = sqrt((in_squares + out_squares) / (n + m - 2) * (1 / n + 1 / m));
    return error > 0 ? fabs(in - out) / error : INFINITY;
}

/* Runs differ in ways that no table of a t distribution knows: heavy tails, two modes, ops that
 * move together. So as many past runs as the candidate has are judged by the others, again and
 * again: how far does the op go that stands out most? A candidate of one run that is like them goes
 * further than all n of them once in n + 1 times, whatever the distribution and however many ops.
 * Runs beside each other resemble each other where a machine or a day has its own speed; of several
 * runs there are too few such stretches to go by (ops with two modes, 3 runs: any false op in 7 of
 * 100), so every second, third ... run makes stretches as well (4 of 100; 9.9 of 10 ops of 1 % that
 * take 10 % longer are found either way).
 */
static struct past_scores past_judge(struct gate_state *judgement, const struct op_table *table,
                                     struct op_series *const *family, size_t count)
{
    size_t runs = table->baseline_runs, length = table->candidate_runs;
    if (2 * length > runs)
        return (struct past_scores){0};
    size_t strides = length > 1 ? (runs - 1) / length : 1;
    double effect = log1p(judgement->policy->op_effect_pct / 100);
    struct past_scores scores = {.largest = arena_array(judgement->arena, double, runs *strides)};
    double *logs = arena_array(judgement->arena, double, runs);
    scores.count = runs * strides;
    scores.beside = runs;
    for (size_t i = 0; i < count; i++) {
        if (logs_of(family[i]->us, runs, logs) < runs)
            continue;
        for (size_t j = 0; j < scores.count; j++) {
            const struct past_stretch stretch = {j % runs, length, 1 + j / runs};
            scores.largest[j] =
                fmax(scores.largest[j], stretch_score(logs, runs, &stretch, effect));
        }
    }
    return scores;
}

/* The part of the stretches that went as far; 0: none did. */
static double further_part(const double *largest, size_t count, double score)
{
    size_t further = 0;
    for (size_t i = 0; i < count; i++)
        further += largest[i] >= score;
    return further == 0 ? 0 : (double)(further + 1) / (double)(count + 1);
}

/* ---- the family ------------------------------------------------------------------------------ */

struct op_tests {
    struct op_series **series;
    double *scores; /* |t| of each */
    struct stats_discovery *slower, *faster;
    size_t count;
};

/* Gives p and q to the series that moved in this direction; all that were tested are the family. */
static void family_close(const struct op_tests *tests, const struct past_scores *past,
                         struct stats_discovery *discoveries, bool slower)
{
    stats_false_discovery(discoveries, tests->count);
    for (size_t i = 0; i < tests->count; i++) {
        size_t index = discoveries[i].index;
        struct op_series *series = tests->series[index];
        if ((series->after_us > series->before_us) != slower)
            continue;
        series->p = some_f64(discoveries[i].p);
        /* The smallest rate of false alarms at which a score is one, by the past alone: by runs
         * beside each other, and by all; 0: nothing of the past went as far. */
        series->q =
            some_f64(fmax(discoveries[i].q,
                          fmax(further_part(past->largest, past->beside, tests->scores[index]),
                               further_part(past->largest, past->count, tests->scores[index]))));
    }
}

void op_table_test(struct gate_state *judgement, struct op_table *table)
{
    size_t runs = op_table_runs(table), most = 0;
    if ((double)(runs - table->candidate_runs) < judgement->policy->min_past_runs)
        return;
    struct op_series **family = family_choose(judgement, table, &most);
    if (family == NULL)
        return;
    double *logs = arena_array(judgement->arena, double, runs);
    struct past_scores past = past_judge(judgement, table, family, most);
    struct op_tests tests = {
        .series = family,
        .scores = arena_array(judgement->arena, double, most),
        .slower = arena_array(judgement->arena, struct stats_discovery, most),
        .faster = arena_array(judgement->arena, struct stats_discovery, most),
    };
    for (size_t i = 0; i < most; i++) {
        struct run_test test;
        size_t n = tests.count;
        if (!series_test(table, family[i], logs, &test))
            continue;
        tests.series[n] = family[i];
        tests.scores[n] = test.error > 0 ? fabs(test.change) / test.error : INFINITY;
        tests.slower[n] = (struct stats_discovery){.p = test.p_slower, .index = n};
        tests.faster[n] = (struct stats_discovery){.p = 1 - test.p_slower, .index = n};
        tests.count++;
    }
    family_close(&tests, &past, tests.slower, true);
    family_close(&tests, &past, tests.faster, false);
}
