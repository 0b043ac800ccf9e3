/* Finds the embedded cluster's place. A socket path holds at most 107 bytes (sockaddr_un), so a
 * long home gets its socket in a folder of /tmp whose name comes from the home's hash. */
#include "history/cluster/cluster_place.h"

#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

enum {
    SERVER_MAJOR_MIN = 15,
    SOCKET_NAME_BYTES = sizeof "/.s.PGSQL.5432.lock", /* the longest name beside the folder's */
    HASH_HEX_SHOWN = 12,
    SMALL_FILE_BYTES = 4096,
};

static const char SERVER_USER[] = "postgres"; /* Debian's; made by the package postgresql-common */
/* Server and libpq read lists of folders: these would cut a path in two. */
static const char LIST_CHARACTERS[] = ",\"\\";
static const char PACKAGED_VERSIONS[] = "/usr/lib/postgresql";

/* An absolute path of the environment, else NULL: the XDG specification says to ignore relative
 * ones. */
static const char *folder_of_environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] == '/' ? value : NULL;
}

static bool parent_find(struct arena *arena, const char **ret_parent, struct err *err)
{
    const char *data_home = folder_of_environment("XDG_DATA_HOME");
    const char *home = folder_of_environment("HOME");
    const struct passwd *self = home == NULL ? getpwuid(geteuid()) : NULL;
    if (self != NULL)
        home = self->pw_dir;
    if (data_home != NULL)
        *ret_parent = path_join(arena, data_home, "stepledger");
    else if (geteuid() == 0)
        *ret_parent = arena_strdup(arena, "/var/lib/stepledger");
    else if (home != NULL)
        *ret_parent = path_join(arena, home, ".local/share/stepledger");
    else
        return err_set(
            err, ERR_USAGE,
            "there is no home folder for the embedded database: set XDG_DATA_HOME, or name a "
            "database with --db");
    return true;
}

/* Root never runs a server itself: PostgreSQL refuses it. */
static bool owner_find(struct cluster_place *place, struct arena *arena, struct err *err)
{
    struct stat home;
    uid_t uid = geteuid();
    bool exists = stat(place->home, &home) == 0;
    if (uid != 0 && exists && home.st_uid != uid)
        return err_set(err, ERR_USAGE, "%s belongs to user id %u, not to you: set XDG_DATA_HOME",
                       place->home, (unsigned)home.st_uid);
    if (uid == 0 && exists)
        uid = home.st_uid;
    errno = 0;
    const struct passwd *entry = uid == 0 ? getpwnam(SERVER_USER) : getpwuid(uid);
    if (entry == NULL && errno == ENOMEM)
        memory_end();
    if (entry == NULL && (errno == EMFILE || errno == ENFILE || errno == EIO))
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot look up a user");
    if (entry == NULL && uid == 0)
        return err_set(
            err, ERR_MISSING,
            "the user `%s`, as whom root runs the embedded database, does not exist: run ops/setup",
            SERVER_USER);
    if (entry == NULL)
        return err_set(err, ERR_MISSING, "user id %u has no name in the password database",
                       (unsigned)uid);
    place->uid = entry->pw_uid;
    place->gid = entry->pw_gid;
    place->user = arena_strdup(arena, entry->pw_name);
    return true;
}

static void home_set(struct cluster_place *place, const char *home, struct arena *arena)
{
    place->home = home;
    place->data = path_join(arena, home, "data");
    place->log_file = path_join(arena, home, "server.log");
    place->fresh_mark = path_join(arena, home, "fresh");
}

static void socket_dir_set(struct cluster_place *place, struct arena *arena)
{
    const struct sockaddr_un *address = NULL;
    char sha256[SHA256_HEX_BYTES];
    place->socket_dir = place->home;
    bool fits = strlen(place->home) + SOCKET_NAME_BYTES <= sizeof address->sun_path;
    if (fits && strpbrk(place->home, LIST_CHARACTERS) == NULL)
        return;
    sha256_hex(place->home, strlen(place->home), sha256);
    place->socket_dir = arena_printf(arena, "/tmp/stepledger-%u-%.*s", (unsigned)place->uid,
                                     HASH_HEX_SHOWN, sha256);
}

struct cluster_place cluster_place_at(const struct cluster_place *beside, const char *home,
                                      struct arena *arena)
{
    struct cluster_place place = *beside;
    home_set(&place, home, arena);
    socket_dir_set(&place, arena);
    return place;
}

bool cluster_place_find(struct arena *arena, struct cluster_place *ret_place, struct err *err)
{
    struct cluster_place place = {0};
    if (!parent_find(arena, &place.parent, err))
        return false;
    place.lock_file = path_join(arena, place.parent, "pg.lock");
    place.restored = path_join(arena, place.parent, "pg.restored");
    home_set(&place, path_join(arena, place.parent, "pg"), arena);
    if (!owner_find(&place, arena, err))
        return false;
    socket_dir_set(&place, arena);
    (void)unsetenv("PGSERVICE");
    *ret_place = place;
    return true;
}

