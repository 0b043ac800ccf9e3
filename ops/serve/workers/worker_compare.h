/* The worker that judges what was stored: takes candidates (history/lease/judgement.h), one at a
 * time.
 *
 * How a candidate is judged is the caller's: the same as `gate` does it, from ops/cli.
 */
#ifndef OPS_SERVE_WORKERS_WORKER_COMPARE_H
#define OPS_SERVE_WORKERS_WORKER_COMPARE_H

#include "history/lease/lease.h"
#include "ops/runtime/conf.h"

struct compare_setting {
    const struct conf *conf;
    const char *conninfo; /* as of ledger_open */
    /* Judges, and records the verdict and the end of the judgement in one transaction. ERR_MISSING:
     * there is nothing to compare it with. */
    bool (*judge)(void *context, struct db *db, const struct judgement *judgement,
                  int64_t *ret_verdict_id, struct err *err);
    void *context;
};

/* Attempts by what came of them; without: there was no baseline. */
struct compare_counts {
    int64_t judged, without, retried, aside, released, lost;
};

/* Judges all that is due, also what came just now. false: the database failed. */
bool worker_compare_once(const struct compare_setting *setting, struct db *db,
                         struct compare_counts *ret_counts, struct err *err);

/* Judges what is due and has settled until SIGTERM or SIGINT. false: it cannot begin. */
bool worker_compare_run(const struct compare_setting *setting, struct err *err);

#endif
