/* What steps say of the work that is done: how many a second, and which of them compiled. */
#include "ops/present/query/query_form.h"

#include "ops/present/words/words.h"

#include "ops/runtime/json.h"
#include "schema/documents/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double us_per_s = 1e6;

/* A fact of the environment that is a number above 0. */
struct counted_fact {
    const struct fact *fact; /* NULL: nobody told it, or it is no such number */
    double value;
};

static struct counted_fact counted_fact(const struct summary *summary, const char *name)
{
    struct counted_fact counted = {environment_fact(&summary->environment, name), 0};
    char *end = NULL;
    if (counted.fact != NULL && counted.fact->value != NULL)
        counted.value = strtod(counted.fact->value, &end);
    bool is_count = end != NULL && end != counted.fact->value && *end == '\0' &&
                    isfinite(counted.value) && counted.value > 0;
    return is_count ? counted : (struct counted_fact){0};
}

static const char *source_of(const struct counted_fact *counted)
{
    return counted->fact->source == NULL ? "unknown source" : counted->fact->source;
}

/* What a step costs: the time to the next one where that is known, as in the figures. */
struct step_cost {
    struct opt_f64 us;
    bool is_period;
};

static struct step_cost step_cost_of(const struct summary *summary)
{
    const struct opt_f64 period =
        summary->has_ours ? steps_period_us(&summary->steps) : (struct opt_f64){0};
    if (period.set && period.value > 0)
        return (struct step_cost){period, true};
    return (struct step_cost){summary->has_ours ? summary->steps.steady_median_us
                                                : summary->step_time.steady_state_steps.median,
                              false};
}

static const char *cost_words(const struct step_cost *cost)
{
    return cost->is_period ? "median time from step to step" : "median step";
}

/* Tokens need batch and sequence, samples the batch alone. */
static void rates_add(struct answer *answer, const struct query *query,
                      const struct step_cost *cost)
{
    struct counted_fact batch = counted_fact(query->summary, "batch");
    struct counted_fact sequence = counted_fact(query->summary, "sequence");
    struct opt_i64 devices = query->summary->environment.device_count;
    double samples = batch.value * us_per_s / cost->us.value, tokens = samples * sequence.value;
    char time[FORMAT_BYTES];
    (void)format_duration(cost->us.value, 4, time);
    if (batch.fact == NULL) {
        answer_add(answer, "result", json_text("unknown_from_this_file"));
        answer_add(answer, "details",
                   json_text(arena_printf(
                       query->arena,
                       "A profile does not say how many tokens (or samples) a step works on, and "
                       "the global batch size was not given (--meta batch=N, or --config-file). "
                       "Multiply steps_per_second (the %s is %s) by global batch size x "
                       "sequence length; divide by the number of devices for tokens per second "
                       "and device.",
                       cost_words(cost), time)));
        return;
    }
    answer_add(answer, "samples_per_second", json_number(samples));
    if (sequence.fact == NULL) {
        answer_add(answer, "answer",
                   json_text(arena_printf(
                       query->arena,
                       "%.4g samples a second: global batch size %s (%s) by the %s of "
                       "%s. The sequence length was not given (--meta sequence=N, or "
                       "--config-file): times it these are tokens a second.",
                       samples, batch.fact->value, source_of(&batch), cost_words(cost), time)));
        return;
    }
    answer_add(answer, "tokens_per_second", json_number(tokens));
    bool of_devices = devices.set && devices.value > 0;
    if (of_devices)
        answer_add(answer, "tokens_per_second_and_device",
                   json_number(tokens / (double)devices.value));
    const char *each =
        !of_devices ? ""
                    : arena_printf(query->arena, ", %s on each of %lld devices",
                                   format_count((int64_t)(tokens / (double)devices.value + 0.5),
                                                (char[FORMAT_BYTES]){0}),
                                   (long long)devices.value);
    char count[FORMAT_BYTES];
    answer_add(answer, "answer",
               json_text(arena_printf(query->arena,
                                      "%s tokens a second%s: global batch size %s (%s) x sequence "
                                      "length %s (%s) by the %s of %s; padding counts%s.",
                                      format_count((int64_t)(tokens + 0.5), count), each,
                                      batch.fact->value, source_of(&batch), sequence.fact->value,
                                      source_of(&sequence), cost_words(cost), time,
                                      cost->is_period ? "" : ", and time between steps does not")));
}

