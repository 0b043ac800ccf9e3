/* What the host does to bring input to its devices, stage by stage: iterators of tf.data, copies to
 * devices, and what programs call their loaders.
 */
#ifndef INGEST_BREAKDOWN_INPUT_OPS_H
#define INGEST_BREAKDOWN_INPUT_OPS_H

#include "ingest/timeline/timeline.h"

/* As xprof parts them. */
enum input_kind {
    INPUT_ENQUEUE, /* sends to the device */
    INPUT_DEMANDED_READ,
    INPUT_ADVANCED_READ, /* behind a prefetch or an interleave */
    INPUT_PREPROCESSING,
    INPUT_OTHER, /* reads or processes: its name does not say which */
    INPUT_KIND_COUNT
};
extern const char *const input_kind_names[INPUT_KIND_COUNT]; /* "Demanded file read" */

struct input_op {
    const char *name; /* "Iterator::Model::Prefetch::TFRecord" */
    enum input_kind kind;
    int64_t count, total_ps, self_ps; /* its own: without stages within it on the same thread */
};

/* Of all hosts. */
struct input_ops {
    struct arena *arena;
    struct input_op *items;
    size_t count, capacity;
};

/* Adds those of a host's profile; reads the lines of hosts once more where one is named. ERR_INPUT,
 * ERR_LIMIT. */
bool input_ops_add(struct input_ops *ops, struct profile *profile, struct err *err);

/* Most own time first. */
void input_ops_settle(struct input_ops *ops);

#endif
