/* The ops of a process, as its events write them: a name and the arguments that make it one.
 *
 * Whether a process is a device is said anywhere in the file, so the texts are kept and looked at
 * when the file was read. Equal bytes are equal ops.
 */
#ifndef INGEST_TRACE_TRACE_OPS_H
#define INGEST_TRACE_TRACE_OPS_H

#include "ingest/lookup/lookup.h"
#include "ingest/trace/trace_event.h"

/* The number of the op that an event of this name is, a new one where it has to be. key is for the
 * work. */
int32_t trace_ops_find(struct byte_keys *ops, const struct token *name,
                       const struct trace_event *event, struct text *key, struct arena *arena);

/* Makes the ops of a plane from their texts. */
bool trace_ops_build(const struct byte_keys *texts, struct plane_ops *ops, struct err *err);

/* An argument as a stat: numbers of what counts things are numbers also where they are written as
 * texts. STAT_UNSET for what is neither. */
struct stat_value trace_stat_value(const struct token *value, enum stat_kind kind,
                                   struct arena *scratch);

#endif