/* What is stated of a step comes before what batch and sequence make; false: nothing is. */
static bool stated_add(struct answer *answer, const struct query *query)
{
    struct summary_figure figures[FIGURE_COUNT];
    char number[FORMAT_BYTES];
    if (!query->summary->has_ours ||
        environment_fact(&query->summary->environment, "tokens_per_step") == NULL)
        return false;
    figures_of(query->summary, figures);
    const struct summary_figure *tokens = &figures[FIGURE_tokens_per_second_per_device];
    if (!tokens->value.set)
        return false;
    answer_add(answer, "tokens_per_second_and_device", json_number(tokens->value.value));
    answer_add(answer, "answer",
               json_text(arena_printf(
                   query->arena, "%s: %s (%s).", figure_names[FIGURE_tokens_per_second_per_device],
                   measure_text(tokens->unit, tokens->value.value, false, number), tokens->of)));
    return true;
}

json_t *query_throughput(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    const struct step_cost cost = step_cost_of(summary);
    struct answer answer = answer_new(query_type);
    if (!cost.us.set || !(cost.us.value > 0)) {
        return answer_unknown(&answer,
                              "The profile has no steady steps: mark them, or capture more.");
    }
    answer_add(&answer, "steps_per_second", json_number(us_per_s / cost.us.value));
    if (!stated_add(&answer, query))
        rates_add(&answer, query, &cost);
    return answer.object;
}

static const char *compiled_words(const struct query *query, int64_t count, int64_t left_out)
{
    const struct step_table *steps = &query->summary->steps;
    char compiled[FORMAT_COUNTED_BYTES];
    const size_t again = steps_recompiled(steps), of = steps_recompiled_of(steps);
    const char *first =
        left_out == 0
            ? arena_printf(query->arena, "The host compiled during %s",
                           format_counted(count, "step", compiled))
            : arena_printf(query->arena,
                           "The host compiled during %s, %lld of them left out of the figures",
                           format_counted(count, "step", compiled), (long long)left_out);
    if (again == 0)
        return arena_printf(query->arena, "%s.", first);
    return arena_printf(query->arena, "%s: %zu of %zu %ssteps %s (recompilation).", first, again,
                        of, of < steps->count ? "steady " : "",
                        again == 1 ? "has the host compiling in it"
                                   : "have the host compiling in them");
}

/* Why it is not known that the host compiled in no step; NULL: it is. */
static const char *uncompiled_absent(const struct query *query)
{
    const struct summary *summary = query->summary;
    if (!summary->has_ours)
        return answer_of_other_tool;
    if (summary->measured.compile_absent != NULL)
        return arena_printf(query->arena,
                            "No step tells that the host compiled in it, and whether it did is not "
                            "known: %s.",
                            summary->measured.compile_absent);
    return summary->steps.count == 0
               ? "No steps were found, so that compiling within one cannot be told."
               : NULL;
}

json_t *query_compilation(const struct query *query, const char *query_type)
{
    const struct step_table *steps = &query->summary->steps;
    const char *format = query->summary->source_format;
    struct answer answer = answer_new(query_type);
    json_t *numbers = json_array();
    int64_t count = 0, left_out = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        /* Older summaries say it of steps alone that they left out for it. */
        if (!row->host_compiled &&
            (row->warmup_reason == NULL || strcmp(row->warmup_reason, WARMUP_COMPILATION) != 0))
            continue;
        count++;
        left_out += row->warmup;
        (void)json_array_append_new(numbers, json_integer(row->number));
    }
    answer_add(&answer, "programs",
               json_integer((json_int_t)query->summary->environment.program_count));
    const char *absent = count > 0 ? NULL : uncompiled_absent(query);
    if (absent != NULL) {
        json_decref(numbers);
        answer_add(&answer, "steps", json_null());
        return answer_unknown(&answer, absent);
    }
    answer_add(&answer, "steps", numbers);
    answer_say(&answer, count > 0 ? compiled_words(query, count, left_out)
                        : format == NULL || strcmp(format, "xplane_pb") == 0
                            ? "No step of this capture has the host compiling in it, as far as "
                              "the host was traced (host_tracer_level 1 or more)."
                            : "No step of this capture has the host compiling in it, as far as "
                              "the host was traced.");
    return answer.object;
}
