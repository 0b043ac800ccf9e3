/* What keeps the steps from being faster, by the thresholds of xprof's input pipeline analyzer.
 */
#ifndef INGEST_BREAKDOWN_BOTTLENECK_H
#define INGEST_BREAKDOWN_BOTTLENECK_H

#include "ingest/breakdown/step_list.h"

/* Shares of the step that are judged. */
enum bottleneck_kind {
    BOTTLENECK_INPUT,
    BOTTLENECK_OUTPUT,
    BOTTLENECK_KERNEL_LAUNCH,
    BOTTLENECK_ALL_OTHER,
    BOTTLENECK_COLLECTIVES,
    BOTTLENECK_COUNT
};
extern const char *const bottleneck_names[BOTTLENECK_COUNT]; /* "input", "kernel_launch" … */

struct bottleneck {
    struct opt_f64 share;  /* of the step; absent: a part of it was not measured */
    const char *level;     /* "no", "moderate", "high"; NULL: not known */
    const char *statement; /* NULL where the level is "no" or not known */
};

struct bottlenecks {
    struct bottleneck of[BOTTLENECK_COUNT];
    const char *input_class;           /* xprof's: "host", "both", "device"; NULL: none of them */
    const char *class_words;           /* what it is of; why it is none of them */
    const char *device_idle_statement; /* of step_waits.idle_share; NULL where it is little */
    struct opt_f64 compute_share, idle_share; /* where copies within a device compute */
};

/* Of all steps, in xprof's reading. */
struct bottlenecks bottlenecks_of(const struct step_list *list);

#endif
