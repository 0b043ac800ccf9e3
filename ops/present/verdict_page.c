/* The sections of a verdict: why, step time, the ops that moved, other measures, statistics,
 * provenance, what was compared. */
#include "ops/present/verdict_page.h"

#include "ops/present/format.h"
#include "ops/present/verdict_groups.h"
#include "schema/verdict_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HASH_SHOWN = 12, STEP_DIGITS = 5, OP_DIGITS = 4, DELTA_DIGITS = 3 };

static const enum tone status_tones[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = TONE_GOOD,         [VERDICT_WARN] = TONE_WARN,
    [VERDICT_FAIL] = TONE_BAD,          [VERDICT_INCONCLUSIVE] = TONE_WARN,
    [VERDICT_INCOMPARABLE] = TONE_WARN,
};

/* The tone of a word in a document: changes of ops, states of measures, actions of mismatches. */
static enum tone tone_of(const char *word)
{
    static const struct {
        const char *word;
        enum tone tone;
    } tones[] = {
        {"slower", TONE_BAD}, {"added", TONE_BAD}, {"faster", TONE_GOOD}, {"removed", TONE_GOOD},
        {"fail", TONE_BAD},   {"warn", TONE_WARN}, {"strict", TONE_BAD},  {"ok", TONE_GOOD},
    };
    for (size_t i = 0; i < sizeof tones / sizeof *tones; i++) {
        if (strcmp(tones[i].word, word) == 0)
            return tones[i].tone;
    }
    return TONE_PLAIN;
}

static void why_add(const struct verdict *verdict, struct page *page)
{
    if (verdict->reason_count == 0)
        return;
    page_heading(page, false, "Why");
    for (size_t i = 0; i < verdict->reason_count; i++)
        page_item(page, TONE_PLAIN, verdict->reasons[i].code, "%s", verdict->reasons[i].text);
}

/* ---- step time ----------------------------------------------------------------------------------
 */

static void step_row(struct table *table, const char *name, struct opt_f64 before,
                     struct opt_f64 after)
{
    double largest = fmax(before.set ? before.value : 0, after.set ? after.value : 0);
    struct duration_scale scale = duration_scale_for(largest, STEP_DIGITS);
    struct opt_f64 percent = change_percent(before, after);
    struct opt_f64 delta = {before.set && after.set, after.value - before.value};
    char buffer[FORMAT_BYTES];
    table_add(table, TONE_PLAIN, name);
    table_add(table, TONE_PLAIN, format_scaled(scale, before, false, buffer));
    table_add(table, TONE_PLAIN, format_scaled(scale, after, false, buffer));
    table_add(table, TONE_PLAIN, format_scaled(scale, delta, true, buffer));
    table_add(table, TONE_PLAIN, percent.set ? format_percent_delta(percent.value, buffer) : "");
}

static void count_row(struct table *table, const char *name, int64_t before, int64_t after)
{
    char buffer[FORMAT_BYTES];
    table_add(table, TONE_DIM, name);
    table_add(table, TONE_DIM, format_count(before, buffer));
    table_add(table, TONE_DIM, format_count(after, buffer));
    table_add(table, TONE_DIM, " ");
    table_add(table, TONE_DIM, " ");
}

static void steps_add(const struct verdict *verdict, struct page *page)
{
    static const struct table_column columns[] = {{"", COLUMN_TEXT},
                                                  {"baseline", COLUMN_NUMBER},
                                                  {"candidate", COLUMN_NUMBER},
                                                  {"change", COLUMN_NUMBER},
                                                  {"", COLUMN_NUMBER}};
    const struct verdict_side *before = &verdict->baseline;
    const struct verdict_side *after = &verdict->candidate;
    page_heading(page, false, "Step time");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    step_row(table, "median", before->step_median_us, after->step_median_us);
    step_row(table, "p90", before->step_p90_us, after->step_p90_us);
    count_row(table, "runs", before->run_count, after->run_count);
    count_row(table, "steady steps", before->step_count, after->step_count);
    if (verdict->slow_devices != NULL)
        page_paragraph(page, TONE_PLAIN, "%s", verdict->slow_devices);
}

