/* One job in a process of its own: a parser that crashes, hangs or eats memory takes its job with
 * it and nothing else.
 *
 * The child is a fork with limits of address space and processor time (under a sanitizer the
 * arena's budget is the only limit of memory). It speaks to the database itself, tells by a pipe
 * what came of it, and dies with its worker.
 */
#ifndef OPS_SERVE_JOBS_JOB_CHILD_H
#define OPS_SERVE_JOBS_JOB_CHILD_H

#include "ops/serve/jobs/job_run.h"

#include <sys/types.h>

struct job_child {
    pid_t pid; /* 0 = there is none */
    int report_fd;
    int64_t deadline_ms; /* of the monotonic clock: then it is killed */
    bool over_time;
    char *folder; /* of files that came with the job; NULL = none */
};

/* What came of a job. */
struct job_result {
    bool done;
    bool crashed;                   /* it died before it could say; failure.text says of what */
    struct profile_receipt receipt; /* only id and duplicate */
    struct err failure;
};

/* Starts it; setting->folder is set by it. ERR_FULL: no process, no folder. */
bool job_child_start(struct job_child *child, const struct job_setting *setting,
                     const struct queue_job *job, struct err *err);

/* true when it has ended: fills *ret_result and cleans up. Kills it when its time is over. */
bool job_child_ended(struct job_child *child, struct job_result *ret_result);

/* Kills it and cleans up; nothing is known of its result. */
void job_child_kill(struct job_child *child);

/* Removes the folders that killed workers of this user left behind. */
void job_folders_sweep(void);

#endif
