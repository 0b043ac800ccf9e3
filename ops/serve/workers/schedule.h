/* Regular tasks. Each is done by one of all schedulers, wherever they run, when its time has come;
 * to add one: a function and a line in the table of schedule.c. */
#ifndef OPS_SERVE_WORKERS_SCHEDULE_H
#define OPS_SERVE_WORKERS_SCHEDULE_H

#include "history/db.h"
#include "ops/runtime/conf.h"

/* Does every task that is due, one log line each, and reports whenever they are asked for. A task
 * that fails is recorded, logged, and due again when its time comes; what waits is logged too.
 * false: the database failed, or (with the kind of the first) a task. */
bool schedule_once(struct db *db, const struct conf *conf, struct err *err);

/* The same every second until SIGTERM or SIGINT; conninfo as of ledger_open. */
bool schedule_run(const struct conf *conf, const char *conninfo, struct err *err);

#endif
