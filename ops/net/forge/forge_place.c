/* Takes the address of a repository apart. */
#include "ops/net/forge/forge.h"

#include "ops/net/url_handle.h"

#include <string.h>

static const char host_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";
static const char path_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/";

static const struct {
    const char *name, *api; /* behind the origin */
} kinds[] = {[FORGE_GITHUB] = {"github", "/api/v3"}, [FORGE_GITLAB] = {"gitlab", "/api/v4"}};

/* git@HOST:PATH: where its host begins; NULL when it is none. */
static const char *short_form(const char *repository)
{
    const char *at = strchr(repository, '@'), *colon = strchr(repository, ':');
    bool is_short = at != NULL && colon != NULL && at < colon && at > repository &&
                    strspn(at + 1, host_letters) == (size_t)(colon - at - 1) &&
                    memchr(repository, '/', (size_t)(at - repository)) == NULL;
    return is_short && colon > at + 1 ? at + 1 : NULL;
}

bool forge_is_place(const char *repository)
{
    return strstr(repository, "://") != NULL || short_form(repository) != NULL;
}

bool forge_kind_read(const char *name, enum forge_kind *ret_kind, struct err *err)
{
    for (enum forge_kind kind = FORGE_GITHUB; kind <= FORGE_GITLAB; kind++)
        if (strcmp(name, kinds[kind].name) == 0) {
            *ret_kind = kind;
            return true;
        }
    return err_set(err, ERR_USAGE, "'%s' must be github or gitlab", name);
}

/* "/acme/train.git/" → "acme/train"; NULL when that is no repository. */
static const char *path_of(const char *path, struct arena *arena)
{
    static const char suffix[] = ".git";
    path += strspn(path, "/");
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    size_t tail = sizeof suffix - 1;
    if (length > tail && memcmp(path + length - tail, suffix, tail) == 0)
        length -= tail;
    bool fits = strspn(path, path_letters) >= length && memchr(path, '/', length) != NULL &&
                strstr(path, "..") == NULL && strstr(path, "//") == NULL;
    return fits ? arena_strndup(arena, path, length) : NULL;
}

bool forge_place_read(const char *repository, struct arena *arena, struct forge_place *ret_place,
                      struct err *err)
{
    const char *shorter = strstr(repository, "://") != NULL ? NULL : short_form(repository);
    const char *path = shorter == NULL ? NULL : strchr(shorter, ':') + 1;
    const char *url = shorter == NULL ? repository
                                      : arena_printf(arena, "ssh://%.*s/%s",
                                                     (int)(path - shorter - 1), shorter, path);
    scoped_url *handle = url_parsed(url, CURLU_NON_SUPPORT_SCHEME);
    if (handle == NULL)
        return err_set(err, ERR_USAGE,
                       "it is no URL of a repository: write it as "
                       "https://HOST/OWNER/NAME");
    scoped_part *scheme = url_part(handle, CURLUPART_SCHEME);
    scoped_part *host = url_part(handle, CURLUPART_HOST);
    scoped_part *port = url_part(handle, CURLUPART_PORT);
    scoped_part *user = url_part(handle, CURLUPART_USER);
    scoped_part *password = url_part(handle, CURLUPART_PASSWORD);
    scoped_part *way = url_part(handle, CURLUPART_PATH);
    bool is_web = scheme != NULL && (strcmp(scheme, "https") == 0 || strcmp(scheme, "http") == 0);
    if (password != NULL || (is_web && user != NULL))
        return err_set(err, ERR_USAGE,
                       "the URL holds a user name or password: leave it out, and say with `secret` "
                       "where the token is kept");
    path = way == NULL ? NULL : path_of(way, arena);
    if (scheme == NULL || host == NULL || path == NULL || (!is_web && strcmp(scheme, "ssh") != 0))
        return err_set(err, ERR_USAGE,
                       "it leads to no repository: write it as "
                       "https://HOST/OWNER/NAME");
    enum forge_kind kind = FORGE_GITHUB;
    while (kind <= FORGE_GITLAB && strcasestr(host, kinds[kind].name) == NULL)
        kind++;
    *ret_place = (struct forge_place){.kind = kind > FORGE_GITLAB ? FORGE_UNKNOWN : kind,
                                      .host = arena_strdup(arena, host),
                                      .path = path};
    ret_place->origin = is_web && port != NULL
                            ? arena_printf(arena, "%s://%s:%s", scheme, host, port)
                            : arena_printf(arena, "%s://%s", is_web ? scheme : "https", host);
    return true;
}

const char *forge_api(const struct forge_place *place, enum forge_kind kind, struct arena *arena)
{
    bool is_public = strcasecmp(place->host, "github.com") == 0;
    return is_public ? "https://api.github.com"
                     : arena_printf(arena, "%s%s", place->origin, kinds[kind].api);
}
