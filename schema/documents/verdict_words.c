/* The words for a verdict: its status, and the sentence that stands first: what happened to the
 * step, and what to look at.
 *
 * The cause that the sentence names is the gate's (verdict.cause), with the part of the loss that
 * it explains. When something else than the step decided, or the step did not get slower, the
 * reason that the gate put first stands there instead.
 */
#include "schema/documents/verdict_words.h"

#include "ops/runtime/text.h"
#include "schema/documents/op_path.h"
#include "schema/documents/verdict_reasons.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DELTA_DIGITS = 3, PATH_PARTS = 3, NAME_CHARS = 60 };

const char *const verdict_status_words[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = "PASS",
    [VERDICT_WARN] = "WARN",
    [VERDICT_FAIL] = "FAIL",
    [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    [VERDICT_INCOMPARABLE] = "INCOMPARABLE",
};

/* A step that changes by less than this explains nothing: another measure decided. */
static const double CLEAR_CHANGE_PCT = 0.5;

/* The medians' change, the rule's estimate and the ops' change are figures of their own: where they
 * are so far apart that they could not be taken for one, a sentence says which it gives. */
static const double estimates_apart_pct = 0.5;

/* The last parts of "Net/layers/attention/dot_general", where the meaning is. */
static const char *path_tail(const char *path)
{
    const char *tail = path + strlen(path);
    for (int parts = 0; tail > path; tail--) {
        if (tail[-1] == '/' && ++parts == PATH_PARTS)
            break;
    }
    return tail;
}

/* How many bytes of a name stand in a sentence: profiles hold names of any length. */
static int name_bytes(const char *name)
{
    const char *end = name + strlen(name), *p = name;
    for (int chars = 0; p < end && chars < NAME_CHARS; chars++)
        (void)text_utf8_next(&p, end);
    return (int)(p - name);
}

static const char *op_sentence(const struct verdict_op *op, struct arena *arena)
{
    char delta[FORMAT_BYTES];
    const char *added = strcmp(op->change, "added") == 0 ? "new op " : "";
    (void)format_duration_delta(op->delta_us, DELTA_DIGITS, delta);
    const char *path = op->op_path == NULL ? "" : op_path_written(arena, op->op_path);
    if (path == NULL)
        return NULL;
    const char *tail = path_tail(path);
    int name_length = name_bytes(op->name);
    const char *cut = op->name[name_length] != '\0' ? "…" : "";
    if (tail[0] == '\0')
        return arena_printf(arena, "%s%.*s%s %s/step", added, name_length, op->name, cut, delta);
    return arena_printf(arena, "%s%.*s%s (%.*s) %s/step", added, name_length, op->name, cut,
                        name_bytes(tail), tail, delta);
}

static const struct verdict_op *worst_op(const struct verdict *verdict)
{
    const struct verdict_op *worst = NULL;
    for (size_t i = 0, moved = verdict_moved_count(verdict); i < moved; i++) {
        const struct verdict_op *op = &verdict->ops[i];
        if (op->delta_us > 0 && (worst == NULL || op->delta_us > worst->delta_us))
            worst = op;
    }
    return worst;
}

static const char *first_reason(const struct verdict *verdict)
{
    return verdict->reason_count > 0 ? verdict->reasons[0].text : "no reason was recorded";
}

static const struct verdict_reason *reason_find(const struct verdict *verdict, const char *code)
{
    for (size_t i = 0; i < verdict->reason_count; i++) {
        if (strcmp(verdict->reasons[i].code, code) == 0)
            return &verdict->reasons[i];
    }
    return NULL;
}

/* The step grew, and that is what decided. */
static bool step_decided(const struct verdict *verdict, struct opt_f64 change)
{
    static const char of_step[] = "step_median_";
    return change.set && change.value > CLEAR_CHANGE_PCT &&
           (verdict->reason_count == 0 ||
            strncmp(verdict->reasons[0].code, of_step, sizeof of_step - 1) == 0);
}

/* The step's numbers stand before it already. */
static const char no_cause[] = "the captures hold no op or device that explains it";

/* Verdicts of an older rule hold no cause: the largest part of the delta is looked for here. */
static const char *older_cause(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_reason *devices = reason_find(verdict, "devices_differ");
    if (devices != NULL)
        return devices->text;
    const struct verdict_op *op = worst_op(verdict);
    double op_delta = op == NULL ? 0 : op->delta_us;
    if (verdict->balance.known && verdict->balance.idle_delta_us > op_delta) {
        char delta[FORMAT_BYTES];
        return arena_printf(
            arena, "idle time %s/step",
            format_duration_delta(verdict->balance.idle_delta_us, DELTA_DIGITS, delta));
    }
    return op == NULL ? no_cause : op_sentence(op, arena);
}

/* "96 % of the loss", by a part of it; "" when that is not known. */
static const char *share_words(struct opt_f64 share, bool gained, char *buffer)
{
    static const double all_of_it = 0.995, more_than_all = 1.05;
    const char *what = gained ? "gain" : "loss";
    if (!share.set || share.value <= 0)
        buffer[0] = '\0';
    else if (share.value > more_than_all)
        (void)snprintf(buffer, FORMAT_BYTES, "more than the %s", what);
    else if (share.value >= all_of_it)
        (void)snprintf(buffer, FORMAT_BYTES, "all of the %s", what);
    else
        (void)snprintf(buffer, FORMAT_BYTES, "%.0f %% of the %s", 100 * share.value, what);
    return buffer;
}

static const char *joined(const char *text, const char *share, struct arena *arena)
{
    return text == NULL || share[0] == '\0' ? text : arena_printf(arena, "%s, %s", text, share);
}

static const char *place_words(const struct verdict_cause *cause, struct arena *arena)
{
    char percent[FORMAT_BYTES], delta[FORMAT_BYTES];
    const char *name = cause->name == NULL ? "unknown" : cause->name;
    int length = name_bytes(name);
    (void)format_percent_delta(cause->change_pct.value, percent);
    (void)format_duration_delta(cause->delta_us, DELTA_DIGITS, delta);
    if (strcmp(cause->kind, "host") == 0)
        return arena_printf(arena, "host %.*s alone is slower: %s on %lld of %lld devices, %s/step",
                            length, name, percent, (long long)cause->count,
                            (long long)cause->of_count, delta);
    return arena_printf(arena, "%lld of %lld devices %s slower: %s%.*s %s, %s/step",
                        (long long)cause->count, (long long)cause->of_count,
                        cause->count == 1 ? "is" : "are", cause->count == 1 ? "" : "most of all ",
                        length, name, percent, delta);
}

static const char *crowd_words(const struct verdict_cause *cause, bool gained, struct arena *arena)
{
    char delta[FORMAT_BYTES], of_all[FORMAT_BYTES], of_first[FORMAT_BYTES];
    const char *name = cause->name == NULL ? "unknown" : cause->name;
    (void)share_words(cause->share_of_delta, gained, of_all);
    (void)share_words(cause->first_share, gained, of_first);
    return arena_printf(
        arena, "%lld ops %s/step%s%s; most of all %.*s%s%s", (long long)cause->count,
        format_duration_delta(cause->delta_us, DELTA_DIGITS, delta), of_all[0] == '\0' ? "" : ", ",
        of_all, name_bytes(name), name, of_first[0] == '\0' ? "" : ", ", of_first);
}

static const char *unexplained_words(const struct verdict *verdict, struct arena *arena)
{
    char delta[FORMAT_BYTES];
    if (verdict->op_count == 0)
        return no_cause;
    return arena_printf(arena, "%s/step that %s",
                        format_duration_delta(verdict->cause.delta_us, DELTA_DIGITS, delta),
                        verdict->balance.known ? "neither ops that moved nor idle time explain"
                                               : "no op that moved explains");
}

/* The op of that name among those that moved, for its path. */
static const struct verdict_op *op_named(const struct verdict *verdict, const char *name)
{
    for (size_t i = 0; name != NULL && i < verdict->op_count; i++) {
        if (strcmp(verdict->ops[i].name, name) == 0)
            return &verdict->ops[i];
    }
    return NULL;
}

/* What runs in turns show on one machine is not the machine's. */
static const char *all_ops_words(const struct verdict *verdict, const char *share,
                                 struct arena *arena)
{
    char number[FORMAT_BYTES];
    bool is_doubted = verdict->status == VERDICT_FAIL && !verdict->paired &&
                      reason_find(verdict, "same_commit_past") == NULL;
    bool may_be_work = reason_find(verdict, "work_unknown") != NULL &&
                       reason_find(verdict, "same_program") == NULL;
    struct opt_f64 step =
        change_percent(verdict->baseline.step_median_us, verdict->candidate.step_median_us);
    double ops = verdict->cause.change_pct.value;
    /* Beside the step's own change another number would be taken for it. */
    bool is_apart = step.set && fabs(ops - step.value) >= estimates_apart_pct;
    return arena_printf(
        arena, "all ops alike%s %s%s%s%s%s%s", is_apart ? ", the mean time of ops" : "",
        format_percent_delta(ops, number),
        verdict->paired ? ", also in turns on the same machine: the change as a whole (compiler "
                          "flags, runtime, layout), not one op"
        : may_be_work   ? ": clock, power, machine or other work (batch, sequence), not one op"
                        : ": clock, power or machine, not one op",
        share[0] == '\0' ? "" : " (", share, share[0] == '\0' ? "" : ")",
        is_doubted ? "; the fail stands until that is shown" : "");
}

static const char *cause_words(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_cause *cause = &verdict->cause;
    struct opt_f64 change =
        change_percent(verdict->baseline.step_median_us, verdict->candidate.step_median_us);
    bool gained = change.set && change.value < 0;
    char share[FORMAT_BYTES], number[FORMAT_BYTES];
    const struct verdict_op *op = op_named(verdict, cause->name);
    (void)share_words(cause->share_of_delta, gained, share);
    if (cause->kind == NULL)
        return older_cause(verdict, arena);
    if (strcmp(cause->kind, "host") == 0 || strcmp(cause->kind, "device") == 0)
        return joined(place_words(cause, arena), share, arena);
    if (strcmp(cause->kind, "all_ops") == 0)
        return all_ops_words(verdict, share, arena);
    if (strcmp(cause->kind, "ops") == 0)
        return crowd_words(cause, gained, arena);
    if (strcmp(cause->kind, "op") == 0 && op != NULL)
        return joined(op_sentence(op, arena), share, arena);
    if (strcmp(cause->kind, "idle") == 0)
        return joined(arena_printf(arena, "idle time %s/step",
                                   format_duration_delta(cause->delta_us, DELTA_DIGITS, number)),
                      share, arena);
    return strcmp(cause->kind, "unexplained") == 0 ? unexplained_words(verdict, arena)
                                                   : older_cause(verdict, arena);
}

static const char *cause_sentence(const struct verdict *verdict, struct arena *arena)
{
    static const char same[] =
        "both sides ran one compiled program (A/A), so its environment is slower, not the change";
    if (verdict->rule_id == NULL || strcmp(verdict->rule_id, "same_program") != 0)
        return cause_words(verdict, arena);
    if (verdict->cause.kind == NULL && reason_find(verdict, "devices_differ") == NULL)
        return same;
    const char *cause = cause_words(verdict, arena);
    if (cause == NULL)
        return NULL;
    size_t length = strlen(cause);
    bool ends = length > 0 && cause[length - 1] == '.'; /* a whole reason, not words of ours */
    return arena_printf(arena,
                        "%.*s; both sides ran one compiled program (A/A), so it is not the change",
                        (int)(ends ? length - 1 : length), cause);
}

static const char *pass_sentence(const struct verdict *verdict, struct arena *arena)
{
    if (reason_find(verdict, "step_median_improved") != NULL) {
        bool same = reason_find(verdict, "same_program") != NULL;
        return same ? "both sides ran one compiled program (A/A), so its environment is faster"
                    : cause_words(verdict, arena);
    }
    if (reason_find(verdict, "step_median_regressed") != NULL ||
        reason_find(verdict, "step_median_suspected") != NULL)
        return "the step is longer, which the policy takes for information only";
    if (!verdict->statistics.mde_pct.set)
        return reason_find(verdict, "few_runs") == NULL
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
    if (reason_find(verdict, "profile_truncated") != NULL)
        return "; a profile is truncated: take it again";
    if (reason_find(verdict, "hosts_missing") != NULL)
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
    if (!estimate.set || !change.set || fabs(estimate.value - change.value) < estimates_apart_pct)
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
    static const char *const codes[] = {
        "step_period_regressed",      "step_period_suspected", "steps_slow",
        "steps_regressed_throughout", "warmup_unlike_past",    "op_outweighs"};
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
        return standing == NULL
                   ? NULL
                   : arena_printf(arena, "%.*s; %s", (int)(length - ends), aside, standing);
    }
    if (!before.set || !after.set)
        return stands ? standing_words(verdict, arena) : first_reason(verdict);
    struct opt_f64 change = change_percent(before, after);
    bool passed = verdict->status == VERDICT_PASS;
    bool improved = passed && reason_find(verdict, "step_median_improved") != NULL;
    const char *cause = passed                          ? pass_sentence(verdict, arena)
                        : stands                        ? standing_words(verdict, arena)
                        : step_decided(verdict, change) ? cause_sentence(verdict, arena)
                                                        : first_reason(verdict);
    const char *estimate = estimate_words(verdict, change, arena);
    char pair[FORMAT_CHANGE_BYTES];
    if (cause == NULL || estimate == NULL)
        return NULL;
    return arena_printf(arena, "%sstep time %s: %s%s", improved ? "faster: " : "",
                        format_change(before.value, after.value, pair), estimate, cause);
}

