/* What people ask of a profile beside its steps and ops: phases, MFU, what bounds it, whether
 * communication is hidden, slow hosts. Each is answered with what its figures are of, or
 * it is said why this file cannot tell. */
#include "ops/present/query/query_form.h"

#include "ops/present/words/words.h"
#include "ops/present/summary/summary.h"
#include "schema/documents/chip_peaks.h"
#include "schema/documents/figures.h"
#include "schema/documents/op_semantics.h"
#include "schema/documents/told_ops.h"
#include "schema/documents/summary_view.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ps_per_s = 1e12;

/* ---- phases ---------------------------------------------------------------------------------- */

json_t *query_phases(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    char forward[FORMAT_BYTES], backward[FORMAT_BYTES], again[FORMAT_BYTES], none[FORMAT_BYTES];
    const struct phase_times times = phase_times_of(summary);
    struct answer answer = answer_new(query_type);
    if (!summary->has_ours || !(times.all_us > 0))
        return answer_unknown(&answer, summary->has_ours ? "The profile holds no ops of a device."
                                                         : answer_of_other_tool);
    (void)format_share(times.us[PHASE_unattributed] / times.all_us, none);
    if (!times.known)
        return answer_unknown(
            &answer, arena_printf(query->arena,
                                  "Phases are read from the source paths of ops (jvp, "
                                  "transpose), and no op of this profile%s has such a path; %s "
                                  "of the ops' time has none at all.",
                                  summary->has_program_ops ? ", nor of its programs," : "", none));
    json_t *list = json_array();
    for (int i = 0; i < PHASE_COUNT; i++) {
        if (times.us[i] > 0)
            (void)json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "phase", phase_names[i],
                                                        "self_us", times.us[i], "share",
                                                        times.us[i] / times.all_us));
    }
    const char *per =
        summary->steps.steady_spans > 0 ? "per steady step and device" : "in the whole profile";
    answer_say(&answer,
               arena_printf(query->arena,
                            "Self time of ops %s%s: forward %s, backward %s, recomputation %s; "
                            "%s of the ops' time has no source path.",
                            per, summary->has_program_ops ? ", as programs tell them" : "",
                            format_duration(times.us[PHASE_forward], 4, forward),
                            format_duration(times.us[PHASE_backward], 4, backward),
                            format_duration(times.us[PHASE_recompute], 4, again), none));
    answer_add(&answer, "of", json_text(per));
    answer_add(&answer, "results", list);
    return answer.object;
}

/* ---- what the hardware could do -------------------------------------------------------------- */

struct work {
    double flops, bytes, window_s, self_ps, counted_ps;
    struct device_limits limits;
    double memory_ps; /* self time of ops that move more bytes than the peaks balance */
};

/* As the roofline has it: exchanging data is bound by neither, whatever it adds up. */
static bool is_bound_by_memory(const struct op_row *op, const struct device_limits *limits)
{
    const char *what = op->opcode == NULL ? op->name : op->opcode;
    return strcmp(op_family(what), "collective") != 0 &&
           op->flops.value / limits->flops_per_s.value <
               op->bytes_accessed.value / limits->bytes_per_s.value;
}

static struct work work_of(const struct summary *summary)
{
    struct work work = {.limits = device_limits_of(&summary->environment)};
    for (size_t i = 0; i < summary->device_count; i++)
        work.window_s += (double)summary->devices[i].window_ps / ps_per_s;
    const struct told_ops ops = told_ops_of(summary);
    for (size_t i = 0; i < ops.count; i++) {
        const struct op_row *op = &ops.items[i];
        if (op->asynchronous)
            continue;
        double self = (double)op->self_ps;
        work.self_ps += self;
        if (op_work_is_again(op))
            continue;
        work.flops += op->flops.set ? op->flops.value : 0;
        work.bytes += op->bytes_accessed.set ? op->bytes_accessed.value : 0;
        if (!op->flops.set || !op->bytes_accessed.set || !work.limits.flops_per_s.set ||
            !work.limits.bytes_per_s.set || opcode_is_half(op->opcode) ||
            (op_is_custom(op->opcode, op->category) && !(op->flops.value > 0)))
            continue;
        work.counted_ps += self;
        work.memory_ps += is_bound_by_memory(op, &work.limits) ? self : 0;
    }
    return work;
}