static bool has_server(const char *folder)
{
    char path[SMALL_FILE_BYTES];
    int length = snprintf(path, sizeof path, "%s/postgres", folder);
    return length > 0 && (size_t)length < sizeof path && access(path, X_OK) == 0;
}

/* Major version that made the data, 0 when there is none yet. */
static int64_t data_version(const struct cluster_place *place, struct arena *arena)
{
    char *text;
    int64_t version;
    if (!file_read(path_join(arena, place->data, "PG_VERSION"), SMALL_FILE_BYTES, arena, &text,
                   NULL, NULL))
        return 0;
    text[strcspn(text, "\n")] = '\0';
    return text_parse_i64(text, &version) ? version : 0;
}

/* Debian's layout: /usr/lib/postgresql/15/bin. Fills *ret_folder when there is a fitting one. */
static void packaged_find(int64_t wanted, struct arena *arena, const char **ret_folder)
{
    int64_t best = 0, version;
    DIR *versions = opendir(PACKAGED_VERSIONS);
    if (versions == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(versions)) != NULL;) {
        bool fits = text_parse_i64(entry->d_name, &version) && version >= SERVER_MAJOR_MIN &&
                    version > best && (wanted == 0 || version == wanted);
        if (!fits)
            continue;
        char *folder = arena_printf(arena, "%s/%s/bin", PACKAGED_VERSIONS, entry->d_name);
        if (!has_server(folder))
            continue;
        best = version;
        *ret_folder = folder;
    }
    (void)closedir(versions);
}

/* Whether its `postgres` is of the wanted major version; 0 = any. */
static bool server_fits(const char *folder, int64_t wanted, struct arena *arena)
{
    char line[SMALL_FILE_BYTES] = "";
    char *command = arena_printf(arena, "'%s/postgres' --version 2>/dev/null", folder);
    if (!has_server(folder) || strchr(folder, '\'') != NULL)
        return false;
    FILE *output = wanted == 0 ? NULL : popen(command, "re");
    if (output == NULL)
        return wanted == 0;
    bool said = fgets(line, sizeof line, output) != NULL;
    (void)pclose(output);
    const char *number = strpbrk(line, "0123456789"); /* "postgres (PostgreSQL) 15.8" */
    return said && number != NULL && strtoll(number, NULL, 10) == wanted;
}

/* Other systems: whatever `postgres` the PATH holds, beside its initdb. */
static void path_search(int64_t wanted, struct arena *arena, const char **ret_folder)
{
    const char *path = getenv("PATH");
    while (path != NULL && path[0] != '\0' && *ret_folder == NULL) {
        size_t length = strcspn(path, ":");
        char *folder = arena_strndup(arena, path, length);
        if (folder[0] == '/' && server_fits(folder, wanted, arena))
            *ret_folder = folder;
        path += length + (path[length] == ':');
    }
}

/* Ask pg_config, which a server from source leaves in the PATH of its builder. */
static void pg_config_ask(int64_t wanted, struct arena *arena, const char **ret_folder)
{
    char line[SMALL_FILE_BYTES];
    FILE *output = popen("pg_config --bindir 2>/dev/null", "re");
    if (output == NULL)
        return;
    if (fgets(line, sizeof line, output) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (server_fits(line, wanted, arena))
            *ret_folder = arena_strdup(arena, line);
    }
    (void)pclose(output);
}

bool cluster_binaries_find(const struct cluster_place *place, struct arena *arena,
                           const char **ret_folder, struct err *err)
{
    int64_t wanted = data_version(place, arena);
    const char *folder = NULL;
    packaged_find(wanted, arena, &folder);
    if (folder == NULL)
        path_search(wanted, arena, &folder);
    if (folder == NULL)
        pg_config_ask(wanted, arena, &folder);
    if (folder == NULL && wanted != 0)
        return err_set(
            err, ERR_UNAVAILABLE,
            "%s was made by PostgreSQL %lld, which is not installed: install postgresql-%lld",
            place->data, (long long)wanted, (long long)wanted);
    if (folder == NULL)
        return err_set(
            err, ERR_UNAVAILABLE,
            "PostgreSQL %d or newer is not installed (looked in %s, PATH, pg_config): run "
            "ops/setup, or name a database with --db",
            SERVER_MAJOR_MIN, PACKAGED_VERSIONS);
    *ret_folder = folder;
    return true;
}

char *cluster_place_url(const struct cluster_place *place, const char *role, struct arena *arena)
{
    scoped_text url;
    text_init(&url, SMALL_FILE_BYTES);
    text_addf(&url, "postgresql://%s@/stepledger?host=", role);
    for (const char *c = place->socket_dir; *c != '\0'; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("/-._~", *c) != NULL;
        if (plain)
            text_addc(&url, *c);
        else
            text_addf(&url, "%%%02X", (unsigned)(unsigned char)*c);
    }
    text_add(&url, "&port=5432&hostaddr=&requirepeer=&sslmode=disable&gssencmode=disable"
                   "&channel_binding=disable&target_session_attrs=any");
    return text_keep_start(&url, arena);
}
