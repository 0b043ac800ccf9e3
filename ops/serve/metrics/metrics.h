/* Numbers of the service in the text format of Prometheus, over HTTP on the local machine only.
 *
 * GET /metrics asks the database and answers; GET /healthz says whether the database answers.
 * Nothing is counted here: what is shown is what the ledger and the queue hold, so a restart loses
 * nothing.
 */
#ifndef OPS_SERVE_METRICS_METRICS_H
#define OPS_SERVE_METRICS_METRICS_H

#include "history/lease/lease.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/text.h"

/* Appends the page. up false: the database is away, and nothing else is known. */
void metrics_write(const struct service_status *status, bool up, struct text *out);

/* Serves on 127.0.0.1:metrics_port until SIGTERM or SIGINT; conninfo as of ledger_open. ERR_USAGE:
 * no port is configured; ERR_UNAVAILABLE: it is taken. */
bool metrics_run(const struct conf *conf, const char *conninfo, struct err *err);

/* Whether metrics_port, when set, is free, or served by stepledger already. ERR_UNAVAILABLE: who
 * starts `serve` here gets no metrics. */
bool metrics_port_check(const struct conf *conf, struct err *err);

#endif
