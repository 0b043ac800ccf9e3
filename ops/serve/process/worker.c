/* Names of workers, and the reading of errors. */
#include "ops/serve/process/worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENT_CLAIMS = 100 }; /* then work that only meets outages is taken for their cause */

/* A time-out of a statement may be the work's own doing; a database that is away is not. */
static bool is_blameless(const struct err *failure)
{
    return failure->kind == ERR_FULL ||
           (failure->kind == ERR_UNAVAILABLE && strcmp(failure->sqlstate, "57014") != 0);
}

enum queue_ending attempt_ending(const struct err *failure, int64_t claims)
{
    enum err_kind kind = failure->kind;
    if (claims <= PATIENT_CLAIMS && is_blameless(failure))
        return QUEUE_RELEASE;
    return kind == ERR_INPUT || kind == ERR_LIMIT || kind == ERR_USAGE ? QUEUE_SET_ASIDE
                                                                       : QUEUE_RETRY;
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