/* "attempt 3, v1 failed: ": a later verdict does not hide an earlier one. "" at the first. */
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
    if (!side->attempts.set || (attempts < 2 && stands[0] == '\0'))
        return "";
    if (failed->count == 0)
        return arena_printf(arena, "attempt %lld: ", attempts);
    if (failed->count <= SHOWN)
        return arena_printf(arena, "attempt %lld, %s%s%s failed%s: ", attempts, first,
                            failed->count == SHOWN ? " and " : "", last, stands);
    return arena_printf(arena, "attempt %lld, %s to %s (%zu) failed%s: ", attempts, first, last,
                        failed->count, stands);
}

/* What cannot be told first: a warning beside it is no verdict on the step. */
static const char *undecided_sentence(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_reason *beside = reason_find(verdict, "warned_beside");
    if (beside == NULL || beside->text == first_reason(verdict))
        return first_reason(verdict);
    return arena_printf(arena, "%s %s", first_reason(verdict), beside->text);
}

bool verdict_warns_beside(const struct verdict *verdict)
{
    return verdict->status == VERDICT_INCONCLUSIVE && reason_find(verdict, "warned_beside") != NULL;
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
    const struct verdict_reason *slow = decided ? NULL : reason_find(verdict, "steps_slow");
    bool is_open = verdict->status == VERDICT_INCONCLUSIVE || earlier_fail_stands(verdict);
    return slow != NULL || !is_open ? slow : reason_find(verdict, "candidate_mixed");
}

static const char *whole_sentence(const struct verdict *verdict, struct arena *arena)
{
    const char *sentence = own_sentence(verdict, arena);
    const struct verdict_reason *before = unshown_reason(verdict);
    if (sentence == NULL || before == NULL || before->text == sentence)
        return sentence;
    size_t length = strlen(before->text);
    bool joins = islower((unsigned char)sentence[0]) && length > 0;
    return arena_printf(arena, "%.*s%s %s", (int)(joins ? length - 1 : length), before->text,
                        joins ? ";" : "", sentence);
}

const char *verdict_sentence(const struct verdict *verdict, struct arena *arena)
{
    const char *attempt = attempt_words(verdict, arena), *sentence = whole_sentence(verdict, arena);
    if (attempt == NULL || sentence == NULL || attempt[0] == '\0')
        return attempt == NULL ? NULL : sentence;
    return arena_printf(arena, "%s%s", attempt, sentence);
}
