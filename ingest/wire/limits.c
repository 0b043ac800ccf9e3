/* Defaults of the bounds, and the one message for exceeding any of them. */
#include "ingest/wire/limits.h"

enum { LIMIT_NAME_BYTES = 64 };

void limits_complete(struct ingest_limits *limits)
{
#define LIMIT_DEFAULT(name, type, standard, min, max, help) \
    if (limits->name <= 0) \
        limits->name = conf_standard_int(CONF_##name);
    CONF_LIMITS(LIMIT_DEFAULT)
#undef LIMIT_DEFAULT
}

size_t limit_text(const char *text, size_t length, size_t max_bytes, int64_t *cut_count)
{
    if (length <= max_bytes)
        return length;
    (*cut_count)++;
    size_t kept = max_bytes;
    while (kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80) /* within a character */
        kept--;
    return kept;
}

bool limit_exceeded(const char *name, int64_t bound, const char *path, struct err *err)
{
    char option[LIMIT_NAME_BYTES];
    size_t length = 0;
    for (; name[length] != '\0' && length + 1 < sizeof option; length++)
        option[length] = name[length] == '_' ? '-' : name[length];
    option[length] = '\0';
    return err_set(err, ERR_LIMIT,
                   "'%s' goes beyond the limit %s = %lld (%s); if the file is genuine, raise it "
                   "with --%s or in the configuration",
                   path, name, (long long)bound, conf_key_help(conf_key_find(name)), option);
}