static void peak_source_add(struct answer *answer, const struct query *query,
                            const struct work *work)
{
    const char *source = work->limits.flops_source;
    const char *text = source == NULL || strcmp(source, PEAK_OF_FILE) == 0
                           ? "the file"
                           : arena_printf(query->arena,
                                          "published figures of this kind of device (bf16, dense), "
                                          "from %s; the file tells none",
                                          source);
    answer_add(answer, "peak_source", json_text(text));
}

/* What XLA counts, recomputation among it: what the hardware does, not what the model asks for. */
static const char *utilization_words(struct answer *answer, const struct query *query)
{
    struct work work = work_of(query->summary);
    const struct opt_f64 told = work_told_share(query->summary);
    const double told_share = told.set ? told.value : 1;
    if (!work.limits.flops_per_s.set || !(work.flops > 0) || !(work.window_s > 0) ||
        told_share < work_told_least)
        return "";
    double reached = work.flops / work.window_s, part = reached / work.limits.flops_per_s.value;
    answer_add(answer, "flops_per_second_and_device", json_number(reached));
    answer_add(answer, "peak_flops_per_second", json_number(work.limits.flops_per_s.value));
    peak_source_add(answer, query, &work);
    answer_add(answer, "utilization", json_number(part));
    answer_add(answer, "work_told_share", optional_number(told));
    return arena_printf(query->arena,
                        " Over the devices' windows the FLOPs that XLA counts for its ops, "
                        "recomputation among them, are %s%.3g %% of the peak%s.",
                        told_share < work_told_nearly_all ? "at least " : "", 100 * part,
                        part > 1 ? ", which cannot be: the peak is not that of these devices" : "");
}

json_t *query_mfu(const struct query *query, const char *query_type)
{
    struct summary_figure figures[FIGURE_COUNT];
    char share[FORMAT_BYTES];
    struct answer answer = answer_new(query_type);
    if (!query->summary->has_ours)
        return answer_unknown(&answer, answer_of_other_tool);
    figures_of(query->summary, figures);
    const struct summary_figure *mfu = &figures[FIGURE_mfu];
    answer_add(&answer, "mfu", optional_number(mfu->value));
    const char *utilization = utilization_words(&answer, query);
    if (!mfu->value.set && utilization[0] == '\0')
        return answer_unknown(&answer, mfu->absent);
    answer_say(&answer, mfu->value.set ? arena_printf(query->arena, "MFU %s: %s.%s",
                                                      format_share_digits(mfu->value.value, share),
                                                      mfu->of, utilization)
                                       : arena_printf(query->arena, "MFU is not known: %s.%s",
                                                      mfu->absent, utilization));
    return answer.object;
}

/* ---- figures of a step ----------------------------------------------------------------------- */

void query_figure_add(struct answer *answer, const struct query *query, int figure)
{
    struct summary_figure figures[FIGURE_COUNT];
    figures_of(query->summary, figures);
    answer_add(answer, figures[figure].measure, optional_number(figures[figure].value));
    if (!figures[figure].value.set)
        answer_add(answer, arena_printf(query->arena, "%s_absent", figures[figure].measure),
                   json_text(figures[figure].absent));
}

/* One figure with what it is of, or why it is not known. */
static json_t *figure_answer(const struct query *query, const char *query_type, int number)
{
    struct summary_figure figures[FIGURE_COUNT];
    char value[FORMAT_BYTES];
    struct answer answer = answer_new(query_type);
    if (!query->summary->has_ours)
        return answer_unknown(&answer, answer_of_other_tool);
    figures_of(query->summary, figures);
    const struct summary_figure *figure = &figures[number];
    if (!figure->value.set)
        return answer_unknown(&answer, figure->absent);
    answer_add(&answer, figure->measure, json_number(figure->value.value));
    answer_say(&answer, arena_printf(query->arena, "%s: %s (%s).", figure_names[number],
                                     measure_text(figure->unit, figure->value.value, false, value),
                                     figure->of));
    return answer.object;
}

