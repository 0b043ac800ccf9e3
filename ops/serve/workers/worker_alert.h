/* The alert worker: takes messages out of the outbox, delivers them, records what came of it.
 *
 * Claiming and recording are history/, sending is alerts/; only this loop joins and only it logs:
 * one line per message. At least once: a crash between sending and recording sends again, which
 * receivers see by the message id.
 */
#ifndef OPS_SERVE_WORKERS_WORKER_ALERT_H
#define OPS_SERVE_WORKERS_WORKER_ALERT_H

#include "history/db.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Attempts by what came of them; one message can count several times under retried. */
struct worker_report {
    int64_t delivered, retried, dead;
};

/* Takes back expired leases, then delivers until nothing is due. Retries wait as delivery_base_ms
 * and delivery_cap_ms say, at least as long as the receiver asked for; after its attempts or its
 * time (both in the row) a message is dead. An outcome that could be either is retried. false only
 * when the database or this machine fails; *ret_report is set in both cases. Switches core dumps of
 * the process off, since it handles secrets. */
bool worker_alert_once(struct db *db, const struct conf *conf, struct worker_report *ret_report,
                       struct err *err);

/* worker_alert_once again and again, every second, until SIGTERM or SIGINT; it comes back when the
 * database does. A delivery that is under way is ended first: at most its time-out later. conninfo
 * as of ledger_open. false: it cannot begin. */
bool worker_alert_run(const struct conf *conf, const char *conninfo, struct err *err);

#endif
