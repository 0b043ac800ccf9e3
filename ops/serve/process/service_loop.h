/* The loop of workers that do one thing at a time every second: connection, signals, signs of life.
 */
#ifndef OPS_SERVE_PROCESS_SERVICE_LOOP_H
#define OPS_SERVE_PROCESS_SERVICE_LOOP_H

#include "history/db.h"
#include "ops/runtime/conf.h"

struct service_loop {
    const char *kind;
    const struct conf *conf;
    const char *conninfo; /* as of ledger_open */
    /* Does what is due; an error of the database makes the loop connect again. name: who works,
     * as workers are listed. */
    bool (*turn)(const struct service_loop *loop, struct db *db, const char *name, struct err *err);
    void *context; /* for turn */
};

/* Runs until SIGTERM or SIGINT. false: it cannot begin. */
bool service_loop_run(const struct service_loop *loop, struct err *err);

#endif
