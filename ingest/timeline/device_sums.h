/* What one device did with its time: interval unions over all its lines (ingest/README.md).
 *
 * Two ways to the same sums. Usually all lines leave lists and are swept at the end. In large
 * profiles the longest line is swept while it is read, against the lists of the others, so that
 * nothing is kept of it.
 */
#ifndef INGEST_TIMELINE_DEVICE_SUMS_H
#define INGEST_TIMELINE_DEVICE_SUMS_H

#include "ingest/timeline/profile.h"

struct device_sums {
    struct sweep sweep;
    int64_t *begins, *ends; /* of steady steps' spans, each ascending */
    size_t span_count;
    size_t begun, ended;         /* how many of them the sweep has reached … */
    int64_t steady_until;        /* … and where the next one begins or ends */
    int64_t start_ps, end_ps;    /* of op events; start > end without any */
    int64_t busy_ps, compute_ps; /* unions */
    int64_t exposed_comm_ps, overlapped_comm_ps, exposed_copy_ps;
    int64_t steady_busy_ps;               /* in steady steps, for each of them */
    int64_t steady_spans, steady_idle_ps; /* steps, and the time in them without ops */
};

/* Begins the sweep over the lists that the plane has so far; all other ops come one by one. */
bool device_sums_begin(struct plane_state *state, struct err *err);

/* Adds an op of a line that leaves no list, by start. */
static inline bool device_sums_add(struct device_sums *sums, unsigned class, int64_t start,
                                   int64_t end, struct err *err)
{
    if (start < sums->start_ps)
        sums->start_ps = start;
    if (end > sums->end_ps)
        sums->end_ps = end;
    struct sweep *sweep = &sums->sweep;
    if (start > sweep->ends[class] || start >= sweep->next_start)
        return sweep_add(sweep, class, start, end, err);
    if (end > sweep->ends[class]) { /* goes on where the last of its class has not ended before */
        sweep->ends[class] = end;
        sweep->active |= 1U << class;
    }
    return true;
}

/* Ends the sweep, beginning it if need be. The spans of the plane's steps must be final. */
bool device_sums_finish(struct plane_state *state, struct err *err);

#endif
