/* Names of workers, their signs of life, and the reading of errors. */
#include "ops/serve/process/worker.h"

#include "ops/runtime/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    HEARTBEAT_MS = 10000,
    PATIENT_CLAIMS = 100, /* then work that only meets outages is taken for their cause */
};

enum queue_ending attempt_ending(const struct err *failure, int64_t claims)
{
    enum err_kind kind = failure->kind;
    /* A time-out of a statement may be the work's own doing; a database that is away is not. */
    bool is_blameless =
        kind == ERR_FULL || (kind == ERR_UNAVAILABLE && strcmp(failure->sqlstate, "57014") != 0);
    if (claims <= PATIENT_CLAIMS && is_blameless)
        return QUEUE_RELEASE;
    return kind == ERR_INPUT || kind == ERR_LIMIT || kind == ERR_USAGE ? QUEUE_SET_ASIDE
                                                                       : QUEUE_RETRY;
}

bool worker_heartbeat_give(struct db *db, const struct worker_heartbeat *heartbeat, int64_t *due_ms,
                           struct err *err)
{
    int64_t now = clock_monotonic_ms();
    if (now < *due_ms)
        return true;
    *due_ms = now + HEARTBEAT_MS;
    return worker_seen(db, heartbeat, err);
}

bool attempt_may_pass(const struct err *fault)
{
    return fault->kind == ERR_UNAVAILABLE || fault->kind == ERR_FULL || fault->kind == ERR_IO ||
           (fault->kind == ERR_CONFLICT && fault->sqlstate[0] != '\0');
}

void worker_name_make(char *buffer)
{
    char host[65] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        (void)snprintf(host, sizeof host, "localhost");
    (void)snprintf(buffer, WORKER_NAME_BYTES, "%s:%d", host, (int)getpid());
}
