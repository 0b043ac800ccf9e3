/* Host names; see hosts.h. Containers often report one name for all ranks, so names are not
 * trusted to differ.
 */
#include "ingest/hosts.h"
#include "ingest/formats.h"

#include "ops/runtime/file.h"

#include <string.h>

/* The file's name without the suffix of its format. */
static const char *file_host(struct profile *profile, const char *path)
{
    const char *base = path_base(path);
    size_t length = strlen(base);
    const struct profile_format *format = format_of_path(path);
    if (format != NULL)
        length -= strlen(format->suffix);
    return arena_strndup(profile->arena, base, length);
}

static bool is_taken(const struct profile *profile, size_t before, const char *host)
{
    for (size_t i = 0; i < before; i++) {
        if (strcmp(profile->spaces[i].host, host) == 0)
            return true;
    }
    return false;
}

/* The first of `host`, file name, `host#2`, `host#3`, … that is free. */
static const char *unique_host(struct profile *profile, size_t index)
{
    const struct xspace *space = &profile->spaces[index];
    const char *said = space->hostnames.count > 0 ? space->hostnames.items[0] : NULL;
    const char *file = file_host(profile, space->input.path);
    const char *host = said != NULL && *said != '\0' ? said : file;
    if (host != NULL && is_taken(profile, index, host))
        host = file;
    for (size_t number = 2; host != NULL && is_taken(profile, index, host); number++)
        host = arena_printf(profile->arena, "%s#%zu", said != NULL ? said : file, number);
    return host;
}

bool hosts_name(struct profile *profile, struct err *err)
{
    struct xspace *spaces = profile->spaces;
    if (profile->space_count == 1) {
        bool said = spaces[0].hostnames.count > 0 && spaces[0].hostnames.items[0][0] != '\0';
        spaces[0].host = said ? spaces[0].hostnames.items[0] : NULL;
        return true;
    }
    for (size_t i = 0; i < profile->space_count; i++) {
        spaces[i].host = unique_host(profile, i);
        if (spaces[i].host == NULL)
            return arena_failed(profile->arena, "the hosts of a profile", err);
    }
    return true;
}
