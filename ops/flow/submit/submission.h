/* From a capture on disk to a job of the queue: what `queue add` and a watched folder share. */
#ifndef OPS_FLOW_SUBMIT_SUBMISSION_H
#define OPS_FLOW_SUBMIT_SUBMISSION_H

#include "history/lease/lease.h"
#include "ingest/ingest.h"
#include "ops/runtime/conf.h"

/* What all captures of one submission have in common. */
struct submission {
    struct db *db;
    const struct conf *conf;
    struct profile_identity identity;
    const char *options;    /* job_options_text */
    bool with_bytes;        /* the files travel in the database */
    bool judge;             /* what is stored is to be judged */
    const char *dedupe_key; /* NULL = none */
};

/* Adds one job. Its paths are made absolute, as workers stand elsewhere. *ret_id 0: the dedupe key
 * was known. ERR_LIMIT: its bytes are more than queue_max_bytes. ERR_MISSING: a file is gone. */
bool submission_add(const struct submission *submission, const struct profile_files *capture,
                    struct arena *arena, int64_t *ret_id, struct err *err);

#endif
