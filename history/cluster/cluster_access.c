/* Who may come in: pg_hba.conf, pg_ident.conf, and the role that takes backups, which a cluster of
 * an older stepledger lacks. Lines of ours that a file lacks are added before each start, what
 * people added stays. pg_hba.conf is written last: what it says tells that all of it is there. */
#include "history/cluster/cluster_access.h"

#include "history/cluster/cluster_file.h"
#include "history/cluster/cluster_process.h"
#include "ops/runtime/file.h"

#include <string.h>

static const char rules_name[] = "pg_hba.conf", map_name[] = "pg_ident.conf";

/* Peer: the kernel says who is at the other end of the socket, the map says who that may be. */
static const char host_rules[] = "# Written by stepledger: the Unix socket, nothing else.\n"
                                 "local all all peer map=stepledger\n";
static const char backup_rules[] = "local replication stepledger_backup peer map=stepledger\n";

const char cluster_backup_role[] =
    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'stepledger_backup') THEN "
    "CREATE ROLE stepledger_backup LOGIN REPLICATION; END IF; END $$;\n";

/* Writes what the two files lack. The map first: the rules tell that all of it is there. */
static bool access_mend(const struct cluster_place *place, const char *old_rules,
                        const char *old_map, struct arena *arena, struct err *err)
{
    scoped_text our_rules, our_map, rules, map;
    text_init(&our_rules, CLUSTER_FILE_BYTES_MAX);
    text_init(&our_map, CLUSTER_FILE_BYTES_MAX);
    text_init(&rules, CLUSTER_FILE_BYTES_MAX);
    text_init(&map, CLUSTER_FILE_BYTES_MAX);
    text_addf(&our_rules, "%s%s", host_rules, backup_rules);
    /* Root and the owner may be the application, the owner of the schema for migrations, and
     * who takes backups; nobody may be `postgres`. */
    static const char *const roles[] = {"stepledger", "stepledger_owner", "stepledger_backup"};
    const char *const users[] = {place->user, "root"};
    text_add(&our_map, "# Written by stepledger: map, operating-system user, database role.\n");
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof roles / sizeof roles[0]; k++)
            text_addf(&our_map, "stepledger \"%s\" %s\n", users[i], roles[k]);
    if (!text_ok(&our_rules, rules_name, err) || !text_ok(&our_map, map_name, err))
        return false;
    return (!cluster_file_mend(old_map, &our_map, &map) ||
            cluster_file_put(place, map_name, &map, arena, err)) &&
           (!cluster_file_mend(old_rules, &our_rules, &rules) ||
            cluster_file_put(place, rules_name, &rules, arena, err));
}

bool cluster_access_write(const struct cluster_place *place, struct arena *arena, struct err *err)
{
    return access_mend(place, "", "", arena, err);
}

static bool backup_role_make(const struct cluster_place *place, const char *binaries,
                             struct arena *arena, struct err *err)
{
    const char *const argv[] = {path_join(arena, binaries, "postgres"),
                                "--single",
                                "-D",
                                place->data,
                                "-c",
                                "exit_on_error=true",
                                "-c",
                                "log_min_messages=error",
                                "postgres",
                                NULL};
    const struct cluster_command command = {.argv = argv,
                                            .folder = place->data,
                                            .log_file = place->log_file,
                                            .input = cluster_backup_role,
                                            .dies_with_us = true};
    return cluster_execute(place, &command, err);
}

bool cluster_access_ensure(const struct cluster_place *place, const char *binaries,
                           struct arena *arena, struct err *err)
{
    char *rules, *map;
    if (!cluster_file_read(place, rules_name, arena, &rules, err) ||
        !cluster_file_read(place, map_name, arena, &map, err))
        return false;
    return (strstr(rules, "stepledger_backup") != NULL ||
            backup_role_make(place, binaries, arena, err)) &&
           access_mend(place, rules, map, arena, err);
}
