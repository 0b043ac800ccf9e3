/* Implements the limits of measures; what a measure is stands in schema/documents/measures.c. */
#include "compare/runs/measures.h"
#include "compare/reference/reference.h"
#include "compare/runs/program_growth.h"
#include "compare/statistics/statistics.h"
#include "schema/documents/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct opt_f64 absent(void)
{
    return (struct opt_f64){0};
}

struct opt_f64 runs_median(struct gate_state *judgement, const struct gate_runs *runs,
                           enum measure measure)
{
    double *values = arena_array(judgement->arena, double, runs->count);
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        if (runs->items[i].measures[measure].set)
            values[count++] = runs->items[i].measures[measure].value;
    }
    if (count == 0)
        return absent();
    stats_sort(values, count);
    return some_f64(stats_quantile(values, count, 0.5));
}

struct opt_f64 measure_limit(const struct gate_policy *policy, enum measure measure, double before)
{
    const struct measure_rule *rule = &policy->measures[measure];
    double sign = measure_rows[measure].worse == WORSE_UP ? 1 : -1;
    double allowed = fmax(rule->limit_abs, before * rule->limit_pct / 100);
    return rule->limit_pct >= 0 || rule->limit_abs >= 0 ? some_f64(sign * allowed) : absent();
}

/* What the step rule decided. */
static const char *rule_status_name(enum verdict_status status)
{
    switch (status) {
    case VERDICT_PASS:
        return "ok";
    case VERDICT_INCONCLUSIVE:
        return "unknown";
    default:
        return verdict_status_names[status];
    }
}

/* Ops of one compiled program differ by the environment alone: durations fail nothing then, but the
 * part of a step in which no op runs. */
static enum measure_action action_of(const struct gate_state *judgement, enum measure measure)
{
    enum measure_action action = judgement->policy->measures[measure].action;
    bool environment = judgement->same_program && measure != MEASURE_step_idle &&
                       strcmp(measure_rows[measure].unit, "us") == 0;
    return environment && action == MEASURE_FAIL ? MEASURE_WARN : action;
}

static bool is_beyond(enum measure measure, const struct verdict_measure *row)
{
    return measure_rows[measure].worse == WORSE_UP ? row->delta.value > row->limit.value
                                                   : row->delta.value < row->limit.value;
}

/* The newest profile of a side whose summary tells what memory is in use; NULL: none does. */
static const struct memory_summary *newest_memory(const struct gate_runs *runs)
{
    for (size_t r = runs->count; r > 0; r--) {
        const struct gate_run *run = &runs->items[r - 1];
        for (size_t i = run->profile_count; i > 0; i--) {
            if (run->profiles[i - 1]->summary->has_memory)
                return &run->profiles[i - 1]->summary->memory;
        }
    }
    return NULL;
}

/* What is in use on its fullest device, by line; all of it where no device is named. */
static struct memory_summary memory_on_fullest(const struct memory_summary *memory,
                                               struct arena *arena)
{
    const struct memory_share *device = memory_fullest(memory);
    struct memory_summary on = *memory;
    if (device == NULL)
        return on;
    on.allocations = arena_array(arena, struct memory_row, memory->allocation_count);
    on.allocation_count = 0;
    for (size_t i = 0; i < memory->allocation_count; i++) {
        if (strcmp(memory->allocations[i].device, device->name) == 0)
            on.allocations[on.allocation_count++] = memory->allocations[i];
    }
    return on;
}

/* The line that grew most from the fullest device of the newest past run to that of the newest of
 * the candidate: a sentence behind a blank, or "". */
static const char *memory_growth(struct gate_state *judgement)
{
    char grown[FORMAT_BYTES], source[NAME_TEXT_BYTES], function[NAME_TEXT_BYTES];
    const struct memory_summary *before = newest_memory(&judgement->recent);
    const struct memory_summary *after = newest_memory(&judgement->candidate);
    if (before == NULL || after == NULL)
        return "";
    const struct memory_summary was = memory_on_fullest(before, judgement->arena);
    const struct memory_summary is = memory_on_fullest(after, judgement->arena);
    const struct memory_delta delta = memory_delta_make(&was, &is, judgement->arena);
    if (delta.allocation_count == 0 || delta.allocations[0].delta_bytes <= 0)
        return "";
    const struct memory_delta_row *most = &delta.allocations[0];
    return arena_printf(judgement->arena,
                        " What grew most there since the newest past run is of %s%s%s (%s).",
                        most->source[0] == '\0' ? "no known line" : name_text(most->source, source),
                        most->function[0] == '\0' ? "" : ", ", name_text(most->function, function),
                        format_size_delta(most->delta_bytes, grown));
}

