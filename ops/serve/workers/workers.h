/* The workers: each takes what is due. */
#ifndef OPS_SERVE_WORKERS_WORKERS_H
#define OPS_SERVE_WORKERS_WORKERS_H

#include "history/db.h"
#include "history/lease/lease.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"
#include "ops/serve/jobs/jobs.h"
#include "ops/serve/watch/watch.h"

#include <stdbool.h>
#include <stdint.h>

/* The ingest worker: claims jobs, runs each in a process of its own, records what came of them.
 *
 * It never waits for one job while another could run, goes on by itself when the database comes
 * back, and gives back what it cannot finish when it is told to stop. A job whose lease was lost is
 * stopped; whatever it still says is refused by the fence.
 */

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

/* The worker that judges what was stored: takes candidates (history/lease/judgement.h), one at a
 * time.
 */

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

/* The alert worker: takes messages out of the outbox, delivers them, records what came of it.
 *
 * Claiming and recording are history/, sending is alerts/; only this loop joins and only it logs:
 * one line per message. At least once: a crash between sending and recording sends again, which
 * receivers see by the message id.
 */

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

/* Regular tasks. Each is done by one of all schedulers, wherever they run, when its time has come;
 * to add one: a function and a line in the table of schedule.c. */

/* Does every task that is due, one log line each, and reports whenever they are asked for. A task
 * that fails is recorded, logged, and due again when its time comes; what waits is logged too.
 * false: the database failed, or (with the kind of the first) a task. */
bool schedule_once(struct db *db, const struct conf *conf, struct err *err);

/* The same every second until SIGTERM or SIGINT; conninfo as of ledger_open. */
bool schedule_run(const struct conf *conf, const char *conninfo, struct err *err);

#endif
