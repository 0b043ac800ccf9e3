/* The work of one job: read the files, summarize, store the profile and end the job in one
 * transaction. Runs in a process of its own (job_child.h). */
#ifndef OPS_SERVE_JOBS_JOB_RUN_H
#define OPS_SERVE_JOBS_JOB_RUN_H

#include "history/lease/lease.h"
#include "ops/runtime/conf.h"

struct job_setting {
    const struct conf *conf;
    const char *conninfo; /* as of ledger_open */
    const char *folder; /* where files that came with the job are written; NULL = there are none */
};

/* ERR_CONFLICT: the lease was lost and nothing is stored; other kinds are those of reading and
 * storing. */
bool job_run(const struct job_setting *setting, const struct queue_job *job, struct arena *arena,
             struct profile_receipt *ret_receipt, struct err *err);

#endif