/* A limit stands in the row only where it made the status: where statistics, another measure or
 * nobody decided, it would contradict. */
static void limit_keep(struct gate_state *judgement, enum measure measure,
                       struct verdict_measure *row)
{
    bool over = strcmp(row->status, "fail") == 0 || strcmp(row->status, "warn") == 0;
    bool by_runs = judgement->verdict->statistics.estimate_pct.set &&
                   (measure == MEASURE_steady_step_median ||
                    measure == MEASURE_steady_step_period || measure == MEASURE_steady_step_mean);
    if (!row->limit.set)
        return;
    if (by_runs || judgement->policy->measures[measure].action == MEASURE_INFO ||
        (strcmp(row->status, "unknown") != 0 && over != is_beyond(measure, row)))
        row->limit = absent();
}

static const char *measure_status(struct gate_state *judgement, enum measure measure,
                                  const struct verdict_measure *row)
{
    enum measure_action action = action_of(judgement, measure);
    if (!row->delta.set)
        return "unknown";
    if (measure == MEASURE_steady_step_median)
        return rule_status_name(judgement->step_status);
    if (measure == MEASURE_steady_step_period)
        return rule_status_name(judgement->period_status);
    if (measure == MEASURE_steady_step_mean)
        return rule_status_name(judgement->mean_status);
    if (action == MEASURE_INFO || !row->limit.set || !is_beyond(measure, row))
        return "ok";
    static const char *const codes[MEASURE_END][2] = {
#define MEASURE_CODES(number, name, unit, worse, help) {#name "_increased", #name "_decreased"},
        [0] = {NULL, NULL}, MEASURES(MEASURE_CODES)
#undef MEASURE_CODES
    };
    bool down = measure_rows[measure].worse == WORSE_DOWN;
    char before[FORMAT_BYTES], after[FORMAT_BYTES], limit[FORMAT_BYTES];
    const char *most = measure == MEASURE_device_memory    ? memory_growth(judgement)
                       : measure == MEASURE_program_memory ? program_growth(judgement)
                                                           : "";
    reason_add(judgement, codes[measure][down], "%s (%s) %s from %s to %s, by more than %s.%s",
               row->name, measure_rows[measure].help, down ? "fell" : "rose",
               measure_text(row->unit, row->before.value, false, before),
               measure_text(row->unit, row->after.value, false, after),
               measure_text(row->unit, row->limit.value, true, limit), most);
    const struct verdict *verdict = judgement->verdict;
    if (action != MEASURE_FAIL && judgement->warning == NULL && verdict->reason_count > 0)
        judgement->warning = verdict->reasons[verdict->reason_count - 1].text;
    status_raise(judgement, action == MEASURE_FAIL ? VERDICT_FAIL : VERDICT_WARN, "measure_limits");
    return action == MEASURE_FAIL ? "fail" : "warn";
}

void memory_judge(struct gate_state *judgement)
{
    static const char rule[] = "measure_limits";
    const enum measure_action action = judgement->policy->measures[MEASURE_device_memory].action;
    struct opt_f64 before = runs_median(judgement, &judgement->baseline, MEASURE_device_memory);
    struct opt_f64 after = runs_median(judgement, &judgement->candidate, MEASURE_device_memory);
    struct opt_f64 limit = measure_limit(judgement->policy, MEASURE_device_memory, before.value);
    judgement->step_status = judgement->period_status = VERDICT_INCONCLUSIVE;
    if (!before.set || !after.set) {
        reason_add(judgement, "memory_unknown",
                   "The candidate is device memory profiles alone, and no run of the baseline has "
                   "one: save them there too (memory.prof in the directory of a capture, or "
                   "--memory-profile).");
        status_decide(judgement, VERDICT_INCONCLUSIVE, "data");
        return;
    }
    if (action == MEASURE_INFO || !limit.set) {
        reason_add(judgement, "memory_unknown",
                   "The candidate is device memory profiles alone, and the policy does not limit "
                   "device_memory: nothing is judged. [measure device_memory] can.");
        status_decide(judgement, VERDICT_INCONCLUSIVE, rule);
        return;
    }
    char is[FORMAT_BYTES], was[FORMAT_BYTES], change[FORMAT_BYTES], allowed[FORMAT_BYTES];
    reason_add(judgement, "memory_judged",
               "%s are in use on the fullest device, %s before (%s; %s allowed). The candidate is "
               "device memory profiles alone, which tell no times: nothing else is judged.",
               format_size((int64_t)after.value, is), format_size((int64_t)before.value, was),
               format_size_delta((int64_t)(after.value - before.value), change),
               format_size_delta((int64_t)limit.value, allowed));
    status_decide(judgement, VERDICT_PASS, rule);
}

