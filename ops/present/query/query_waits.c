/* How much of the time devices run nothing, and where: within steps or between them. A profile of
 * devices tells that they wait, and not for what: the cause is named as far as ops or events of the
 * file tell it, and is said to be unknown else. */
#include "ops/present/query/query_form.h"

#include "ops/present/query/question.h"
#include "ops/present/words/words.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "schema/documents/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ps_per_us = 1e6;

static bool has_word(const struct query *query, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (phrase_is_word_of(phrase_of(*words), query->lower))
            return true;
    }
    return false;
}

bool query_asks_of_waits(const struct query *query)
{
    static const char *const waits[] = {"idle",     "idling",  "busy",   "wait",    "waits",
                                        "waiting",  "starved", "stall",  "stalls",  "stalled",
                                        "starving", "input",   "inputs", "loading", NULL};
    static const char *const others[] = {
        "which",      "before",        "gap",      "gaps",    "context",   "region", "regions",
        "collective", "communication", "comm",     "network", "next",      "try",    "op",
        "ops",        "collectives",   "transfer", "changed", "transfers", NULL};
    struct phrase token;
    return query->summary->has_ours && has_word(query, waits) && !has_word(query, others) &&
           !question_op_token(query->question, &token);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median over steady steps of the time from the end of the step before; absent: no two follow. */
static struct opt_f64 between_steps_us(const struct query *query)
{
    const struct step_table *steps = &query->summary->steps;
    double *gaps = arena_array(query->arena, double, steps->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->rows[i].has_gap && !steps->rows[i].warmup)
            gaps[count++] = fmax((double)steps->rows[i].gap_before_ps / ps_per_us, 0);
    }
    if (count == 0)
        return (struct opt_f64){0};
    qsort(gaps, count, sizeof *gaps, by_value);
    return some_f64((gaps[(count - 1) / 2] + gaps[count / 2]) / 2);
}

/* Self time of ops that wait for the host's input: busy by the clock, and nothing is computed. */
static double infeed_us(const struct query *query)
{
    double us = 0;
    for (size_t i = 0; i < query->summary->op_count; i++) {
        const struct op_row *op = &query->summary->ops[i];
        char *name = text_lower(query->arena, op->name);
        if (!op->asynchronous && strstr(name, "infeed") != NULL)
            us += (double)op->self_ps / ps_per_us;
    }
    return us;
}

/* Events of the host tell of input where their names do; of idle time by itself nothing follows. */
static json_t *cause_words(const struct query *query)
{
    struct summary_figure figures[FIGURE_COUNT];
    char share[FORMAT_BYTES];
    figures_of(query->summary, figures);
    const struct summary_figure *input = &figures[FIGURE_input_wait_share];
    if (input->value.set)
        return json_text(arena_printf(query->arena,
                                      "%s of the time from step to step the device does nothing "
                                      "while events of the host or an infeed say that they wait "
                                      "for input; for what it waits else they do not tell.",
                                      format_share(input->value.value, share)));
    return json_text(arena_printf(
        query->arena,
        "A device's idle time does not tell what it waits for: between steps it is input, host or "
        "dispatch, and which of them this file does not tell (%s). The input pipeline can be the "
        "bottleneck for no more than the idle time and the infeed ops together.",
        input->absent));
}

json_t *query_waits(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    struct answer answer = answer_new(query_type);
    double window = 0, idle = 0, low = 1, high = 0;
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct device_row *device = &summary->devices[i];
        if (device->window_ps <= 0)
            continue;
        double share = (double)device->idle_ps / (double)device->window_ps;
        window += (double)device->window_ps / ps_per_us;
        idle += (double)device->idle_ps / ps_per_us;
        low = fmin(low, share);
        high = fmax(high, share);
    }
    if (!(window > 0)) {
        return answer_unknown(&answer,
                              "The profile holds no ops of a device: whether devices wait cannot "
                              "be told from it.");
    }
    char share[FORMAT_BYTES], least[FORMAT_BYTES], most[FORMAT_BYTES], step[FORMAT_BYTES];
    char feed[FORMAT_BYTES], within[FORMAT_BYTES], gap[FORMAT_BYTES];
    struct opt_f64 between = between_steps_us(query);
    double feeding = infeed_us(query), inside = summary->coverage.steady_idle_us_per_step;
    bool steady = summary->steps.steady_spans > 0 && summary->steps.steady_median_us.set;
    const char *steps = "";
    if (steady)
        steps = arena_printf(
            query->arena, " Within a steady step (median %s) %s are idle in the mean%s%s.",
            format_duration(summary->steps.steady_median_us.value, 4, step),
            format_duration(inside, 4, within),
            between.set ? "; from the end of a step to the next one pass, in the median, " : "",
            between.set ? format_duration(between.value, 4, gap) : "");
    answer_add(&answer, "idle_share", json_number(idle / window));
    answer_add(&answer, "infeed_share", json_number(feeding / window));
    answer_add(&answer, "idle_within_step_us", steady ? json_number(inside) : json_null());
    answer_add(&answer, "between_steps_us", optional_number(between));
    query_figure_add(&answer, query, FIGURE_input_wait_share);
    answer_add(&answer, "answer",
               json_text(arena_printf(
                   query->arena,
                   "Devices run no op in %s of their windows, from the first op to the last, "
                   "warm-up included (per device %s to %s), and wait in infeed ops for %s.%s",
                   format_share(idle / window, share), format_share(low, least),
                   format_share(high, most), format_share(feeding / window, feed), steps)));
    answer_add(&answer, "details", cause_words(query));
    return answer.object;
}
