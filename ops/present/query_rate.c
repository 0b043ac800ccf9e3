/* What steps say of the work that is done: how many a second, and which of them compiled. */
#include "ops/present/query_form.h"

#include "ops/present/format.h"

#include "ops/runtime/json.h"

#include <string.h>

static const double us_per_s = 1e6;

json_t *query_throughput(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    struct opt_f64 step = summary->has_ours ? summary->steps.steady_median_us
                                            : summary->step_time.steady_state_steps.median;
    struct answer answer = answer_new(query, query_type);
    char time[FORMAT_BYTES];
    answer_add(&answer, "result", json_text("unknown_from_this_file"));
    if (!step.set || !(step.value > 0)) {
        answer_add(&answer, "details",
                   json_text("The profile has no steady steps: mark them, or capture more."));
        return answer_take(&answer);
    }
    answer_add(&answer, "steps_per_second", json_number(us_per_s / step.value));
    answer_add(&answer, "details",
               json_text(arena_printf(
                   query->arena,
                   "A profile does not say how many tokens (or samples) a step works on. Multiply "
                   "steps_per_second (the median step is %s) by global batch size x sequence "
                   "length; divide by the number of devices for tokens per second and device.",
                   format_duration(step.value, 4, time))));
    return answer_take(&answer);
}

/* Older summaries say it of steps alone that they left out for it. */
static bool has_compiled(const struct step_row *row)
{
    return row->host_compiled ||
           (row->warmup_reason != NULL && strcmp(row->warmup_reason, WARMUP_COMPILATION) == 0);
}

static const char *compiled_words(const struct query *query, int64_t count, int64_t left_out)
{
    const struct step_table *steps = &query->summary->steps;
    char compiled[FORMAT_COUNTED_BYTES];
    size_t again = steps_recompiled(steps);
    const char *first =
        left_out == 0
            ? arena_printf(query->arena, "The host compiled during %s",
                           format_counted(count, "step", compiled))
            : arena_printf(query->arena,
                           "The host compiled during %s, %lld of them left out of the figures",
                           format_counted(count, "step", compiled), (long long)left_out);
    if (first == NULL || again == 0)
        return first == NULL ? NULL : arena_printf(query->arena, "%s.", first);
    return arena_printf(query->arena,
                        "%s: %zu of %zu steps %s the host compiling in them (recompilation).",
                        first, again, steps->count, again == 1 ? "has" : "have");
}

json_t *query_compilation(const struct query *query, const char *query_type)
{
    const struct step_table *steps = &query->summary->steps;
    struct answer answer = answer_new(query, query_type);
    json_t *numbers = json_array();
    int64_t count = 0, left_out = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        if (!has_compiled(row))
            continue;
        count++;
        left_out += row->warmup;
        answer_append(&answer, numbers, json_integer(row->number));
    }
    answer_add(&answer, "steps", numbers);
    answer_add(&answer, "programs",
               json_integer((json_int_t)query->summary->environment.program_count));
    answer_add(&answer, "answer",
               json_text(count > 0 ? compiled_words(query, count, left_out)
                         : steps->count == 0
                             ? "No steps were found, so that compiling within one cannot be told."
                             : "No step of this capture has the host compiling in it, as far as "
                               "the host was traced (host_tracer_level 1 or more)."));
    return answer_take(&answer);
}