/* ---- ops ----------------------------------------------------------------------------------------
 */

static double largest_of_ops(const struct verdict *verdict, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fmax(verdict->ops[i].before_us, verdict->ops[i].after_us));
    return largest;
}

static void op_row(struct table *table, const struct verdict_op *op, struct duration_scale scale)
{
    char buffer[FORMAT_BYTES];
    enum tone tone = tone_of(op->change);
    table_add(table, tone, op->change);
    table_add(table, TONE_PLAIN, op->name);
    table_add_path(table, op->op_path);
    struct opt_f64 before = {strcmp(op->change, "added") != 0, op->before_us};
    struct opt_f64 after = {strcmp(op->change, "removed") != 0, op->after_us};
    table_add(table, TONE_PLAIN, format_scaled(scale, before, false, buffer));
    table_add(table, TONE_PLAIN, format_scaled(scale, after, false, buffer));
    table_add(table, tone, format_scaled(scale, some_f64(op->delta_us), true, buffer));
    table_add(table, TONE_PLAIN,
              op->delta_pct.set ? format_percent_delta(op->delta_pct.value, buffer) : "");
    table_add(table, TONE_PLAIN, format_percent_delta(op->share_of_step * 100, buffer));
}

static void balance_add(const struct verdict_balance *balance, struct page *page)
{
    if (!balance->known)
        return;
    double largest = fmax(fabs(balance->step_delta_us), fabs(balance->ops_delta_us));
    struct duration_scale scale = duration_scale_for(largest, DELTA_DIGITS);
    char step[FORMAT_BYTES], ops[FORMAT_BYTES], idle[FORMAT_BYTES], residual[FORMAT_BYTES];
    page_paragraph(page, TONE_PLAIN, "Mean step %s: ops %s, idle %s, not explained %s.",
                   format_scaled(scale, some_f64(balance->step_delta_us), true, step),
                   format_scaled(scale, some_f64(balance->ops_delta_us), true, ops),
                   format_scaled(scale, some_f64(balance->idle_delta_us), true, idle),
                   format_scaled(scale, some_f64(balance->residual_us), true, residual));
}

static void ops_add(const struct verdict *verdict, size_t op_limit, struct page *page)
{
    static const struct table_column columns[] = {
        {"change", COLUMN_TEXT},   {"op", COLUMN_NAME},       {"path", COLUMN_PATH},
        {"before", COLUMN_NUMBER}, {"after", COLUMN_NUMBER},  {"delta", COLUMN_NUMBER},
        {"", COLUMN_NUMBER},       {"of step", COLUMN_NUMBER}};
    size_t moved = verdict_moved_count(verdict);
    size_t shown = moved < op_limit ? moved : op_limit;
    if (verdict->op_count == 0 && !verdict->balance.known)
        return;
    page_heading(page, false, "Ops that moved (self time per step and device)");
    if (shown == 0)
        page_paragraph(page, TONE_PLAIN, "No op moved.");
    else {
        struct duration_scale scale = duration_scale_for(largest_of_ops(verdict, shown), OP_DIGITS);
        struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < shown; i++)
            op_row(table, &verdict->ops[i], scale);
    }
    if (verdict->op_count > shown)
        page_paragraph(page, TONE_DIM, "%zu more are in the JSON form%s.",
                       verdict->op_count - shown,
                       moved == shown ? ": they did not move by what matters" : "");
    balance_add(&verdict->balance, page);
}

/* ---- other measures -----------------------------------------------------------------------------
 */

/* A measure without a limit that changed by less of itself is not worth a line. */
static const double SMALL_PART = 0.005;

/* The step's own measures stand in the table of step times; what has no limit and hardly changed is
 * in the JSON form. */
static bool measure_is_shown(const struct verdict_measure *measure)
{
    static const char *const steps[] = {
        "steady_step_median", "steady_step_p90", "step_median", "step_p90",
        "step_mean",          "step_min",        "step_max"};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strcmp(measure->name, steps[i]) == 0)
            return false;
    }
    bool moved =
        measure->delta.set && fabs(measure->delta.value) > SMALL_PART * fabs(measure->before.value);
    return (measure->before.set || measure->after.set) && (measure->limit.set || moved);
}

