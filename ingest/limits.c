/* Defaults of the bounds, and the one message for exceeding any of them. */
#include "ingest/limits.h"

#include <string.h>

void limits_complete(struct ingest_limits *limits)
{
#define LIMIT_DEFAULT(name, standard, what) \
    if (limits->name <= 0) \
        limits->name = (standard);
    INGEST_LIMITS(LIMIT_DEFAULT)
#undef LIMIT_DEFAULT
}

bool limit_exceeded(const char *name, int64_t bound, const char *path, struct err *err)
{
    static const struct {
        const char *name, *what;
    } bounds[] = {
#define LIMIT_ROW(name, standard, what) {#name, what},
        INGEST_LIMITS(LIMIT_ROW)
#undef LIMIT_ROW
    };
    const char *what = "";
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        if (strcmp(bounds[i].name, name) == 0)
            what = bounds[i].what;
    }
    return err_set(err, ERR_LIMIT,
                   "'%s' goes beyond the limit %s = %lld (%s); raise it if the file is genuine",
                   path, name, (long long)bound, what);
}
