/* The jobs that one worker has in hand: each is claimed, runs in a process of its own, and keeps
 * its result until the database has taken it.
 *
 * So an outage costs no work that was stored, and no reason why something was not. A job whose
 * lease was lost is stopped; whatever it still says is refused by the fence.
 */
#ifndef OPS_SERVE_JOBS_JOB_SLOTS_H
#define OPS_SERVE_JOBS_JOB_SLOTS_H

#include "history/lease/lease.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/retry.h"

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
bool job_slots_init(struct job_slots *slots, int count, struct err *err);
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
