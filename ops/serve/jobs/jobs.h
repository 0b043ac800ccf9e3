/* Jobs of the queue, each in a child of its own. */
#ifndef OPS_SERVE_JOBS_JOBS_H
#define OPS_SERVE_JOBS_JOBS_H

#include "history/lease/lease.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/retry.h"

#include <limits.h>
#include <sys/types.h>

/* The work of one job: read the files, summarize, store the profile and end the job in one
 * transaction. Runs in a process of its own (job_child_start). */

struct job_setting {
    const struct conf *conf;
    const char *conninfo; /* as of ledger_open */
    const char *folder;   /* where files that came with the job are written */
};

/* ERR_CONFLICT: the lease was lost and nothing is stored; other kinds are those of reading and
 * storing. */
bool job_run(const struct job_setting *setting, const struct queue_job *job, struct arena *arena,
             struct profile_receipt *ret_receipt, struct err *err);

/* One job in a process of its own: a parser that crashes, hangs or eats memory takes its job with
 * it and nothing else.
 *
 * The child is a fork with limits of address space and processor time (under a sanitizer the
 * arena's budget is the only limit of memory). It speaks to the database itself, tells by a pipe
 * what came of it, and dies with its worker.
 */

struct job_child {
    pid_t pid; /* 0 = there is none */
    int report_fd;
    int64_t deadline_ms; /* of the monotonic clock: then it is killed */
    bool over_time;
    char folder[PATH_MAX]; /* of files that came with the job; "" = none */
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

/* Keeps in the environment what reading a profile and reaching the ledger need (folders, language,
 * libpq's variables) and wipes the rest, /proc/PID/environ included: a service is given tokens and
 * keys by its environment, and whoever takes over a parser must not find them there. Call it in the
 * process itself, before it has threads; texts that getenv gave for the rest are gone. */
void job_environment_wipe(void);

/* Removes the folders that killed workers of this user left behind. */
void job_folders_sweep(void);

/* The jobs that one worker has in hand: each is claimed, runs in a process of its own, and keeps
 * its result until the database has taken it.
 *
 * So an outage costs no work that was stored, and no reason why something was not. A job whose
 * lease was lost is stopped; whatever it still says is refused by the fence.
 */

/* Attempts by what came of them. */
struct job_counts {
    int64_t stored, duplicate, retried, aside, released, lost;
};

struct slot; /* opaque */

struct job_slots {
    const struct conf *conf;
    const char *conninfo;       /* as of ledger_open, for the jobs */
    struct retry_policy policy; /* of jobs that failed */
    struct queue_lease lease;
    struct job_counts *counts;
    struct slot *items;
    int count;
};

/* Makes room for count jobs; the members above `items` are the caller's. */
void job_slots_init(struct job_slots *slots, int count);
/* Accepts a zeroed struct. Nothing may run any more. */
void job_slots_done(struct job_slots *slots);

/* Takes the results of jobs that have ended; needs no database. */
void job_slots_collect(struct job_slots *slots);

/* Records failed attempts and prolongs leases. false: the database failed; what is not recorded is
 * tried again by the next call. */
bool job_slots_turn(struct job_slots *slots, struct db *db, struct err *err);

/* Claims jobs into free slots and starts them; *ret_idle: none is due any more. */
bool job_slots_fill(struct job_slots *slots, struct db *db, bool *ret_idle, struct err *err);

/* Stops what still runs; job_slots_turn gives it back. */
void job_slots_release(struct job_slots *slots);

/* How many run. */
int job_slots_running(const struct job_slots *slots);
/* Nothing runs, and everything is recorded. */
bool job_slots_empty(const struct job_slots *slots);

#endif
