/* Looks type names up in the table of history/client/pg_types.h. */
#include "history/client/pg_types.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t oid;
} types[] = {
#define PG_TYPE_ROW(member, name, oid) {name, oid},
    PG_TYPES(PG_TYPE_ROW)
#undef PG_TYPE_ROW
};

/* The object id of a type name of `length` bytes; 0 when the name is not in the table. */
static uint32_t pg_type_oid(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return types[i].oid;
    return 0;
}

uint32_t pg_type_next(const char **list)
{
    const char *name = *list + strspn(*list, " ");
    size_t length = strcspn(name, " ");
    *list = name + length;
    if (length == 0)
        return 0;
    uint32_t oid = pg_type_oid(name, length);
    return oid == 0 ? UINT32_MAX : oid;
}

uint32_t pg_type_element(uint32_t array_oid)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t length = strlen(types[i].name);
        if (types[i].oid == array_oid && length > 2 && types[i].name[length - 1] == ']')
            return pg_type_oid(types[i].name, length - 2);
    }
    return 0;
}
