/* Implements the view. What is compared stands in one unit with one number of decimals: a table of
 * ops has one scale, a row of the other tables its own. */
#include "schema/documents/verdict_view.h"

#include "ops/runtime/text.h"
#include "schema/documents/measures.h"
#include "schema/documents/op_path.h"
#include "schema/documents/verdict_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HASH_SHOWN = 12, DIGITS = 4, DELTA_DIGITS = 3, LINES_MAX = 24, SIDE_MAX_BYTES = 1 << 20 };

struct viewing {
    const struct verdict *verdict;
    struct arena *arena;
};

static const char *kept(struct viewing *viewing, const char *text)
{
    return arena_strdup(viewing->arena, text);
}

static struct view_pairs pairs_room(struct viewing *viewing, size_t count)
{
    return (struct view_pairs){arena_array(viewing->arena, struct view_pair, count), 0};
}

/* A row without values. */
static struct view_pair *pair_add(struct view_pairs *pairs, const char *kind, const char *name)
{
    struct view_pair *pair = &pairs->items[pairs->count++];
    *pair = (struct view_pair){kind, name, "", "", "", "", "", "", "", "", false, false, false};
    return pair;
}

static void times_set(struct viewing *viewing, struct duration_scale scale, struct opt_f64 before,
                      struct opt_f64 after, struct view_pair *pair)
{
    char number[FORMAT_BYTES];
    struct opt_f64 percent = change_percent(before, after);
    if (before.set)
        pair->before = kept(viewing, format_in_scale(scale, before.value, false, number));
    if (after.set)
        pair->after = kept(viewing, format_in_scale(scale, after.value, false, number));
    if (before.set && after.set)
        pair->delta =
            kept(viewing, format_in_scale(scale, after.value - before.value, true, number));
    if (percent.set)
        pair->percent = kept(viewing, format_percent_delta(percent.value, number));
}

