/* The measures of a profile: what is followed over time, and what a gate's policy can limit.
 *
 * One table for the ledger, for trends and for the judge, so that a name means one figure
 * everywhere. A number, once given, is never given to another measure: it stands in the ledger for
 * good. A new measure is one line here, its figure in measures.c, and a migration that makes
 * measure_name() again with it (0221), for the views of dashboards; gate, trend, report, policies
 * and help know it then.
 */
#ifndef SCHEMA_DOCUMENTS_MEASURES_H
#define SCHEMA_DOCUMENTS_MEASURES_H

#include "ops/runtime/text.h"
#include "schema/documents/summary.h"

/* X(number, name, unit, which way is worse, what it is). Units: "us" per step, "share" of 1,
 * "ratio", "count", "bytes", "per_s". "v1" means: as profile_summary.v1 tells it. */
#define MEASURES(X) \
    X(1, step_median, "us", UP, "median of steady steps, v1") \
    X(2, step_p90, "us", UP, "90th percentile of steady steps, v1") \
    X(3, step_mean, "us", UP, "mean of steady steps, v1") \
    X(4, step_min, "us", UP, "shortest steady step, v1") \
    X(5, step_max, "us", UP, "longest steady step, v1") \
    X(6, steady_steps, "count", DOWN, "steady steps, v1") \
    X(7, steady_step_median, "us", UP, "step time: median steady step of its slowest device") \
    X(8, steady_step_p90, "us", UP, "90th percentile of the same steps") \
    X(9, step_idle, "us", UP, "time of a step in which the device runs no op") \
    X(10, compute_share, "share", DOWN, "compute, v1") \
    X(11, communication_share, "share", UP, "communication, of all events' own time, v1") \
    X(12, host_share, "share", UP, "host, v1") \
    X(13, stall_share, "share", UP, "stalls, v1") \
    X(14, other_share, "share", UP, "all else, v1") \
    X(15, device_busy_share, "share", DOWN, "busy part of the devices' windows") \
    X(16, device_idle_share, "share", UP, "idle part of the devices' windows") \
    X(17, device_compute_share, "share", DOWN, "computing part of the devices' windows") \
    X(18, exposed_communication_share, "share", UP, "communication beside no compute") \
    X(19, overlapped_communication_share, "share", UP, "communication beside compute") \
    X(20, exposed_copy_share, "share", UP, "copies beside neither") \
    X(21, device_skew, "ratio", UP, "slowest device's step over the fastest's") \
    X(22, op_count, "count", UP, "distinct ops") \
    X(23, event_count, "count", UP, "events of the capture") \
    X(24, op_time, "us", UP, "self time of all ops, per step and device") \
    X(25, steady_step_period, "us", UP, "start of a steady step to the start of the next") \
    X(26, steady_step_mean, "us", UP, "mean time from step to step, slow ones and all") \
    X(27, device_memory, "bytes", UP, "bytes in use on the fullest device, by its memory profile") \
    X(28, mfu, "share", DOWN, \
      "MFU: model flops of a step / time from step to step / devices / peak") \
    X(29, tokens_per_second_per_device, "per_s", DOWN, \
      "tokens of a step / time from step to step / devices") \
    X(30, recompute_share, "share", UP, "ops computed again for the backward pass, of all ops") \
    X(31, input_wait_share, "share", UP, \
      "time from step to step in which the device waits for input") \
    X(32, hbm_peak, "bytes", UP, "most in use on the fullest device during the capture") \
    X(33, program_memory, "bytes", UP, "what the main program needs at its peak, as compiled")

enum measure {
#define MEASURE_MEMBER(number, name, unit, worse, help) MEASURE_##name = number,
    MEASURES(MEASURE_MEMBER)
#undef MEASURE_MEMBER
        MEASURE_END, /* behind the last; they begin at 1 without a hole */
    MEASURE_FIRST = 1
};

/* The device on which most is in use; NULL where no device is named. What is of no device
 * (programs, mostly) fills none; where no device is named, all is of one. */
const struct memory_share *memory_fullest(const struct memory_summary *memory);

/* Which change of a measure is a loss. */
enum worse { WORSE_UP, WORSE_DOWN };

struct measure_row {
    const char *name, *unit, *help;
    enum worse worse;
};
extern const struct measure_row measure_rows[MEASURE_END]; /* by number; [0] is empty */

/* The times from the start of a step to the start of the next, in step order, from row `first` on;
 * of a step without a follower its own time and the shortest wait behind one; where few have a
 * follower, the steps themselves. What was left out later on (compilation in the middle, say) is a
 * step that somebody waited for. us[steps->count]; returns how many. */
size_t steps_waited(const struct step_table *steps, size_t first, double *us);

/* The median time from the start of a steady step to the start of the next, µs; not set where too
 * few steps have a follower to speak for all. */
struct opt_f64 steps_period_us(const struct step_table *steps);

/* values[MEASURE_END], by number: shares and the skew are computed, the rest is what the summary
 * says. What it does not tell is not set. Shares of devices are sums over devices by the sum of
 * their windows, so that a device counts as much as it was profiled. */
void measures_take(const struct summary *summary, struct opt_f64 *values);

/* Of devices that told nothing but copies: what else they did meanwhile is not known, and steps are
 * those of the host. */
bool summary_tells_copies_alone(const struct summary *summary);

/* A value of a measure as all documents print it, with a sign for a change: "412.3 ms", "97.1 %" of
 * a share ("+0.9 pp" of its change), "1200" of a count, "1.05" of a ratio. Writes FORMAT_BYTES at
 * most; returns buffer. */
const char *measure_text(const char *unit, double value, bool with_sign, char *buffer);

/* "+4.6 %" of what it was; of a share, whose changes are told in points, "+4.6 % relative". Returns
 * buffer[FORMAT_BYTES]. */
const char *measure_percent_text(const char *unit, double change_pct, char *buffer);

/* What a measure changed by, the same way: in percent where that is known, of a share in points and
 * in percent: "-2.3 pp (-4.4 % relative)". */
const char *measure_change_text(const char *unit, double delta, struct opt_f64 change_pct,
                                char *buffer);

/* The name of a measure as a sentence has it: "step time" of the one that gates decide by. */
const char *measure_words(const char *name);

/* Floating point operations per step and device of all ops that are no asynchronous ones; not set
 * when ops of less than half of the time tell theirs, which custom calls are taken to do whose 0
 * tells nothing: runs are compared by it, none of which counts them. The name of the fact under
 * which the ledger keeps it beside a profile's provenance. */
struct opt_f64 step_flops(const struct summary *summary);
#define STEP_FLOPS_FACT "flops_per_step"

/* The measure of that name; ERR_USAGE names what is near and what there is. */
bool measure_find(const char *name, enum measure *ret_measure, struct err *err);

#endif
