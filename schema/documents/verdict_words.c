/* The words for a verdict: its status, and the sentence that stands first: what happened to the
 * step, and what to look at.
 *
 * The cause that the sentence names is told by cause_words.c. When something else than the step
 * decided, or the step did not get slower, the reason that the gate put first stands there instead.
 */
#include "schema/documents/verdict_words.h"

#include "ops/runtime/text.h"
#include "schema/documents/measures.h"
#include "schema/documents/cause_words.h"
#include "schema/documents/verdict_reasons.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *const verdict_status_words[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = "PASS",
    [VERDICT_WARN] = "WARN",
    [VERDICT_FAIL] = "FAIL",
    [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    [VERDICT_INCOMPARABLE] = "INCOMPARABLE",
};

/* A step that changes by less than this explains nothing: another measure decided. */
static const double CLEAR_CHANGE_PCT = 0.5;

static const char *first_reason(const struct verdict *verdict)
{
    return verdict->reason_count > 0 ? verdict->reasons[0].text : "no reason was recorded";
}

/* The step grew, and that is what decided. */
static bool step_decided(const struct verdict *verdict, struct opt_f64 change)
{
    static const char of_step[] = "step_median_";
    return change.set && change.value > CLEAR_CHANGE_PCT &&
           (verdict->reason_count == 0 ||
            strncmp(verdict->reasons[0].code, of_step, sizeof of_step - 1) == 0);
}

static const char *cause_sentence(const struct verdict *verdict, struct arena *arena)
{
    static const char same[] =
        "both sides ran one compiled program (A/A), so its environment is slower, not the change";
    if (verdict->rule_id == NULL || strcmp(verdict->rule_id, "same_program") != 0)
        return verdict_cause_words(verdict, arena);
    if (verdict->cause.kind == NULL && !verdict_has_reason(verdict, "devices_differ"))
        return same;
    const char *cause = verdict_cause_words(verdict, arena);
    size_t length = strlen(cause);
    bool ends = length > 0 && cause[length - 1] == '.'; /* a whole reason, not words of ours */
    return arena_printf(arena,
                        "%.*s; both sides ran one compiled program (A/A), so it is not the change",
                        (int)(ends ? length - 1 : length), cause);
}

static const char *pass_sentence(const struct verdict *verdict, struct arena *arena)
{
    if (verdict_has_reason(verdict, "step_median_improved")) {
        bool same = verdict_has_reason(verdict, "same_program");
        return same ? "both sides ran one compiled program (A/A), so its environment is faster"
                    : verdict_cause_words(verdict, arena);
    }
    if (verdict_has_reason(verdict, "step_median_regressed") ||
        verdict_has_reason(verdict, "step_median_suspected"))
        return "the step is longer, which the policy takes for information only";
    if (!verdict->statistics.mde_pct.set)
        return !verdict_has_reason(verdict, "few_runs")
                   ? "no regression"
                   : "within the fixed limit; too few past runs to see a smaller loss";
    return arena_printf(arena, "no regression; a loss of %.1f %% would have been seen",
                        verdict->statistics.mde_pct.value);
}

static bool candidate_has_fewer_hosts(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        const struct verdict_mismatch *row = &verdict->mismatches[i];
        if (strcmp(row->field, "host_count") == 0 && row->baseline != NULL &&
            row->candidate != NULL)
            return strtoll(row->candidate, NULL, 10) < strtoll(row->baseline, NULL, 10);
    }
    return false;
}

/* What a file, or a file that is not there, does not hold looks like other hardware. */
static const char *lack_words(const struct verdict *verdict)
{
    if (verdict_has_reason(verdict, "profile_truncated"))
        return "; a profile is truncated: take it again";
    if (verdict_has_reason(verdict, "hosts_missing"))
        return "; files of hosts are missing: ingest them too (`show` of the profile names them)";
    return candidate_has_fewer_hosts(verdict)
               ? "; if it ran on as many hosts, files of some are missing: ingest them too"
               : "";
}

static const char *incomparable_sentence(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_mismatch *first = NULL;
    size_t strict = 0;
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        if (strcmp(verdict->mismatches[i].action, "strict") != 0)
            continue;
        first = first == NULL ? &verdict->mismatches[i] : first;
        strict++;
    }
    if (first == NULL)
        return first_reason(verdict);
    const char *baseline = first->baseline == NULL ? "unknown" : first->baseline;
    const char *candidate = first->candidate == NULL ? "unknown" : first->candidate;
    const char *cut = lack_words(verdict);
    if (strict == 1)
        return arena_printf(arena, "%s differs: %s in the baseline, %s in the candidate%s",
                            first->field, baseline, candidate, cut);
    return arena_printf(arena,
                        "%s differs: %s in the baseline, %s in the candidate (and %zu more)%s",
                        first->field, baseline, candidate, strict - 1, cut);
}

