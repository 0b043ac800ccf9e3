/* The words for a verdict: its status, and the sentence that stands first: what happened to the
 * step, and what to look at.
 *
 * The cause that the sentence names is the largest part of the delta: the device that is slow
 * alone, an op, or idle time. When something else than the step decided, or the step did not get
 * slower, the reason that the gate put first stands there instead.
 */
#include "schema/verdict_words.h"

#include "ops/runtime/text.h"
#include "ops/runtime/text_format.h"
#include "schema/op_path.h"

#include <math.h>
#include <string.h>

enum { STEP_DIGITS = 4, DELTA_DIGITS = 3, PATH_PARTS = 3, NAME_CHARS = 60 };

const char *const verdict_status_words[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = "PASS",
    [VERDICT_WARN] = "WARN",
    [VERDICT_FAIL] = "FAIL",
    [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    [VERDICT_INCOMPARABLE] = "INCOMPARABLE",
};

/* A step that changes by less than this explains nothing: another measure decided. */
static const double CLEAR_CHANGE_PCT = 0.5;

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

/* The change is not what made it slower, whatever the ops say. */
static const char *environment_sentence(const struct verdict_reason *devices, struct arena *arena)
{
    static const char same[] =
        "both sides ran one compiled program (A/A), so its environment is slower, not the change";
    return devices == NULL ? same : arena_printf(arena, "%s; %s", same, devices->text);
}

static const char *cause_sentence(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_reason *devices = reason_find(verdict, "devices_differ");
    if (verdict->rule_id != NULL && strcmp(verdict->rule_id, "same_program") == 0)
        return environment_sentence(devices, arena);
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
    return op == NULL ? first_reason(verdict) : op_sentence(op, arena);
}

static const char *pass_sentence(const struct verdict *verdict, struct arena *arena)
{
    if (!verdict->statistics.mde_pct.set)
        return reason_find(verdict, "few_runs") == NULL
                   ? "no regression"
                   : "within the fixed limit; too few past runs to see a smaller loss";
    return arena_printf(arena, "no regression; a loss of %.1f %% would have been seen",
                        verdict->statistics.mde_pct.value);
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
    /* What a file does not hold looks like other hardware. */
    const char *cut = reason_find(verdict, "profile_truncated") == NULL
                          ? ""
                          : "; a profile is truncated: take it again";
    if (strict == 1)
        return arena_printf(arena, "%s differs: %s in the baseline, %s in the candidate%s",
                            first->field, baseline, candidate, cut);
    return arena_printf(arena,
                        "%s differs: %s in the baseline, %s in the candidate (and %zu more)%s",
                        first->field, baseline, candidate, strict - 1, cut);
}

static const char *step_sentence(const struct verdict *verdict, struct arena *arena)
{
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    if (!before.set || !after.set)
        return first_reason(verdict);
    struct opt_f64 change = change_percent(before, after);
    const char *cause = verdict->status == VERDICT_PASS ? pass_sentence(verdict, arena)
                        : step_decided(verdict, change) ? cause_sentence(verdict, arena)
                                                        : first_reason(verdict);
    struct duration_scale scale = duration_scale_for(fmax(before.value, after.value), STEP_DIGITS);
    char from[FORMAT_BYTES], to[FORMAT_BYTES], percent[FORMAT_BYTES];
    if (cause == NULL)
        return NULL;
    (void)format_in_scale(scale, before.value, false, from);
    (void)format_in_scale(scale, after.value, false, to);
    if (!change.set)
        return arena_printf(arena, "step time %s -> %s: %s", from, to, cause);
    return arena_printf(arena, "step time %s -> %s (%s): %s", from, to,
                        format_percent_delta(change.value, percent), cause);
}

const char *verdict_sentence(const struct verdict *verdict, struct arena *arena)
{
    switch (verdict->status) {
    case VERDICT_INCOMPARABLE:
        return incomparable_sentence(verdict, arena);
    case VERDICT_INCONCLUSIVE:
        return first_reason(verdict);
    default:
        return step_sentence(verdict, arena);
    }
}
