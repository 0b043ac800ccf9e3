/* initdb, our settings, the roles and the database, by the server's single-user mode: no
 * role that people or programs can connect as is ever a superuser. */
#include "history/cluster/cluster_create.h"

#include "history/cluster/cluster_access.h"
#include "history/cluster/cluster_file.h"
#include "history/cluster/cluster_workshop.h"
#include "ops/runtime/file.h"

#include <string.h>

static const char settings_name[] = "postgresql.conf";

/* A private server for one user: small, durable, silent. Where it listens is said at each start;
 * what a client was refused, the client is told. */
static const char settings[] = "# Written by stepledger; add settings of your own below.\n"
                               "listen_addresses = ''\n"
                               "unix_socket_permissions = 0700\n"
                               "max_connections = 40\n"
                               "shared_buffers = 32MB\n"
                               "max_wal_size = 256MB\n"
                               "min_wal_size = 32MB\n"
                               "synchronous_commit = on\n"
                               "recovery_init_sync_method = syncfs\n"
                               "wal_compression = lz4\n"
                               "jit = off\n"
                               "huge_pages = off\n"
                               "timezone = 'UTC'\n"
                               "log_timezone = 'UTC'\n"
                               "log_min_error_statement = panic\n"
                               "log_line_prefix = '%m [%p] %q%u@%d '\n"
                               "lc_messages = 'C'\n";

const char cluster_roles[] =
    "CREATE ROLE stepledger LOGIN;\n"
    "CREATE ROLE stepledger_owner LOGIN;\n"
    "CREATE ROLE stepledger_ingest NOLOGIN;\n"
    "CREATE ROLE stepledger_compare NOLOGIN;\n"
    "CREATE ROLE stepledger_alert NOLOGIN;\n"
    "CREATE ROLE stepledger_read NOLOGIN;\n"
    "GRANT stepledger_ingest, stepledger_compare, stepledger_alert, stepledger_read TO "
    "stepledger;\n"
    "CREATE DATABASE stepledger OWNER stepledger_owner;\n";

static bool roles_make(const struct workshop *shop, struct err *err)
{
    const char *const arguments[] = {"--single",
                                     "-D",
                                     shop->place.data,
                                     "-c",
                                     "exit_on_error=true",
                                     "-c",
                                     "log_min_messages=error",
                                     "-c",
                                     "fsync=off",
                                     "postgres",
                                     NULL};
    const char *statements = arena_printf(shop->arena, "%s%s", cluster_roles, cluster_backup_role);
    return workshop_run(shop, "postgres", arguments, statements, err);
}

static bool settings_write(const struct cluster_place *place, struct arena *arena, struct err *err)
{
    char *text;
    scoped_text whole;
    text_init(&whole, CLUSTER_FILE_BYTES_MAX);
    if (!cluster_file_read(place, settings_name, arena, &text, err))
        return false;
    text_addf(&whole, "%s%s", text, settings);
    return cluster_file_put(place, settings_name, &whole, arena, err);
}

/* Where ours are gone they come first: what people set wins. A last line without an end may be the
 * half of one. */
bool cluster_settings_ensure(const struct cluster_place *place, struct arena *arena,
                             struct err *err)
{
    char *text;
    scoped_text whole;
    text_init(&whole, CLUSTER_FILE_BYTES_MAX);
    if (!cluster_file_read(place, settings_name, arena, &text, err))
        return false;
    const char *ours = memmem(text, strlen(text), settings, strcspn(settings, "\n") + 1);
    if (ours != NULL &&
        (strlen(ours) >= strlen(settings) || strncmp(ours, settings, strlen(ours)) != 0))
        return true;
    const char *last = strrchr(text, '\n'), *rest = last == NULL ? text : last + 1;
    text_addn(&whole, text, ours == NULL ? 0 : (size_t)(ours - text));
    text_add(&whole, settings);
    text_addn(&whole, text, ours == NULL ? (size_t)(rest - text) : 0);
    if (ours == NULL && *rest != '\0')
        text_addf(&whole, "# a line without its end: %s\n", rest);
    return cluster_file_put(place, settings_name, &whole, arena, err);
}

bool cluster_create(const struct cluster_place *place, const char *binaries, struct arena *arena,
                    struct err *err)
{
    struct workshop shop;
    if (!workshop_open(&shop, place, binaries, arena, err))
        return false;
    const char *const arguments[] = {
        "-D",        shop.place.data,    "-U", "postgres", "-E",
        "UTF8",      "--locale=C.UTF-8", "-A", "peer",     "--data-checksums",
        "--no-sync", "--wal-segsize=4",  NULL};
    bool done = workshop_run(&shop, "initdb", arguments, NULL, err) &&
                settings_write(&shop.place, shop.arena, err) &&
                cluster_access_write(&shop.place, shop.arena, err) && roles_make(&shop, err) &&
                file_write_atomic(shop.place.fresh_mark, "", 0, err) &&
                workshop_rename(&shop, place->home, err);
    workshop_close(&shop);
    return done || err_prefix(err, "cannot make the embedded database");
}
