/* Implements the tests of ops: the same pooled t test as the step's, on the logarithm of each op's
 * time per run, then Benjamini and Hochberg over the whole family.
 *
 * The tests are one-sided, as the question is (is it slower?), which finds more at the same false
 * discovery rate. Improvements are a family of their own: each op is shown with p and q of the
 * direction in which it moved.
 *
 * The family is fixed by the baseline alone (spec/trackers.md 2e): picking ops by their difference
 * first and testing afterwards finds "regressions" in 95 % of unchanged pairs.
 */
#include "compare/op_rows.h"
#include "compare/run_test.h"
#include "compare/stats.h"

#include <math.h>

static bool in_family(const struct gate_policy *policy, const struct op_table *table,
                      const struct op_series *series)
{
    return series->before_us >= policy->op_min_us && table->step_us > 0 &&
           series->before_us >= policy->op_min_share * table->step_us;
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

/* Gives p and q to the series that moved in this direction; all that were tested are the family. */
static void family_close(struct op_table *table, struct stats_discovery *tests, size_t count,
                         bool slower)
{
    stats_false_discovery(tests, count);
    for (size_t i = 0; i < count; i++) {
        struct op_series *series = &table->items[tests[i].index];
        if ((series->after_us > series->before_us) != slower)
            continue;
        series->p = some_f64(tests[i].p);
        series->q = some_f64(tests[i].q);
    }
}

void op_table_test(struct judgement *judgement, struct op_table *table)
{
    size_t runs = table->baseline_runs + table->candidate_runs + table->history_runs;
    if ((double)(runs - table->candidate_runs) < judgement->policy->min_past_runs)
        return;
    double *logs = arena_array(judgement->arena, double, runs);
    struct stats_discovery *slower =
        arena_array(judgement->arena, struct stats_discovery, 2 * table->count);
    if (logs == NULL || slower == NULL) {
        judgement->out_of_memory = true;
        return;
    }
    struct stats_discovery *faster = slower + table->count;
    size_t tested = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct run_test test;
        if (!in_family(judgement->policy, table, &table->items[i]) ||
            !series_test(table, &table->items[i], logs, &test))
            continue;
        slower[tested] = (struct stats_discovery){.p = test.p_slower, .index = i};
        faster[tested++] = (struct stats_discovery){.p = 1 - test.p_slower, .index = i};
    }
    family_close(table, slower, tested, true);
    family_close(table, faster, tested, false);
}