static double larger(struct opt_f64 before, struct opt_f64 after)
{
    return fmax(before.set ? fabs(before.value) : 0, after.set ? fabs(after.value) : 0);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void step_row(struct viewing *viewing, const char *name, struct opt_f64 before,
                     struct opt_f64 after, struct view_pairs *pairs)
{
    struct duration_scale scale = duration_scale_for(larger(before, after), DIGITS);
    times_set(viewing, scale, before, after, pair_add(pairs, "", name));
}

static void count_row(struct viewing *viewing, const char *name, int64_t before, int64_t after,
                      struct view_pairs *pairs)
{
    char number[FORMAT_BYTES];
    struct view_pair *pair = pair_add(pairs, "", name);
    pair->before = kept(viewing, format_count(before, number));
    pair->after = kept(viewing, format_count(after, number));
}

static void steps_view(struct viewing *viewing, struct verdict_view *view)
{
    const struct verdict_side *before = &viewing->verdict->baseline;
    const struct verdict_side *after = &viewing->verdict->candidate;
    view->steps = pairs_room(viewing, 2);
    view->counts = pairs_room(viewing, 2);
    if (viewing->verdict->status == VERDICT_INCOMPARABLE ||
        (!before->step_median_us.set && !after->step_median_us.set))
        return;
    step_row(viewing, "median", before->step_median_us, after->step_median_us, &view->steps);
    step_row(viewing, "p90", before->step_p90_us, after->step_p90_us, &view->steps);
    count_row(viewing, "runs", before->run_count, after->run_count, &view->counts);
    count_row(viewing, "steady steps", before->step_count, after->step_count, &view->counts);
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* "8.5 ms (2 of 3)": so many runs have it. */
static void part_add(struct viewing *viewing, const struct verdict_part *part, const char **text)
{
    if (part->runs.set)
        *text = arena_printf(viewing->arena, "%s (%lld of %lld)", *text,
                             (long long)part->runs.value, (long long)part->of.value);
}

static void op_row(struct viewing *viewing, const struct verdict_op *op,
                   struct duration_scale scale, struct view_pairs *pairs)
{
    char number[FORMAT_BYTES];
    struct opt_f64 before = {strcmp(op->change, "added") != 0, op->before_us};
    struct opt_f64 after = {strcmp(op->change, "removed") != 0, op->after_us};
    /* One that stands for another in its place is slower or faster, too: reasons say the rest. */
    const char *kind = strcmp(op->change, "shifted") != 0 ? op->change
                       : op->delta_us > 0                 ? "slower"
                                                          : "faster";
    struct view_pair *pair = pair_add(pairs, kind, op->name);
    pair->path = op->op_path == NULL ? "" : op_path_written(viewing->arena, op->op_path);
    times_set(viewing, scale, before, after, pair);
    part_add(viewing, &op->before_runs, &pair->before);
    part_add(viewing, &op->after_runs, &pair->after);
    pair->delta = kept(viewing, format_in_scale(scale, op->delta_us, true, number));
    if (viewing->verdict->ops_per == NULL)
        pair->of_step = kept(viewing, format_percent_delta(op->share_of_step * 100, number));
    pair->is_worse = op->delta_us > 0;
    pair->is_better = op->delta_us < 0;
}

static void ops_view(struct viewing *viewing, struct verdict_view *view)
{
    const struct verdict *verdict = viewing->verdict;
    size_t moved = verdict_moved_count(verdict);
    double largest = 0;
    view->ops_per = verdict->ops_per == NULL ? "step" : verdict->ops_per;
    view->ops = pairs_room(viewing, moved);
    for (size_t i = 0; i < moved; i++) {
        const struct verdict_op *op = &verdict->ops[i];
        largest = fmax(largest, fmax(fabs(op->delta_us), fmax(op->before_us, op->after_us)));
    }
    struct duration_scale scale = duration_scale_for(largest, DIGITS);
    for (size_t i = 0; i < moved; i++)
        op_row(viewing, &verdict->ops[i], scale, &view->ops);
}

static void balance_view(struct viewing *viewing, struct verdict_view *view)
{
    const struct verdict_balance *balance = &viewing->verdict->balance;
    double largest = fmax(fabs(balance->step_delta_us), fabs(balance->ops_delta_us));
    struct duration_scale scale = duration_scale_for(largest, DELTA_DIGITS);
    char step[FORMAT_BYTES], ops[FORMAT_BYTES], idle[FORMAT_BYTES], residual[FORMAT_BYTES];
    const char *of_part = "";
    for (size_t i = 0, moved = verdict_moved_count(viewing->verdict); i < moved; i++) {
        const struct verdict_op *op = &viewing->verdict->ops[i];
        if (op->before_runs.runs.set || op->after_runs.runs.set)
            of_part = "(n of m): so many runs of a side have the op, its time is their mean. ";
    }
    view->balance = of_part;
    if (!balance->known)
        return;
    view->balance = arena_printf(
        viewing->arena, "%sMean of steady steps %s: ops %s, idle inside them %s, not explained %s.",
        of_part, format_in_scale(scale, balance->step_delta_us, true, step),
        format_in_scale(scale, balance->ops_delta_us, true, ops),
        format_in_scale(scale, balance->idle_delta_us, true, idle),
        format_in_scale(scale, balance->residual_us, true, residual));
}

/* ---- groups ---------------------------------------------------------------------------------- */

enum { GROUPS_OF_A_KIND = 4 };

/* What moved by a smaller part of itself, or of the step, is noise in the eye. */
static const double small_part = 0.005, small_part_of_step = 5e-4;

/* Hosts and devices stand beside each other, moved or not: which of them are slow? */
static bool group_is_shown(const struct verdict *verdict, const struct verdict_group *group)
{
    double least = small_part_of_step * verdict->baseline.step_median_us.value;
    if (strcmp(group->kind, "host") == 0 || strcmp(group->kind, "device") == 0)
        return true;
    return fabs(group->delta_us) >
           fmax(least, small_part * fmax(group->before_us, group->after_us));
}

static void groups_view(struct viewing *viewing, struct verdict_view *view)
{
    const struct verdict *verdict = viewing->verdict;
    int of_kind = 0;
    view->groups = pairs_room(viewing, verdict->group_count);
    for (size_t i = 0; i < verdict->group_count; i++) {
        const struct verdict_group *group = &verdict->groups[i];
        bool is_new = i == 0 || strcmp(group->kind, verdict->groups[i - 1].kind) != 0;
        of_kind = is_new ? 0 : of_kind;
        if (!group_is_shown(verdict, group) || of_kind++ >= GROUPS_OF_A_KIND)
            continue;
        struct opt_f64 before = some_f64(group->before_us), after = some_f64(group->after_us);
        struct view_pair *pair = pair_add(&view->groups, group->kind, group->name);
        times_set(viewing, duration_scale_for(larger(before, after), DIGITS), before, after, pair);
        part_add(viewing, &group->before_runs, &pair->before);
        part_add(viewing, &group->after_runs, &pair->after);
        pair->is_part = group->before_runs.runs.set || group->after_runs.runs.set;
    }
}

/* ---- measures -------------------------------------------------------------------------------- */

/* The step's own measures stand in the table of step times; what has no limit and hardly changed is
 * in the JSON form. */
/* What runs decide and not a limit. */
static bool is_by_runs(const struct verdict_measure *measure)
{
    return strcmp(measure->name, "steady_step_period") == 0 ||
           strcmp(measure->name, "steady_step_mean") == 0;
}

static bool measure_is_shown(const struct verdict_measure *measure)
{
    static const char *const steps[] = {
        "steady_step_median", "steady_step_p90", "step_median", "step_p90",
        "step_mean",          "step_min",        "step_max"};
    bool moved =
        measure->delta.set && fabs(measure->delta.value) > small_part * fabs(measure->before.value);
    return !text_is_one(measure->name, steps) && (measure->before.set || measure->after.set) &&
           (measure->limit.set || moved || is_by_runs(measure));
}

/* Measures of profile_summary.v1 stand under its name: ours of the same thing are others. */
static bool is_of_version_1(const char *name)
{
    static const char ending[] = ", v1";
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++) {
        size_t length = strlen(measure_rows[i].help);
        if (strcmp(measure_rows[i].name, name) == 0)
            return length >= sizeof ending - 1 &&
                   strcmp(measure_rows[i].help + length - (sizeof ending - 1), ending) == 0;
    }
    return false;
}

/* "exposed_communication_share" reads as "exposed communication share". */
static const char *measure_name(struct viewing *viewing, const char *name)
{
    char *words = arena_printf(viewing->arena, "%s%s", name,
                               is_of_version_1(name) ? " (profile_summary.v1)" : "");
    for (char *p = words; *p != '\0' && *p != '('; p++)
        *p = *p == '_' ? ' ' : *p;
    return words;
}

static const char *measure_value(struct viewing *viewing, const struct verdict_measure *measure,
                                 struct opt_f64 value, bool with_sign)
{
    char number[FORMAT_BYTES];
    return value.set ? kept(viewing, measure_text(measure->unit, value.value, with_sign, number))
                     : "";
}

/* What is allowed, and what came of it. What runs decide has no limit of its own: with device time
 * held equal where both sides ran one program, and nothing is known when they do not show it. */
static void measure_status(struct viewing *viewing, const struct verdict_measure *measure,
                           struct view_pair *pair)
{
    const struct verdict *verdict = viewing->verdict;
    bool over = strcmp(measure->status, "fail") == 0 || strcmp(measure->status, "warn") == 0;
    bool is_told = measure->delta.set && verdict->statistics.estimate_pct.set;
    bool runs = over || (is_told && is_by_runs(measure));
    pair->status = measure->status;
    if (!runs || measure->limit.set) {
        pair->allowed = measure_value(viewing, measure, measure->limit, true);
        return;
    }
    pair->allowed =
        !over && verdict_has_reason(verdict, "same_program") ? "device time aside" : "by the runs";
    if (strcmp(measure->status, "unknown") == 0)
        pair->status = "not shown";
}

static void measures_view(struct viewing *viewing, struct verdict_view *view)
{
    const struct verdict *verdict = viewing->verdict;
    view->measures = pairs_room(viewing, verdict->measure_count);
    for (size_t i = 0; i < verdict->measure_count; i++) {
        const struct verdict_measure *measure = &verdict->measures[i];
        if (!measure_is_shown(measure))
            continue;
        struct view_pair *pair =
            pair_add(&view->measures, "", measure_name(viewing, measure->name));
        if (strcmp(measure->unit, "us") == 0)
            times_set(viewing, duration_scale_for(larger(measure->before, measure->after), DIGITS),
                      measure->before, measure->after, pair);
        else {
            pair->before = measure_value(viewing, measure, measure->before, false);
            pair->after = measure_value(viewing, measure, measure->after, false);
            pair->delta = measure_value(viewing, measure, measure->delta, true);
        }
        measure_status(viewing, measure, pair);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static __attribute__((format(printf, 4, 5))) void line_add(struct viewing *viewing,
                                                           struct view_lines *lines,
                                                           const char *label, const char *format,
                                                           ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(viewing->arena, format, arguments);
    va_end(arguments);
    if (lines->items == NULL)
        lines->items = arena_array(viewing->arena, struct view_line, LINES_MAX);
    if (lines->count < LINES_MAX)
        lines->items[lines->count++] = (struct view_line){label, text};
}

static void statistic_line(struct viewing *viewing, struct view_lines *lines, const char *label,
                           struct opt_f64 value, const char *unit)
{
    if (value.set)
        line_add(viewing, lines, label, "%.3g%s", value.value, unit);
}

static void statistics_view(struct viewing *viewing, struct verdict_view *view)
{
    const struct verdict_statistics *statistics = &viewing->verdict->statistics;
    struct view_lines *lines = &view->statistics;
    bool is_answer =
        viewing->verdict->status == VERDICT_PASS || viewing->verdict->status == VERDICT_FAIL;
    struct opt_f64 upper = statistics->pass_upper_pct;
    char one_sided[FORMAT_BYTES + 40] = "";
    if (upper.set)
        (void)snprintf(one_sided, sizeof one_sided, "; a pass is one-sided: at most %+.1f %%",
                       format_zero(upper.value, 1));
    if (statistics->estimate_pct.set && statistics->ci_low_pct.set && statistics->ci_high_pct.set)
        line_add(viewing, lines, "the rule's estimate",
                 "%+.1f %% (95 %% interval %+.1f..%+.1f %%%s)",
                 format_zero(statistics->estimate_pct.value, 1),
                 format_zero(statistics->ci_low_pct.value, 1),
                 format_zero(statistics->ci_high_pct.value, 1), one_sided);
    statistic_line(viewing, lines, "p of slower", statistics->p, "");
    statistic_line(viewing, lines, "degrees of freedom", statistics->df, "");
    statistic_line(viewing, lines, "spread between runs", statistics->run_sd_pct, " %");
    if (statistics->mde_pct.set)
        line_add(viewing, lines, "smallest loss it could see",
                 statistics->mde_pct.value > 100 ? "not even a doubled step" : "%.1f %%",
                 statistics->mde_pct.value);
    statistic_line(viewing, lines, "effective steps", statistics->effective_steps, "");
    statistic_line(viewing, lines, "autocorrelation of steps", statistics->autocorrelation, "");
    if (statistics->more_runs_needed.set && !is_answer)
        line_add(viewing, lines,
                 viewing->verdict->paired ? "more pairs needed" : "more runs needed", "%lld",
                 (long long)statistics->more_runs_needed.value);
    if (statistics->more_steps_needed.set && !is_answer)
        line_add(viewing, lines, "or steps in each capture", "%lld",
                 (long long)statistics->more_steps_needed.value);
    if (statistics->drift_pct_per_run.set)
        line_add(viewing, lines, "drift of the past runs", "%+.2f %% per run",
                 format_zero(statistics->drift_pct_per_run.value, 2));
    if (statistics->level_change_pct.set)
        line_add(viewing, lines, "last change of level of the past runs", "%+.1f %%",
                 format_zero(statistics->level_change_pct.value, 1));
    if (statistics->level_end_pct.set)
        line_add(viewing, lines, "change of level behind the candidate", "%+.1f %%",
                 format_zero(statistics->level_end_pct.value, 1));
}

/* "p1 p2 p3, branch main, commit 1a2b3c4 (the last 10 comparable runs)" */
static void side_line(struct viewing *viewing, struct view_lines *lines, const char *label,
                      const struct verdict_side *side)
{
    scoped_text text;
    text_init(&text, SIDE_MAX_BYTES);
    for (size_t i = 0; i < side->profile_ids.count; i++)
        text_addf(&text, "%s%s", i == 0 ? "" : " ", side->profile_ids.items[i]);
    if (side->branch != NULL)
        text_addf(&text, ", branch %s", side->branch);
    if (side->commit != NULL)
        text_addf(&text, ", commit %.*s", HASH_SHOWN, side->commit);
    for (size_t i = 0; i < side->labels.count; i++)
        text_addf(&text, "%s%s", i == 0 ? ", label " : ", ", side->labels.items[i]);
    bool says_aside = side->why != NULL && strstr(side->why, "set aside") != NULL;
    if (side->why != NULL && side->set_aside_count > 0 && !says_aside) /* of an older rule */
        text_addf(&text, " (%s; set aside: %zu)", side->why, side->set_aside_count);
    else if (side->why != NULL)
        text_addf(&text, " (%s)", side->why);
    line_add(viewing, lines, label, "%s", text_keep_start(&text, viewing->arena));
}

static void compared_view(struct viewing *viewing, struct verdict_view *view)
{
    const struct verdict *verdict = viewing->verdict;
    struct view_lines *lines = &view->compared;
    if (verdict->project != NULL && verdict->workload != NULL)
        line_add(viewing, lines, "workload", "%s/%s", verdict->project, verdict->workload);
    side_line(viewing, lines, "baseline", &verdict->baseline);
    /* What does not count of the baseline, each with its reason. */
    const struct verdict_side *side = &verdict->baseline;
    enum { NAMED = 5 };
    for (size_t i = 0; i < side->set_aside_count && i < NAMED; i++)
        line_add(viewing, lines, "set aside", "%s", side->set_aside[i].text);
    if (side->set_aside_count > NAMED)
        line_add(viewing, lines, "set aside", "%zu more, named in the JSON form",
                 side->set_aside_count - NAMED);
    side_line(viewing, lines, "candidate", &verdict->candidate);
    if (verdict->candidate.attempts.set && verdict->candidate.attempts.value > 1)
        line_add(viewing, lines, "attempts", "this change has been judged %lld times",
                 (long long)verdict->candidate.attempts.value);
    if (verdict->rule_id != NULL)
        line_add(viewing, lines, "rule", "%s, version %lld", verdict->rule_id,
                 (long long)verdict->rule_version);
    if (verdict->policy_sha256 != NULL)
        line_add(viewing, lines, "policy", "%.*s", HASH_SHOWN, verdict->policy_sha256);
    if (verdict->evidence_sha256 != NULL)
        line_add(viewing, lines, "evidence", "%.*s", HASH_SHOWN, verdict->evidence_sha256);
    if (verdict->created_at_utc != NULL)
        line_add(viewing, lines, "judged at", "%s", verdict->created_at_utc);
}

void verdict_view_make(const struct verdict *verdict, struct arena *arena,
                       struct verdict_view *ret_view)
{
    struct viewing viewing = {verdict, arena};
    struct verdict_view view = {.status = verdict_status_words[verdict->status],
                                .sentence = verdict_sentence(verdict, arena),
                                .efficiency = verdict_efficiency(verdict, arena)};
    steps_view(&viewing, &view);
    ops_view(&viewing, &view);
    balance_view(&viewing, &view);
    groups_view(&viewing, &view);
    measures_view(&viewing, &view);
    statistics_view(&viewing, &view);
    compared_view(&viewing, &view);
    *ret_view = view;
    verdict_next_find(verdict, arena, &ret_view->next);
}
