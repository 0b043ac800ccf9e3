/* A process that works until it is told to stop: signals, the link to the ledger, one loop for all
 * workers, the supervisor. */
#ifndef OPS_SERVE_PROCESS_PROCESS_H
#define OPS_SERVE_PROCESS_PROCESS_H

#include "history/db.h"
#include "history/lease/lease.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"

#include <stddef.h>
#include <stdint.h>

/* Signals of a long-running process, taken from a descriptor in its loop: nothing is interrupted.
 */

struct signals {
    int fd;
    bool stop;   /* SIGTERM or SIGINT came */
    bool reload; /* SIGHUP came */
};

/* From now on SIGTERM, SIGINT, SIGHUP and SIGCHLD only wake signals_wait. ERR_FULL. */
bool signals_open(struct signals *signals, struct err *err);

/* Sleeps until a signal comes, one of fds[count] (at most 6; -1 is skipped) is readable, or the
 * time is over; then takes the signals. A child that ended is a reason to wake up, no more. */
void signals_wait(struct signals *signals, const int *fds, size_t count, int64_t timeout_ms);

/* In a child that was just forked: signals do what they do by default. */
void signals_reset(void);

/* A worker's connection to the ledger, which comes back by itself.
 *
 * An outage is logged once when it begins and once when it ends. With several hosts in the conninfo
 * and target_session_attrs=read-write, libpq finds the new primary.
 */

struct ledger_link {
    const char *conninfo; /* NULL = the embedded cluster, started when it is down */
    struct db *db;        /* NULL while the database is away */
    int attempt;
    int64_t retry_at_ms; /* of the monotonic clock */
    bool away;           /* an outage was logged */
};

/* Opens one connection; conninfo as above. */
bool ledger_open(const char *conninfo, struct db **ret_db, struct err *err);

/* true when link->db can be used. Connects when there is none and the time of the backoff has come;
 * *ret_fresh (may be NULL): the connection is new. err says why not. */
bool ledger_link_ready(struct ledger_link *link, bool *ret_fresh, struct err *err);

/* After a failed statement: closes the connection unless the failure was the statement's own.
 * Returns true when the connection was given up. */
bool ledger_link_check(struct ledger_link *link, const struct err *failure);

/* Closes. */
void ledger_link_close(struct ledger_link *link);

/* What all workers have: a name, and what the failure of an attempt means for the work that was
 * attempted. */

enum { WORKER_NAME_BYTES = 96 };

/* What a worker is called in the database and in logs: "host:process"; buffer holds
 * WORKER_NAME_BYTES. */
void worker_name_make(char *buffer);

/* Tells the ledger now and then that the worker lives; *due_ms: when it is told next, 0 at first.
 */
bool worker_heartbeat_give(struct db *db, const struct worker_heartbeat *heartbeat, int64_t *due_ms,
                           struct err *err);

/* claims: how often the work was claimed, this time included. What is bad is set aside at once; an
 * outage of database or machine is not counted, unless the work has met nothing else for long. */
enum queue_ending attempt_ending(const struct err *failure, int64_t claims);

/* Whether a statement that failed so may succeed later. */
bool attempt_may_pass(const struct err *fault);

/* The loop of workers that do one thing at a time every second: connection, signals, signs of life.
 */

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

/* The supervisor of `serve`: starts the workers as processes of this very program, starts them
 * again when they end, stops them in order.
 *
 * It holds no connection and does no work of its own, so nothing can take it down with it; it dies
 * last. When it is killed its workers stop by themselves.
 */

/* One kind of child. */
struct supervised {
    const char *kind;        /* for people, and `work KIND` */
    int count;               /* how many of it; 0 = none */
    const char *const *more; /* further arguments, ended by NULL; NULL = none */
};

struct supervisor_setting {
    const struct conf *conf;
    const char *conninfo;    /* given to the children in their environment; NULL = embedded */
    const char *config_file; /* --config, NULL = none */
    const char *log_level;   /* --log-level, NULL = none */
    const struct supervised *kinds;
    size_t kind_count;
};

/* Waits until the database answers, starts the children, tells the service manager READY, and goes
 * on until SIGTERM or SIGINT; SIGHUP stops the children in order and starts them with the
 * configuration of then. A child that ends is started again after a backoff that forgets after a
 * minute. false: it cannot begin. */
bool supervisor_run(const struct supervisor_setting *setting, struct err *err);

#endif
