/* The ingest worker: claims jobs, runs each in a process of its own, records what came of them.
 *
 * It never waits for one job while another could run, goes on by itself when the database comes
 * back, and gives back what it cannot finish when it is told to stop. A job whose lease was lost is
 * stopped; whatever it still says is refused by the fence.
 */
#ifndef OPS_SERVE_WORKERS_WORKER_INGEST_H
#define OPS_SERVE_WORKERS_WORKER_INGEST_H

#include "ops/serve/jobs/jobs.h"
#include "ops/serve/watch/watch.h"

#include <stdint.h>

struct worker_ingest_setting {
    const struct conf *conf;
    const char *conninfo;              /* as of ledger_open */
    int slots;                         /* jobs at a time */
    bool once;                         /* end when nothing is due any more */
    const struct watch_setting *watch; /* NULL = no folder is watched */
};

/* Runs until SIGTERM or SIGINT, or with `once` until nothing is due. false: it cannot begin, or
 * with `once` the database is away. *ret_counts is set in both cases. */
bool worker_ingest_run(const struct worker_ingest_setting *setting, struct job_counts *ret_counts,
                       struct err *err);

#endif
