/* How a profile is to be read, as it travels with its job: a small JSON document. */
#ifndef OPS_FLOW_SUBMIT_JOB_OPTIONS_H
#define OPS_FLOW_SUBMIT_JOB_OPTIONS_H

#include "ingest/ingest.h"

/* One line of JSON in the arena; NULL with ERR_LIMIT, ERR_INPUT. Threads, limits and progress are
 * the worker's own and not in it. */
const char *job_options_text(const struct ingest_options *options, struct arena *arena,
                             struct err *err);

/* The reverse; what is absent has its default. ERR_INPUT: not such a document, or a member that is
 * unknown here: a newer stepledger submitted it. */
bool job_options_read(const char *text, struct arena *arena, struct ingest_options *ret_options,
                      struct err *err);

#endif
