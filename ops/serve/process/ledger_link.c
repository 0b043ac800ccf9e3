/* Reconnecting with backoff: full jitter, so that many workers do not come back at one moment. */
#include "ops/serve/process/process.h"

#include "history/cluster/cluster.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"
#include "ops/runtime/retry.h"

enum { PATHS_BYTES = 1 << 20, FIRST_RETRY_MS = 50 };

static const struct retry_policy reconnect = {.base_ms = FIRST_RETRY_MS, .cap_ms = 5000};

bool ledger_open(const char *conninfo, struct db **ret_db, struct err *err)
{
    if (conninfo != NULL)
        return db_open(conninfo, ret_db, err);
    scoped_arena arena;
    arena_init(&arena, PATHS_BYTES);
    return cluster_open(&arena, ret_db, err);
}

static void outage_note(struct ledger_link *link, const struct err *failure)
{
    if (!link->away)
        log_event(LOG_WARN, LOG_database_away, "why", failure->text, NULL);
    link->away = true;
    link->attempt++;
    link->retry_at_ms = clock_monotonic_ms() + FIRST_RETRY_MS +
                        retry_delay_ms(&reconnect, link->attempt, retry_random());
}

bool ledger_link_ready(struct ledger_link *link, bool *ret_fresh, struct err *err)
{
    struct err failure = {0};
    if (ret_fresh != NULL)
        *ret_fresh = false;
    if (link->db != NULL)
        return true;
    if (clock_monotonic_ms() < link->retry_at_ms)
        return err_set(err, ERR_UNAVAILABLE, "the database is away");
    if (!ledger_open(link->conninfo, &link->db, &failure)) {
        outage_note(link, &failure);
        if (err != NULL)
            *err = failure;
        return false;
    }
    if (link->away)
        log_event(LOG_INFO, LOG_database_back, NULL);
    link->away = false;
    link->attempt = 0;
    if (ret_fresh != NULL)
        *ret_fresh = true;
    return true;
}

bool ledger_link_check(struct ledger_link *link, const struct err *failure)
{
    if (failure->kind == ERR_CONFLICT)
        return false;
    if (failure->kind == ERR_INPUT || failure->kind == ERR_LIMIT || failure->kind == ERR_IO) {
        log_event(LOG_ERROR, LOG_task_failed, "why", failure->text, NULL);
        return false;
    }
    ledger_link_close(link);
    outage_note(link, failure);
    return true;
}

void ledger_link_close(struct ledger_link *link)
{
    db_close(link->db);
    link->db = NULL;
}
