/* The measures of a profile that are followed over time. A number, once given, is never given to
 * another measure: it stands in the ledger for good.
 *
 * X(number, name, unit): unit "us" per step, "share" of 1, "ratio", "count". What each one is
 * stands in history/measures.c.
 */
#ifndef HISTORY_MEASURE_TABLE_H
#define HISTORY_MEASURE_TABLE_H

#define MEASURES(X) \
    X(1, step_median, "us") \
    X(2, step_p90, "us") \
    X(3, step_mean, "us") \
    X(4, step_min, "us") \
    X(5, step_max, "us") \
    X(6, steady_steps, "count") \
    X(7, steady_step_median, "us") \
    X(8, steady_step_p90, "us") \
    X(9, step_idle, "us") \
    X(10, compute_share, "share") \
    X(11, communication_share, "share") \
    X(12, host_share, "share") \
    X(13, stall_share, "share") \
    X(14, other_share, "share") \
    X(15, device_busy_share, "share") \
    X(16, device_idle_share, "share") \
    X(17, device_compute_share, "share") \
    X(18, exposed_communication_share, "share") \
    X(19, overlapped_communication_share, "share") \
    X(20, exposed_copy_share, "share") \
    X(21, device_skew, "ratio") \
    X(22, op_count, "count") \
    X(23, event_count, "count")

enum measure {
#define MEASURE_MEMBER(number, name, unit) MEASURE_##name = number,
    MEASURES(MEASURE_MEMBER)
#undef MEASURE_MEMBER
        MEASURE_LIMIT = 64
};

#endif
