/* Host name and process id: unique while the process lives. */
#include "ops/serve/worker_name.h"

#include <stdio.h>
#include <unistd.h>

void worker_name_make(char *buffer)
{
    char host[65] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        (void)snprintf(host, sizeof host, "localhost");
    (void)snprintf(buffer, WORKER_NAME_BYTES, "%s:%d", host, (int)getpid());
}