json_t *query_recomputation(const struct query *query, const char *query_type)
{
    return figure_answer(query, query_type, FIGURE_recompute_share);
}

/* What was in use at one moment is no peak, and is told beside it, or alone. */
json_t *query_peak_memory(const struct query *query, const char *query_type)
{
    struct opt_f64 values[MEASURE_END];
    struct summary_figure figures[FIGURE_COUNT];
    char in_use[FORMAT_BYTES], peak[FORMAT_BYTES];
    measures_take(query->summary, values);
    const struct opt_f64 held = values[MEASURE_device_memory];
    figures_of(query->summary, figures);
    const struct summary_figure *hbm = &figures[FIGURE_hbm_peak];
    if (!query->summary->has_ours || !held.set)
        return figure_answer(query, query_type, FIGURE_hbm_peak);
    struct answer answer = answer_new(query_type);
    answer_add(&answer, "hbm_peak", optional_number(hbm->value));
    answer_add(&answer, "device_memory", json_number(held.value));
    (void)format_size((int64_t)held.value, in_use);
    answer_say(
        &answer,
        hbm->value.set
            ? arena_printf(query->arena,
                           "%s: %s (%s); %s are in use on the fullest device at the moment of its "
                           "memory profile.",
                           figure_names[FIGURE_hbm_peak],
                           format_size((int64_t)hbm->value.value, peak), hbm->of, in_use)
            : arena_printf(query->arena,
                           "%s are in use on the fullest device at the moment of its memory "
                           "profile; its peak is not known: %s.",
                           in_use, hbm->absent));
    return answer.object;
}

/* Of each device as a device memory profile has it; else of the fullest, which figures tell. */
json_t *query_device_memory(const struct query *query, const char *query_type)
{
    const struct memory_summary *memory = &query->summary->memory;
    if (!query->summary->has_memory || memory->device_count == 0) {
        struct answer fullest = {query_peak_memory(query, query_type)};
        answer_add(
            &fullest, "devices_absent",
            json_text("A summary tells the memory of the fullest device; of each one a device "
                      "memory profile beside the capture does (memory.prof)."));
        return fullest.object;
    }
    struct answer answer = answer_new(query_type);
    json_t *list = json_array();
    for (size_t i = 0; i < slice_count(memory->device_count, query->top_k); i++) {
        const struct memory_share *device = &memory->devices[i];
        (void)json_array_append_new(
            list, json_pack("{s:o, s:I, s:I}", "device",
                            *device->name == '\0' ? json_null() : json_text(device->name), "bytes",
                            (json_int_t)device->bytes, "unknown_count",
                            (json_int_t)device->unknown_count));
    }
    answer_add(&answer, "results", list);
    answer_say(&answer, "In use at the moment of the device memory profile, most first; null holds "
                        "what is of no device.");
    return answer.object;
}

bool query_bound_is_known(const struct query *query)
{
    return query->summary->has_ours && work_of(query->summary).counted_ps > 0;
}

json_t *query_bound(const struct query *query, const char *query_type)
{
    struct work work = work_of(query->summary);
    char memory[FORMAT_BYTES], of_all[FORMAT_BYTES], counted[FORMAT_BYTES];
    struct answer answer = answer_new(query_type);
    if (!query->summary->has_ours)
        return answer_unknown(&answer, answer_of_other_tool);
    if (!(work.counted_ps > 0))
        return answer_unknown(
            &answer, !work.limits.flops_per_s.set || !work.limits.bytes_per_s.set
                         ? "This file does not tell the device's peak FLOP/s and memory bandwidth."
                         : "No op of this file tells both its FLOPs and the bytes it accesses.");
    double share = work.memory_ps / work.counted_ps;
    answer_add(&answer, "memory_bound_share", json_number(share));
    answer_add(&answer, "counted_share", json_number(work.counted_ps / work.self_ps));
    peak_source_add(&answer, query, &work);
    answer_say(&answer,
               arena_printf(query->arena,
                            "By the roofline, ops with %s of the counted self time (%s of all) "
                            "are bound by memory bandwidth; %s of the ops' time tells FLOPs and "
                            "bytes of its own and is counted.",
                            format_share(share, memory),
                            format_share(work.memory_ps / work.self_ps, of_all),
                            format_share(work.counted_ps / work.self_ps, counted)));
    return answer.object;
}

