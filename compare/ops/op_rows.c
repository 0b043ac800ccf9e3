/* Implements the verdict's op rows: how each change is called, the order, the reasons. */
#include "compare/ops/op_rows.h"

#include <math.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Regressions first, then improvements, then what changed too little to be called either. */
enum row_group { GROUP_SLOWER, GROUP_FASTER, GROUP_UNCHANGED, GROUP_COUNT };

/* ---- one row --------------------------------------------------------------------------------- */

/* Large enough to speak of without a test. */
static const double untested_share = 0.005, untested_us = 50;

static bool is_large(const struct op_table *table, double us)
{
    return us >= untested_us && us >= untested_share * table->step_us;
}

/* Improvements are nice to know: they get a smaller part of the false discoveries, so that both
 * directions together stay near what the policy allows. */
static const double faster_part = 0.1;

/* Half of the candidate's runs or more moved as the mean did, by half of what is called a change at
 * least: a few of them, such as one with a slow host, say nothing of the op. */
static bool is_shown(const struct gate_policy *policy, const struct op_table *table,
                     const struct op_series *series)
{
    const double *us = series->us + table->baseline_runs;
    double way = series->after_us > series->before_us ? 1 : -1;
    double least = policy->op_effect_pct / 2 / 100 * series->before_us;
    size_t moved = 0;
    for (size_t i = 0; i < table->candidate_runs; i++)
        moved += way * (us[i] - series->before_us) >= least;
    return 2 * moved >= table->candidate_runs;
}

/* What half of the past runs do not run either is not gone now. */
static bool was_gone(const struct op_table *table, const struct op_series *series)
{
    return series->after_us <= 0 && series->before_runs > 0 &&
           2 * series->before_runs <= table->baseline_runs;
}

/* Tested ops need significance and size; untested ones size and a large difference. */
static bool has_changed(const struct gate_policy *policy, const struct op_table *table,
                        const struct op_series *series)
{
    double delta = fabs(series->after_us - series->before_us);
    if (was_gone(table, series))
        return false;
    if (series->before_us > 0 && (100 * delta / series->before_us < policy->op_effect_pct ||
                                  !is_shown(policy, table, series)))
        return false;
    double part = series->after_us > series->before_us ? 1 : faster_part;
    return series->q.set ? series->q.value <= part * policy->op_fdr_q : is_large(table, delta);
}

static const char *change_name(const struct gate_policy *policy, const struct op_table *table,
                               const struct op_series *series)
{
    if (series->shifted)
        return "shifted";
    if (series->before_us <= 0)
        return "added";
    if (series->after_us <= 0)
        return was_gone(table, series) ? "unchanged" : "removed";
    if (!has_changed(policy, table, series))
        return "unchanged";
    return series->after_us > series->before_us ? "slower" : "faster";
}

static enum row_group row_group(const struct gate_policy *policy, const struct op_table *table,
                                const struct op_series *series)
{
    if (!has_changed(policy, table, series))
        return GROUP_UNCHANGED;
    return series->after_us > series->before_us ? GROUP_SLOWER : GROUP_FASTER;
}

static struct verdict_op row_of(const struct gate_policy *policy, const struct op_table *table,
                                const struct op_series *series)
{
    const struct op_row *shown = series->after != NULL ? series->after : series->before;
    double delta = series->after_us - series->before_us;
    struct verdict_op row = {
        .signature = series->signature,
        .name = shown->name,
        .category = shown->category,
        .op_path = shown->op_path,
        .change = change_name(policy, table, series),
        .before_us = series->before_us,
        .after_us = series->after_us,
        .delta_us = delta,
        .share_of_step = table->step_us > 0 ? delta / table->step_us : 0,
        .p = series->p,
        .q = series->q,
    };
    row.before_runs = verdict_part_of(series->before_runs, table->baseline_runs);
    row.after_runs = verdict_part_of(series->after_runs, table->candidate_runs);
    if (series->before_us > 0)
        row.delta_pct = some_f64(100 * delta / series->before_us);
    return row;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct ranked {
    enum row_group group;
    double size;
    const struct op_series *series;
};

static int ranked_order(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return strcmp(a->series->signature, b->series->signature);
}

static struct ranked *ranked_make(struct gate_state *judgement, const struct op_table *table)
{
    struct ranked *ranked = arena_array(judgement->arena, struct ranked, table->count);
    for (size_t i = 0; i < table->count; i++) {
        const struct op_series *series = &table->items[i];
        ranked[i] = (struct ranked){row_group(judgement->policy, table, series),
                                    fabs(series->after_us - series->before_us), series};
    }
    if (table->count > 1)
        qsort(ranked, table->count, sizeof *ranked, ranked_order);
    return ranked;
}

/* ---- reasons --------------------------------------------------------------------------------- */

/* More names than this make no sentence; the table has them all. */
enum { OPS_NAMED = 3 };

enum { RUNS_TEXT_BYTES = 96 };

/* "; in 1 of 2 past runs, in 2 of 3 of the candidate"; "": in all. */
static const char *runs_text(const struct verdict_op *op, char text[RUNS_TEXT_BYTES])
{
    const struct {
        struct verdict_part part;
        const char *of;
    } sides[] = {{op->before_runs, "past runs"}, {op->after_runs, "runs of the candidate"}};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < 2; i++) {
        const struct verdict_part *part = &sides[i].part;
        if (part->runs.set)
            length +=
                (size_t)snprintf(text + length, RUNS_TEXT_BYTES - length, "%s in %lld of %lld %s",
                                 length > 0 ? "," : ";", (long long)part->runs.value,
                                 (long long)part->of.value, sides[i].of);
    }
    return text;
}

