/* The worker that judges what was stored: takes candidates (history/lease/judgement.h), one at a
 * time.
 */
#ifndef OPS_SERVE_WORKERS_WORKER_COMPARE_H
#define OPS_SERVE_WORKERS_WORKER_COMPARE_H

#include "history/lease/lease.h"
#include "ops/runtime/conf.h"

struct compare_setting {
    const struct conf *conf;
    const char *conninfo; /* as of ledger_open */
    struct arena *memory; /* the budget of max_memory_mb */
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