static const char *measure_value(const struct verdict_measure *measure, struct opt_f64 value,
                                 bool with_sign, char *buffer)
{
    if (!value.set)
        return "";
    if (strcmp(measure->unit, "us") == 0)
        return with_sign ? format_duration_delta(value.value, 4, buffer)
                         : format_duration(value.value, 4, buffer);
    if (strcmp(measure->unit, "share") == 0)
        return with_sign ? format_share_delta(value.value, buffer)
                         : format_share(value.value, buffer);
    (void)snprintf(buffer, FORMAT_BYTES, with_sign ? "%+.4g" : "%.4g", value.value);
    return buffer;
}

/* "exposed_communication_share" reads as "exposed communication share". */
static void measure_name_add(struct table *table, const char *name)
{
    char words[64];
    (void)snprintf(words, sizeof words, "%s", name);
    for (char *p = words; *p != '\0'; p++)
        *p = *p == '_' ? ' ' : *p;
    table_add(table, TONE_PLAIN, words);
}

static void measures_add(const struct verdict *verdict, struct page *page)
{
    static const struct table_column columns[] = {
        {"measure", COLUMN_TEXT},  {"before", COLUMN_NUMBER},  {"after", COLUMN_NUMBER},
        {"change", COLUMN_NUMBER}, {"allowed", COLUMN_NUMBER}, {"status", COLUMN_TEXT}};
    struct table *table = NULL;
    for (size_t i = 0; i < verdict->measure_count; i++) {
        const struct verdict_measure *measure = &verdict->measures[i];
        if (!measure_is_shown(measure))
            continue;
        if (table == NULL) {
            page_heading(page, true, "Other measures");
            table = page_table(page, columns, sizeof columns / sizeof *columns);
        }
        char buffer[FORMAT_BYTES];
        measure_name_add(table, measure->name);
        table_add(table, TONE_PLAIN, measure_value(measure, measure->before, false, buffer));
        table_add(table, TONE_PLAIN, measure_value(measure, measure->after, false, buffer));
        table_add(table, TONE_PLAIN, measure_value(measure, measure->delta, true, buffer));
        table_add(table, TONE_DIM, measure_value(measure, measure->limit, true, buffer));
        table_add(table, tone_of(measure->status), measure->status);
    }
}

static void statistic_add(struct page *page, const char *label, struct opt_f64 value,
                          const char *unit)
{
    if (value.set)
        page_item(page, TONE_PLAIN, label, "%.3g%s", value.value, unit);
}

static void statistics_add(const struct verdict_statistics *statistics, struct page *page)
{
    if (!statistics->estimate_pct.set && !statistics->effective_steps.set)
        return;
    page_heading(page, true, "Statistics (runs are the samples)");
    if (statistics->estimate_pct.set && statistics->ci_low_pct.set && statistics->ci_high_pct.set)
        page_item(page, TONE_PLAIN, "change", "%+.2f %% (95 %% interval %+.2f .. %+.2f %%)",
                  statistics->estimate_pct.value, statistics->ci_low_pct.value,
                  statistics->ci_high_pct.value);
    statistic_add(page, "p", statistics->p, "");
    statistic_add(page, "degrees of freedom", statistics->df, "");
    statistic_add(page, "spread between runs", statistics->run_sd_pct, " %");
    statistic_add(page, "smallest change it could see", statistics->mde_pct, " %");
    statistic_add(page, "effective steps", statistics->effective_steps, "");
    statistic_add(page, "autocorrelation of steps", statistics->autocorrelation, "");
    if (statistics->more_runs_needed.set)
        page_item(page, TONE_PLAIN, "more runs needed", "%lld",
                  (long long)statistics->more_runs_needed.value);
}

/* ---- provenance ---------------------------------------------------------------------------------
 */

