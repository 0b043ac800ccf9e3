/* A worker's connection to the ledger, which comes back by itself.
 *
 * An outage is logged once when it begins and once when it ends. With several hosts in the conninfo
 * and target_session_attrs=read-write, libpq finds the new primary.
 */
#ifndef OPS_SERVE_PROCESS_LEDGER_LINK_H
#define OPS_SERVE_PROCESS_LEDGER_LINK_H

#include "history/db.h"

#include <stdint.h>

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

#endif