static const char *estimate_words(const struct verdict *verdict, struct opt_f64 change,
                                  struct arena *arena)
{
    struct opt_f64 estimate = verdict->statistics.estimate_pct;
    char percent[FORMAT_BYTES];
    if (!estimate.set || !change.set || fabs(estimate.value - change.value) < ESTIMATES_APART_PCT)
        return "";
    return arena_printf(arena, "the rule estimates %s; ",
                        format_percent_delta(estimate.value, percent));
}

/* The runs of a change that failed before do not rule out that it costs what matters. */
static bool earlier_fail_stands(const struct verdict *verdict)
{
    return verdict->reason_count > 0 &&
           strcmp(verdict->reasons[0].code, "earlier_fail_stands") == 0;
}

static const char *standing_words(const struct verdict *verdict, struct arena *arena)
{
    char runs[FORMAT_COUNTED_BYTES];
    bool is_elsewhere = strncmp(verdict->reasons[0].text, VERDICT_FAILED_AGAINST,
                                sizeof VERDICT_FAILED_AGAINST - 1) == 0;
    if (is_elsewhere)
        return "against another baseline, which does not lift that";
    return arena_printf(
        arena, "%s of it %s not rule out a loss that matters",
        format_counted(verdict->candidate.run_count, verdict->paired ? "pair" : "run", runs),
        verdict->candidate.run_count == 1 ? "does" : "together do");
}

/* The sentence that a fail which stands failed by, where the medians beside it say nothing of that;
 * NULL: it did by them, or that is not known. */
static const char *failed_aside(const struct verdict *verdict)
{
    static const char of_medians[] = "Step time ", behind[] = VERDICT_FAILED_BY;
    const char *by = strstr(first_reason(verdict), behind);
    by = by == NULL ? NULL : by + sizeof behind - 1;
    return by == NULL || strncmp(by, of_medians, sizeof of_medians - 1) == 0 ? NULL : by;
}

bool verdict_median_is_aside(const struct verdict *verdict)
{
    static const char *const codes[] = {"step_period_regressed",
                                        "step_period_suspected",
                                        "step_period_uncertain",
                                        "steps_slow",
                                        "steps_regressed_throughout",
                                        "warmup_unlike_past",
                                        "op_outweighs"};
    if (verdict->status == VERDICT_PASS || verdict->reason_count == 0)
        return false;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(verdict->reasons[0].code, codes[i]) == 0)
            return true;
    }
    return false;
}

static const char *step_sentence(const struct verdict *verdict, struct arena *arena)
{
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    bool stands = earlier_fail_stands(verdict);
    if (verdict_median_is_aside(verdict))
        return first_reason(verdict);
    const char *aside = stands ? failed_aside(verdict) : NULL;
    if (aside != NULL) {
        const char *standing = standing_words(verdict, arena);
        size_t length = strlen(aside);
        bool ends = length > 0 && aside[length - 1] == '.';
        return arena_printf(arena, "%.*s; %s", (int)(length - ends), aside, standing);
    }
    if (!before.set || !after.set)
        return stands ? standing_words(verdict, arena) : first_reason(verdict);
    struct opt_f64 change = change_percent(before, after);
    bool passed = verdict->status == VERDICT_PASS;
    bool improved = passed && verdict_has_reason(verdict, "step_median_improved");
    const char *cause = passed                          ? pass_sentence(verdict, arena)
                        : stands                        ? standing_words(verdict, arena)
                        : step_decided(verdict, change) ? cause_sentence(verdict, arena)
                                                        : first_reason(verdict);
    const char *estimate = estimate_words(verdict, change, arena);
    char pair[FORMAT_CHANGE_BYTES];
    return arena_printf(arena, "%sstep time %s: %s%s", improved ? "faster: " : "",
                        format_change(before.value, after.value, pair), estimate, cause);
}

/* "attempt 3, v1 failed: ", "v1 failed before: ": a later verdict does not hide an earlier one. ""
 * at the first. */
static const char *attempt_words(const struct verdict *verdict, struct arena *arena)
{
    enum { SHOWN = 2 };
    const struct verdict_side *side = &verdict->candidate;
    const struct string_list *failed = &side->earlier_failed;
    const char *first = failed->count > 0 ? failed->items[0] : "";
    const char *last = failed->count > 1 ? failed->items[failed->count - 1] : "";
    const char *stands = !earlier_fail_stands(verdict) ? ""
                         : failed->count == 1          ? " and stands"
                                                       : " and stand";
    long long attempts = (long long)side->attempts.value;
    bool is_first = attempts < 2 && stands[0] == '\0';
    if (!side->attempts.set ||
        (is_first && (failed->count == 0 || verdict->status == VERDICT_FAIL)))
        return "";
    if (failed->count == 0)
        return arena_printf(arena, "attempt %lld: ", attempts);
    if (is_first)
        return arena_printf(arena, "%s failed before: ", first);
    if (failed->count <= SHOWN)
        return arena_printf(arena, "attempt %lld, %s%s%s failed%s: ", attempts, first,
                            failed->count == SHOWN ? " and " : "", last, stands);
    return arena_printf(arena, "attempt %lld, %s to %s (%zu) failed%s: ", attempts, first, last,
                        failed->count, stands);
}

