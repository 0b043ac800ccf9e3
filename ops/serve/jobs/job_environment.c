/* Implements the wiping: what a job must not have is overwritten and forgotten. */
#include "ops/serve/jobs/job_environment.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* By the start of their names; libpq's are needed to reach the ledger. */
static bool is_kept(const char *entry)
{
    static const char *const kept[] = {
        "TMPDIR=",
        "HOME=",
        "PATH=",
        "USER=",
        "LANG=",
        "LC_",
        "TZ=",
        "XDG_",
        "PG",
        "ASAN_",
        "UBSAN",
        "JOURNAL_STREAM=",
        "SOURCE_DATE_EPOCH=",
    };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (strncmp(entry, kept[i], strlen(kept[i])) == 0)
            return true;
    return false;
}

void job_environment_wipe(void)
{
    char **out = environ;
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (is_kept(*entry))
            *out++ = *entry;
        else
            explicit_bzero(*entry, strlen(*entry));
    }
    if (out != NULL)
        *out = NULL;
}
