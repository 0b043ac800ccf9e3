/* The alert worker as a process that goes on: works through the outbox every second, comes back
 * when the database does, ends in order. */
#ifndef OPS_SERVE_ALERT_LOOP_H
#define OPS_SERVE_ALERT_LOOP_H

#include "ops/runtime/conf.h"

/* Runs until SIGTERM or SIGINT; conninfo as of ledger_open. false: it cannot begin. */
bool alert_loop_run(const struct conf *conf, const char *conninfo, struct err *err);

#endif