/* ---- communication --------------------------------------------------------------------------- */

json_t *query_overlap(const struct query *query, const char *query_type)
{
    struct summary_view view;
    char hidden[FORMAT_BYTES], beside[FORMAT_BYTES], exposed[FORMAT_BYTES], copied[FORMAT_BYTES];
    struct answer answer = answer_new(query_type);
    summary_view_make(query->summary, query->arena, &view);
    if (!view.busy.set)
        return answer_unknown(&answer, query->summary->has_ours ? "The profile holds no devices."
                                                                : answer_of_other_tool);
    double out = view.exposed_communication.value, in = view.overlapped_communication.value;
    answer_add(&answer, "exposed_communication_share", json_number(out));
    answer_add(&answer, "exposed_copies_share", optional_number(view.exposed_copies));
    answer_add(&answer, "overlapped_communication_share", json_number(in));
    const char *copies = "";
    if (view.exposed_copies.set && view.exposed_copies.value > 0)
        copies = arena_printf(query->arena, " Copies that nothing hides take %s of the windows.",
                              format_share(view.exposed_copies.value, copied));
    if (!(out + in > 0)) {
        answer_say(
            &answer,
            arena_printf(query->arena, "No communication was recorded on the devices.%s", copies));
        return answer.object;
    }
    answer_add(&answer, "hidden_part", json_number(in / (in + out)));
    answer_say(&answer,
               arena_printf(query->arena,
                            "%s of the collectives' time is hidden behind compute: of the "
                            "devices' windows %s is communication beside compute and %s is "
                            "exposed.%s",
                            format_share(in / (in + out), hidden), format_share(in, beside),
                            format_share(out, exposed), copies));
    return answer.object;
}

/* ---- hosts ----------------------------------------------------------------------------------- */

static json_t *host_json(const struct host_time *host)
{
    const bool both = host->own_us.set && host->work_us.set;
    const struct opt_f64 idle =
        both ? some_f64(fmax(host->own_us.value - host->work_us.value, 0)) : host->own_us;
    return json_pack(
        "{s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "host", host->name == NULL ? "unknown" : host->name,
        "devices", (json_int_t)host->device_count, "step_median_us",
        optional_number(host->step_median_us), "work_us", optional_number(host->work_us),
        "period_us", optional_number(host->period_us), "collectives_us",
        optional_number(host->collectives_us), "idle_us", optional_number(idle));
}

json_t *query_hosts(const struct query *query, const char *query_type)
{
    static const char *const names[] = {[HOSTS_BY_STEP] = "step",
                                        [HOSTS_BY_PERIOD] = "period",
                                        [HOSTS_BY_WORK] = "work",
                                        [HOSTS_BY_STALL] = "stall"};
    struct host_times times;
    const struct host_time *fastest = NULL;
    struct answer answer = answer_new(query_type);
    if (!query->summary->has_ours)
        return answer_unknown(&answer, answer_of_other_tool);
    host_times_make(query->summary, query->arena, &times);
    struct opt_f64 skew = host_times_skew(&times, &fastest);
    json_t *list = json_array();
    for (size_t i = 0; i < slice_count(times.count, query->top_k); i++)
        (void)json_array_append_new(list, host_json(&times.rows[i]));
    answer_add(&answer, "results", list);
    answer_add_steps_left(&answer, query);
    if (!skew.set)
        return answer_unknown(
            &answer, times.count > 1 ? "No two hosts of this profile have steady steps."
                                     : "This profile holds one host, or does not name its hosts; "
                                       "its devices are told by \"Which device is slowest?\".");
    answer_add(&answer, "slowest",
               skew_tells(skew.value) ? json_text(times.rows[0].name) : json_null());
    answer_add(&answer, "skew_pct", json_number(skew.value));
    answer_add(&answer, "by", json_text(names[times.by]));
    answer_say(&answer, host_times_sentence(&times, skew.value, query->arena));
    return answer.object;
}