static void provenance_add(const struct verdict *verdict, struct page *page)
{
    static const struct table_column columns[] = {{"fact", COLUMN_TEXT},
                                                  {"baseline", COLUMN_NAME},
                                                  {"candidate", COLUMN_NAME},
                                                  {"action", COLUMN_TEXT}};
    page_heading(page, verdict->status != VERDICT_INCOMPARABLE, "Provenance");
    if (verdict->mismatch_count == 0)
        page_paragraph(page, TONE_PLAIN, "All known facts of both sides agree.");
    else {
        struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < verdict->mismatch_count; i++) {
            const struct verdict_mismatch *mismatch = &verdict->mismatches[i];
            table_add(table, TONE_PLAIN, mismatch->field);
            table_add(table, TONE_PLAIN,
                      mismatch->baseline == NULL ? "unknown" : mismatch->baseline);
            table_add(table, TONE_PLAIN,
                      mismatch->candidate == NULL ? "unknown" : mismatch->candidate);
            table_add(table, tone_of(mismatch->action), mismatch->action);
        }
    }
    for (size_t i = 0; i < verdict->provenance_messages.count; i++)
        page_item(page, TONE_WARN, NULL, "%s", verdict->provenance_messages.items[i]);
}

/* "p1 p2 p3, 3 runs, main at 1a2b3c4; the last 10 comparable runs" */
static void side_add(const char *label, const struct verdict_side *side, struct page *page)
{
    scoped_text text;
    text_init(&text, 1 << 20);
    for (size_t i = 0; i < side->profile_ids.count; i++)
        text_addf(&text, "%s%s", i == 0 ? "" : " ", side->profile_ids.items[i]);
    if (side->branch != NULL)
        text_addf(&text, ", branch %s", side->branch);
    if (side->commit != NULL)
        text_addf(&text, ", commit %.*s", HASH_SHOWN, side->commit);
    for (size_t i = 0; i < side->labels.count; i++)
        text_addf(&text, "%s%s", i == 0 ? ", label " : ", ", side->labels.items[i]);
    if (side->why != NULL)
        text_addf(&text, " (%s)", side->why);
    page_item(page, TONE_PLAIN, label, "%s", text_string(&text));
}

static void compared_add(const struct verdict *verdict, struct page *page)
{
    page_heading(page, true, "What was compared");
    if (verdict->project != NULL && verdict->workload != NULL)
        page_item(page, TONE_PLAIN, "workload", "%s/%s", verdict->project, verdict->workload);
    side_add("baseline", &verdict->baseline, page);
    side_add("candidate", &verdict->candidate, page);
    if (verdict->rule_id != NULL)
        page_item(page, TONE_PLAIN, "rule", "%s, version %lld", verdict->rule_id,
                  (long long)verdict->rule_version);
    if (verdict->policy_sha256 != NULL)
        page_item(page, TONE_DIM, "policy", "%.*s", HASH_SHOWN, verdict->policy_sha256);
    if (verdict->evidence_sha256 != NULL)
        page_item(page, TONE_DIM, "evidence", "%.*s", HASH_SHOWN, verdict->evidence_sha256);
    if (verdict->created_at_utc != NULL)
        page_item(page, TONE_DIM, "judged at", "%s", verdict->created_at_utc);
}

void verdict_page_fill(const struct verdict *verdict, size_t op_limit, struct page *page)
{
    const char *sentence = verdict_sentence(verdict, page->arena);
    page->failed |= sentence == NULL;
    page_headline(page, status_tones[verdict->status], verdict_status_words[verdict->status], "%s",
                  sentence == NULL ? "" : sentence);
    why_add(verdict, page);
    bool steps_known =
        verdict->baseline.step_median_us.set || verdict->candidate.step_median_us.set;
    if (steps_known &&
        verdict->status != VERDICT_INCOMPARABLE) /* a change would invite comparing */
        steps_add(verdict, page);
    ops_add(verdict, op_limit, page);
    verdict_groups_add(verdict, page);
    measures_add(verdict, page);
    statistics_add(&verdict->statistics, page);
    provenance_add(verdict, page);
    compared_add(verdict, page);
}
