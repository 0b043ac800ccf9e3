/* Who may come in: pg_hba.conf, pg_ident.conf, and the role that takes backups, which a cluster of
 * an older stepledger lacks. pg_hba.conf is written last: what it says tells that all of it is
 * there.
 */
#include "history/cluster_access.h"

#include "history/cluster_process.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 20 };

/* Peer: the kernel says who is at the other end of the socket, the map says who that may be. */
static const char host_rules[] = "# Written by stepledger: the Unix socket, nothing else.\n"
                                 "local all all peer map=stepledger\n";
static const char backup_rules[] = "local replication stepledger_backup peer map=stepledger\n";

const char cluster_backup_role[] =
    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'stepledger_backup') THEN "
    "CREATE ROLE stepledger_backup LOGIN REPLICATION; END IF; END $$;\n";

/* A file of the data folder, replaced as a whole, with the owner of the others. */
static bool file_put(const struct cluster_place *place, const char *path, const struct text *text,
                     struct err *err)
{
    char part[4096];
    if (text->failed)
        return text_ok(text, path, err);
    (void)snprintf(part, sizeof part, "%s.new", path);
    scoped_fd fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write %s", part);
    if (geteuid() != place->uid && fchown(fd, place->uid, place->gid) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot give %s to user %s", part, place->user);
    if (!file_write_all(fd, text->data, text->length, part, err))
        return false;
    if (fsync(fd) != 0 || rename(part, path) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write %s", path);
    return true;
}

/* Root and the owner may be the application, the owner of the schema for migrations, and who takes
 * backups; nobody may be `postgres`. */
static void map_add(const struct cluster_place *place, const char *const *roles, struct text *out)
{
    const char *const users[] = {place->user, "root"};
    for (size_t i = 0; i < 2; i++)
        for (const char *const *role = roles; *role != NULL; role++)
            text_addf(out, "stepledger \"%s\" %s\n", users[i], *role);
}

static bool both_put(const struct cluster_place *place, const struct text *rules,
                     const struct text *map, struct arena *arena, struct err *err)
{
    const char *rules_path = path_join(arena, place->data, "pg_hba.conf");
    const char *map_path = path_join(arena, place->data, "pg_ident.conf");
    if (rules_path == NULL || map_path == NULL)
        return arena_failed(arena, "the cluster's paths", err);
    return file_put(place, map_path, map, err) && file_put(place, rules_path, rules, err);
}

bool cluster_access_write(const struct cluster_place *place, struct arena *arena, struct err *err)
{
    static const char *const roles[] = {"stepledger", "stepledger_owner", "stepledger_backup",
                                        NULL};
    scoped_text rules, map;
    text_init(&rules, FILE_BYTES_MAX);
    text_init(&map, FILE_BYTES_MAX);
    text_addf(&rules, "%s%s", host_rules, backup_rules);
    text_add(&map, "# Written by stepledger: map, operating-system user, database role.\n");
    map_add(place, roles, &map);
    return both_put(place, &rules, &map, arena, err);
}

static bool file_load(const struct cluster_place *place, const char *name, struct arena *arena,
                      char **ret_text, struct err *err)
{
    const char *path = path_join(arena, place->data, name);
    return path == NULL ? arena_failed(arena, "the cluster's paths", err)
                        : file_read(path, FILE_BYTES_MAX, arena, ret_text, NULL, err);
}

/* What people added to the files stays. */
static bool access_extend(const struct cluster_place *place, const char *old_rules,
                          struct arena *arena, struct err *err)
{
    char *old_map;
    static const char *const roles[] = {"stepledger_backup", NULL};
    scoped_text rules, map;
    text_init(&rules, FILE_BYTES_MAX);
    text_init(&map, FILE_BYTES_MAX);
    if (!file_load(place, "pg_ident.conf", arena, &old_map, err))
        return false;
    text_addf(&rules, "%s\n%s", old_rules, backup_rules);
    text_addf(&map, "%s\n", old_map);
    map_add(place, roles, &map);
    return both_put(place, &rules, &map, arena, err);
}

bool cluster_access_ensure(const struct cluster_place *place, const char *binaries,
                           struct arena *arena, struct err *err)
{
    char *rules;
    if (!file_load(place, "pg_hba.conf", arena, &rules, err))
        return false;
    if (strstr(rules, "stepledger_backup") != NULL)
        return true;
    const char *program = path_join(arena, binaries, "postgres");
    if (program == NULL)
        return arena_failed(arena, "the cluster's paths", err);
    const char *const argv[] = {program,    "--single",
                                "-D",       place->data,
                                "-c",       "exit_on_error=true",
                                "-c",       "log_min_messages=error",
                                "postgres", NULL};
    const struct cluster_command command = {.argv = argv,
                                            .folder = place->data,
                                            .log_file = place->log_file,
                                            .input = cluster_backup_role,
                                            .dies_with_us = true};
    return cluster_execute(place, &command, err) && access_extend(place, rules, arena, err);
}