static void regression_reason(struct gate_state *judgement, const struct verdict_op *op)
{
    char before[FORMAT_BYTES], after[FORMAT_BYTES], delta[FORMAT_BYTES];
    char name[NAME_TEXT_BYTES], pair[FORMAT_CHANGE_BYTES], runs[RUNS_TEXT_BYTES];
    runs_text(op, runs);
    duration_text(op->before_us, before);
    duration_text(op->after_us, after);
    duration_text(op->delta_us, delta);
    bool certain = op->q.set && judgement->op_sides.after.count > 1;
    if (judgement->verdict->ops_per != NULL) {
        reason_add(judgement, "op_suspected", "%s (%s) takes +%s per %s: %s%s.",
                   name_text(op->name, name), verdict_op_words(op), delta,
                   judgement->verdict->ops_per, format_change(op->before_us, op->after_us, pair),
                   runs);
        return;
    }
    const char *code = certain ? "op_regressed" : "op_suspected";
    if (strcmp(op->change, "added") == 0)
        reason_add(judgement, code, "%s is new and takes %s per step, %.1f %% of the step%s.",
                   name_text(op->name, name), after, 100 * op->share_of_step, runs);
    else
        reason_add(judgement, code, "%s (%s) takes +%s per step: %s -> %s, %.1f %% of the step%s.",
                   name_text(op->name, name), verdict_op_words(op), delta, before, after,
                   100 * op->share_of_step, runs);
}

static bool op_matches(const struct watched_op *watched, const struct op_series *series)
{
    const struct op_row *row = series->after != NULL ? series->after : series->before;
    return fnmatch(watched->pattern, row->name, 0) == 0 ||
           (row->op_path != NULL && fnmatch(watched->pattern, row->op_path, 0) == 0);
}

/* A watched op is a hypothesis of its own: alpha is split over all of them. */
static bool watched_exceeds(const struct gate_state *judgement, const struct watched_op *watched,
                            const struct op_series *series)
{
    const struct gate_policy *policy = judgement->policy;
    double delta = series->after_us - series->before_us;
    if (delta <= 0 || 100 * delta <= watched->limit_pct * series->before_us)
        return false;
    return !series->p.set || series->p.value <= policy->alpha_fail / (double)policy->watched_count;
}

static void watched_judge(struct gate_state *judgement, const struct op_table *table)
{
    const struct gate_policy *policy = judgement->policy;
    for (size_t i = 0; i < policy->watched_count; i++) {
        for (size_t j = 0; j < table->count; j++) {
            const struct op_series *series = &table->items[j];
            if (!op_matches(&policy->watched[i], series) ||
                !watched_exceeds(judgement, &policy->watched[i], series))
                continue;
            char name[NAME_TEXT_BYTES], delta[FORMAT_BYTES];
            struct verdict_op row = row_of(policy, table, series);
            reason_add(judgement, "watched_op_regressed",
                       "The watched op %s takes +%s per %s, more than the %.1f %% that [watch %s] "
                       "allows.",
                       name_text(row.name, name), duration_text(row.delta_us, delta),
                       table->per_call ? "call" : "step", policy->watched[i].limit_pct,
                       policy->watched[i].name);
            bool certain =
                judgement->op_sides.after.count > 1 && series->p.set && !judgement->same_program;
            status_raise(judgement, certain ? VERDICT_FAIL : VERDICT_WARN, "watched_ops");
        }
    }
}

/* Surely longer by more than matters of the whole step: the step time has missed it, or something
 * else became faster for it, and neither is a pass without a word. */
static void heavy_op_judge(struct gate_state *judgement, const struct verdict_op *op)
{
    char delta[FORMAT_BYTES], name[NAME_TEXT_BYTES];
    double matters = judgement->policy->min_effect_pct;
    bool certain = op->q.set && judgement->op_sides.after.count > 1;
    if (judgement->verdict->status != VERDICT_PASS || judgement->verdict->ops_per != NULL ||
        !certain || 100 * op->share_of_step < matters ||
        op->delta_us < judgement->policy->min_effect_us)
        return;
    const int decimals = format_decimals_apart(100 * op->share_of_step, matters);
    reason_add(judgement, "op_outweighs",
               "%s alone takes +%s per step, %.*f %% of it: more than the %.*f %% that matter, "
               "which the step time does not show.",
               name_text(op->name, name), duration_text(op->delta_us, delta), decimals,
               100 * op->share_of_step, decimals, matters);
    status_raise(judgement, VERDICT_WARN, "op_times");
}

void op_rows_judge(struct gate_state *judgement, const struct op_table *table)
{
    struct verdict *verdict = judgement->verdict;
    struct ranked *ranked = ranked_make(judgement, table);
    verdict->ops = arena_array(judgement->arena, struct verdict_op, table->count);
    if (table->per_call && table->count > 0)
        verdict->ops_per = "call";
    double shown[GROUP_COUNT] = {0}, named = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (ranked[i].size <= 0 || shown[ranked[i].group]++ >= judgement->policy->op_limit)
            continue;
        struct verdict_op *row = &verdict->ops[verdict->op_count++];
        *row = row_of(judgement->policy, table, ranked[i].series);
        if (ranked[i].group == GROUP_SLOWER && named++ < OPS_NAMED)
            regression_reason(judgement, row);
        if (ranked[i].group == GROUP_SLOWER)
            heavy_op_judge(judgement, row);
    }
    watched_judge(judgement, table);
}