/* What cannot be told first: a warning beside it is no verdict on the step. */
static const char *undecided_sentence(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_reason *beside = verdict_reason_find(verdict, "warned_beside");
    if (beside == NULL || beside->text == first_reason(verdict))
        return first_reason(verdict);
    return arena_printf(arena, "%s %s", first_reason(verdict), beside->text);
}

bool verdict_warns_beside(const struct verdict *verdict)
{
    return verdict->status == VERDICT_INCONCLUSIVE && verdict_has_reason(verdict, "warned_beside");
}

static const char *own_sentence(const struct verdict *verdict, struct arena *arena)
{
    switch (verdict->status) {
    case VERDICT_INCOMPARABLE:
        return incomparable_sentence(verdict, arena);
    case VERDICT_INCONCLUSIVE:
        return undecided_sentence(verdict, arena);
    default:
        return step_sentence(verdict, arena);
    }
}

/* What stands before the sentence on the medians, which it does not show: slow steps, unless they
 * made the status, and runs of two kinds where nothing is decided by what all of them say. */
static const struct verdict_reason *unshown_reason(const struct verdict *verdict)
{
    bool decided = verdict->status == VERDICT_FAIL || verdict->status == VERDICT_WARN;
    const struct verdict_reason *slow = decided ? NULL : verdict_reason_find(verdict, "steps_slow");
    bool is_open = verdict->status == VERDICT_INCONCLUSIVE || earlier_fail_stands(verdict);
    return slow != NULL || !is_open ? slow : verdict_reason_find(verdict, "candidate_mixed");
}

static const char *whole_sentence(const struct verdict *verdict, struct arena *arena)
{
    const char *sentence = own_sentence(verdict, arena);
    const struct verdict_reason *before = unshown_reason(verdict);
    if (before == NULL || before->text == sentence)
        return sentence;
    size_t length = strlen(before->text);
    bool joins = islower((unsigned char)sentence[0]) && length > 0;
    return arena_printf(arena, "%.*s%s %s", (int)(joins ? length - 1 : length), before->text,
                        joins ? ";" : "", sentence);
}

const char *verdict_sentence(const struct verdict *verdict, struct arena *arena)
{
    return arena_printf(arena, "%s%s", attempt_words(verdict, arena),
                        whole_sentence(verdict, arena));
}

/* Shares of less differ by less than is shown of a difference. */
static const double difference_shown_least = 0.0005;

/* One measure as words behind `label`, or "" when no side tells it. */
static const char *efficiency_part(const struct verdict *verdict, enum measure measure,
                                   const char *label, struct arena *arena)
{
    const struct verdict_measure *row = NULL;
    char before[FORMAT_BYTES], after[FORMAT_BYTES], delta[FORMAT_BYTES];
    for (size_t i = 0; i < verdict->measure_count; i++)
        if (strcmp(verdict->measures[i].name, measure_rows[measure].name) == 0)
            row = &verdict->measures[i];
    if (row == NULL || !(row->before.set || row->after.set))
        return "";
    if (!row->after.set)
        return arena_printf(arena, "%s not known (was %s)", label,
                            measure_text(row->unit, row->before.value, false, before));
    (void)measure_text(row->unit, row->after.value, false, after);
    if (!row->before.set)
        return arena_printf(arena, "%s %s (before: %s)", label, after,
                            verdict_has_reason(verdict, "figure_sources_differ") ? "not comparable"
                                                                                 : "not known");
    if (fmax(row->before.value, row->after.value) < difference_shown_least)
        return arena_printf(arena, "%s %s (was %s)", label, after,
                            measure_text(row->unit, row->before.value, false, before));
    return arena_printf(arena, "%s %s (was %s, %s)", label, after,
                        measure_text(row->unit, row->before.value, false, before),
                        measure_text(row->unit, row->after.value - row->before.value, true, delta));
}

const char *verdict_efficiency(const struct verdict *verdict, struct arena *arena)
{
    if (verdict->status == VERDICT_INCOMPARABLE)
        return "";
    const char *mfu = efficiency_part(verdict, MEASURE_mfu, "MFU", arena);
    const char *tokens =
        efficiency_part(verdict, MEASURE_tokens_per_second_per_device, "tokens per device", arena);
    return arena_printf(arena, "%s%s%s", mfu, mfu[0] != '\0' && tokens[0] != '\0' ? ", " : "",
                        tokens);
}