/* Whether the measure is a share of the time of all tracks, those of the host too. */
static bool is_of_all_tracks(enum measure measure)
{
    return measure == MEASURE_compute_share || measure == MEASURE_communication_share ||
           measure == MEASURE_host_share || measure == MEASURE_stall_share ||
           measure == MEASURE_other_share;
}

static bool is_annotated(const struct summary *summary)
{
    bool found = step_method_is_annotated(summary->steps.method);
    for (size_t i = 0; i < summary->other_step_count; i++)
        found = found || step_method_is_annotated(summary->other_steps[i].method);
    return found;
}

/* Of what the runs of the sides make a figure of a step: the first that tells it, and another one
 * that differs; NULL: none. */
struct figure_sources {
    const char *first, *other;
    bool other_is_new; /* the candidate's */
};

static void sources_read(const struct gate_runs *runs, enum measure measure, bool are_new,
                         struct figure_sources *sources)
{
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const char *of = figure_source(runs->items[i].profiles[j]->summary, measure);
            if (of == NULL || (sources->first != NULL && strcmp(of, sources->first) == 0))
                continue;
            if (sources->first == NULL) {
                sources->first = of;
            } else if (sources->other == NULL) {
                sources->other = of;
                sources->other_is_new = are_new;
            }
        }
    }
}

/* What is made of different things is not compared: a change of it may be the change of these. */
static bool is_of_one_source(struct gate_state *judgement, enum measure measure)
{
    struct figure_sources sources = {0};
    sources_read(&judgement->recent, measure, false, &sources);
    sources_read(&judgement->candidate, measure, true, &sources);
    if (sources.other == NULL)
        return true;
    reason_add(judgement, "figure_sources_differ",
               "%s is not compared: past runs make it of %s; %s of %s. The same can be stated of "
               "both sides (--meta).",
               measure_rows[measure].name, sources.first,
               sources.other_is_new ? "the candidate's" : "others of them", sources.other);
    return false;
}

void measures_judge(struct gate_state *judgement)
{
    struct verdict *verdict = judgement->verdict;
    /* Whether hosts of both sides annotated their steps, or those of none. Annotations last
     * as long as steps, and are time of the host in shares of all tracks: those of a side
     * without them are others. */
    const struct gate_runs *sides[] = {&judgement->recent, &judgement->candidate};
    size_t count[2] = {0, 0}, annotated[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < sides[side]->count; i++) {
            const struct gate_run *run = &sides[side]->items[i];
            count[side] += run->profile_count;
            for (size_t j = 0; j < run->profile_count; j++)
                annotated[side] += is_annotated(run->profiles[j]->summary);
        }
    }
    const bool alike = (annotated[0] == 0 && annotated[1] == 0) ||
                       (annotated[0] == count[0] && annotated[1] == count[1]);
    verdict->measures = arena_array(judgement->arena, struct verdict_measure, MEASURE_END);
    if (!alike)
        message_add(judgement, "Shares of the time of all tracks (profile_summary.v1) are not "
                               "compared: hosts annotated the steps of some profiles alone, and "
                               "that is time of the host there.");
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++) {
        struct verdict_measure *row = &verdict->measures[verdict->measure_count++];
        row->name = measure_rows[i].name;
        row->unit = measure_rows[i].unit;
        row->before = runs_median(judgement, &judgement->baseline, i);
        row->after = runs_median(judgement, &judgement->candidate, i);
        if (row->before.set && row->after.set && !is_of_one_source(judgement, i))
            row->before = absent();
        if (row->before.set && row->after.set && (alike || !is_of_all_tracks(i))) {
            row->delta = some_f64(row->after.value - row->before.value);
            row->limit = measure_limit(judgement->policy, i, row->before.value);
        }
        row->status = measure_status(judgement, i, row);
        limit_keep(judgement, i, row);
    }
}
