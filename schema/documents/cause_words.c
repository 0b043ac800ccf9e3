/* The words for what made a step longer or shorter.
 *
 * The cause is the gate's (verdict.cause), with the part of the change that it explains. Verdicts
 * of an older rule hold none: there the largest part of the change is looked for.
 */
#include "schema/documents/cause_words.h"

#include "ops/runtime/text.h"
#include "schema/documents/op_path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DELTA_DIGITS = 3, PATH_PARTS = 3, NAME_CHARS = 60 };

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
    const char *tail = path_tail(op->op_path == NULL ? "" : op_path_written(arena, op->op_path));
    int name_length = name_bytes(op->name);
    const char *cut = op->name[name_length] != '\0' ? "…" : "";
    if (tail[0] == '\0')
        return arena_printf(arena, "%s%.*s%s %s/step", added, name_length, op->name, cut, delta);
    return arena_printf(arena, "%s%.*s%s (%.*s) %s/step", added, name_length, op->name, cut,
                        name_bytes(tail), tail, delta);
}

/* The step's numbers stand before it already. */
static const char no_cause[] = "no op or device was found that explains it";
static const char not_compared[] =
    "no device was found that explains it, and ops were not compared";

/* Verdicts of an older rule hold no cause: the largest part of the delta is looked for here. */
static const char *older_cause(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_reason *devices = verdict_reason_find(verdict, "devices_differ");
    if (devices != NULL)
        return devices->text;
    const struct verdict_op *op = NULL;
    for (size_t i = 0, moved = verdict_moved_count(verdict); i < moved; i++)
        if (verdict->ops[i].delta_us > (op == NULL ? 0 : op->delta_us))
            op = &verdict->ops[i];
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
    return share[0] == '\0' ? text : arena_printf(arena, "%s, %s", text, share);
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

/* The machine that is slow has another rank in each run. */
static const char *moving_words(const struct verdict_cause *cause, struct arena *arena)
{
    char percent[FORMAT_BYTES], delta[FORMAT_BYTES];
    return arena_printf(
        arena,
        "in %lld of %lld runs one host or device is slow, and not the same one (%s): "
        "%s, %s/step in the mean",
        (long long)cause->count, (long long)cause->of_count, cause->name,
        format_percent_delta(cause->change_pct.value, percent),
        format_duration_delta(cause->delta_us, DELTA_DIGITS, delta));
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
        return verdict->balance.known ? no_cause : not_compared;
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
                      verdict->cause.precision == NULL &&
                      !verdict_has_reason(verdict, "same_commit_past");
    bool may_be_work =
        verdict_has_reason(verdict, "work_unknown") && !verdict_has_reason(verdict, "same_program");
    struct opt_f64 step =
        change_percent(verdict->baseline.step_median_us, verdict->candidate.step_median_us);
    double ops = verdict->cause.change_pct.value;
    /* Beside the step's own change another number would be taken for it. */
    bool is_apart = step.set && fabs(ops - step.value) >= ESTIMATES_APART_PCT;
    static const char of_turns[] = ", also in turns on the same machine: the change as a whole "
                                   "(compiler flags, runtime, layout), not one op";
    const char *what = verdict->cause.precision != NULL ? ""
                       : verdict->paired                ? of_turns
                       : may_be_work
                           ? ": clock, power, machine or other work (batch, sequence), not one op"
                           : ": clock, power or machine, not one op";
    const char *host = verdict->cause.name;
    host = host == NULL ? ""
                        : arena_printf(arena, "; all on host %.*s, where no past run was",
                                       name_bytes(host), host);
    return arena_printf(arena, "all ops alike%s %s%s%s%s%s%s%s",
                        is_apart ? ", the mean time of ops" : "", format_percent_delta(ops, number),
                        what, share[0] == '\0' ? "" : " (", share, share[0] == '\0' ? "" : ")",
                        host, is_doubted ? "; the fail stands until that is shown" : "");
}

static const char *growth_words(const struct verdict_cause *cause, struct arena *arena)
{
    char percent[FORMAT_BYTES];
    return arena_printf(arena,
                        "steps take longer and longer, %s from the first third of a capture to its "
                        "last",
                        format_percent_delta(cause->change_pct.value, percent));
}

static const char *part_words(const struct verdict *verdict, struct arena *arena)
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
    if (strcmp(cause->kind, "moving") == 0 && cause->name != NULL)
        return joined(moving_words(cause, arena), share, arena);
    if (strcmp(cause->kind, "growth") == 0)
        return joined(growth_words(cause, arena), share, arena);
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

/* What ops work on explains more than how long each of them takes. */
const char *verdict_cause_words(const struct verdict *verdict, struct arena *arena)
{
    const char *words = part_words(verdict, arena);
    return verdict->cause.precision == NULL
               ? words
               : arena_printf(arena, "ops work on %s, %s", verdict->cause.precision, words);
}
