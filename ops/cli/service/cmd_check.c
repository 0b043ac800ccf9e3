/* stepledger check: the configuration with its sources, and whether the database can be trusted and
 * messages arrive. */
#include "history/cluster/cluster.h"
#include "history/migrate/migrate.h"
#include "history/reading/reading.h"
#include "history/verify/verify.h"
#include "ops/cli/service/check_findings.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/help/help.h"
#include "ops/flow/trust/trust.h"
#include "ops/serve/metrics/metrics.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { REPORT_MAX_BYTES = 1 << 20 };
static const int64_t DAY_MS = INT64_C(86400000);
static const int64_t LAG_MAX_BYTES = INT64_C(1) << 30;
static const int64_t LAG_MAX_MS = 60000;
static const uint64_t DISK_MIN_BYTES = UINT64_C(1) << 30;

static void finding(struct check *check, bool bad, const char *what)
{
    if (bad)
        check_find(check, "%s", what);
}

/* A password in a file that others can read is theirs. */
static void password_check(struct check *check, const struct conf *conf, enum conf_key key)
{
    const struct conf_value *value = &conf->values[key];
    const char *colon = strrchr(value->source, ':');
    struct stat info;
    if (colon == NULL || !db_conninfo_has_password(value->text))
        return;
    const char *path = arena_strndup(conf->arena, value->source, (size_t)(colon - value->source));
    if (stat(path, &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH)) != 0)
        check_find(check,
                   "%s: %s holds a password, and others can read the file (mode %04o): chmod 600 "
                   "it, or leave the password to libpq's password file (~/.pgpass, PGPASSFILE)",
                   value->source, conf_key_name(key), (unsigned)(info.st_mode & 07777));
}

/* Who can write a file of the configuration says where the ledger is and who is told. Each file
 * that was read, once: the system's, the user's, and one that was named. */
static void files_check(struct check *check, const struct conf *conf)
{
    enum { FILES_MAX = 3 };
    const char *files[FILES_MAX];
    size_t count = 0, sources = CONF_KEY_COUNT + conf->sections.count;
    for (size_t i = 0; i < sources && count < FILES_MAX; i++) {
        const char *path;
        struct stat info;
        if (i < CONF_KEY_COUNT) {
            const char *source = conf->values[i].source, *colon = strrchr(source, ':');
            if (colon == NULL)
                continue;
            path = arena_strndup(conf->arena, source, (size_t)(colon - source));
        } else {
            path = conf->sections.entries[i - CONF_KEY_COUNT].file;
        }
        if (text_index(path, files, count) < count)
            continue;
        files[count++] = path;
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
            continue;
        if ((info.st_mode & S_IWOTH) != 0)
            check_find(check, "%s: everybody can write to it (mode %04o): chmod o-w it", path,
                       (unsigned)(info.st_mode & 07777));
        else if (info.st_uid != 0 && info.st_uid != geteuid())
            check_find(check,
                       "%s: it belongs to user %u, who can change it: make it yours, or root's",
                       path, (unsigned)info.st_uid);
    }
}

static void disk_check(struct check *check)
{
    struct statvfs disk;
    if (statvfs(".", &disk) != 0)
        return;
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    harmless_line(check->out, "  disk here          %" PRIu64 " MiB free", free_bytes >> 20);
    finding(check, free_bytes < DISK_MIN_BYTES,
            "less than 1 GiB is free on the disk of this folder");
}

static void age_show(struct check *check, const char *name, struct opt_i64 ms)
{
    if (ms.set)
        harmless_line(check->out, "  %-18s %.1f h ago", name,
                      (double)(ms.value > 0 ? ms.value : 0) / 3600000);
    else
        harmless_line(check->out, "  %-18s none yet", name);
}

/* libpq's own default takes what it is offered. */
static void way_check(struct check *check, const char *key, const struct db *db)
{
    static const char remedy[] = "say sslmode=verify-full and sslrootcert=FILE, the authority that "
                                 "signed the server's certificate";
    const char *host;
    enum db_way way = db_way(db, &host);
    if (way == DB_WAY_OPEN)
        check_find(check,
                   "%s: the connection to %.100s may go without encryption (sslmode): who is on "
                   "the way can read passwords, and change what the ledger is told and tells: %s",
                   key, host, remedy);
    else if (way == DB_WAY_UNPROVEN)
        check_find(check,
                   "%s: whoever answers for %.100s is taken for the server (sslmode=require asks "
                   "for no certificate): %s",
                   key, host, remedy);
}

/* A replica for reads is a connection of its own. */
static void replica_check(struct cli *cli, struct check *check)
{
    struct err fault = {0};
    scoped_db *db = NULL;
    const char *conninfo = conf_text(&cli->conf, CONF_db_read);
    if (conninfo[0] == '\0')
        return;
    if (db_open(conninfo, &db, &fault))
        way_check(check, "db_read", db);
    else
        check_find(check, "db_read: %s", fault.text);
}

static void ledger_check(struct check *check, const struct health *health)
{
    text_addf(check->out, "  schema             version %d\n  size               %" PRId64 " MiB\n",
              migrate_version_wanted(), health->database_bytes >> 20);
    age_show(check, "last profile", health->last_profile_ms);
    age_show(check, "verified whole", health->verified_all_ms);
    finding(
        check, health->missing_roles != NULL,
        "roles are missing: make them (`stepledger help database`) before `stepledger migrate`");
    if (health->bare_roles != NULL)
        check_find(check,
                   "%s: made after `stepledger migrate`, which gave no rights to what was not "
                   "there: export the ledger, and import it into a database that is migrated with "
                   "all roles there",
                   health->bare_roles);
    finding(check, health->owner_makes_roles,
            "stepledger_owner may make roles, and so become the server's superuser: "
            "ALTER ROLE stepledger_owner NOCREATEROLE");
    finding(check, health->disabled_triggers != NULL,
            "the triggers that refuse changes are switched off on some tables");
    finding(check, health->may_change_ledger,
            "this role may change the ledger but for its triggers: connect as `stepledger`");
    /* A ledger of today needs none yet. */
    const struct opt_i64 *unsealed =
        health->last_checkpoint_ms.set ? &health->last_checkpoint_ms : &health->first_profile_ms;
    finding(check, health->last_profile_ms.set && unsealed->set && unsealed->value > 2 * DAY_MS,
            "no checkpoint within two days: run `stepledger checkpoint` and keep it elsewhere");
    const struct opt_i64 *unverified =
        health->verified_all_ms.set ? &health->verified_all_ms : &health->first_profile_ms;
    finding(check, unverified->set && unverified->value > 8 * DAY_MS,
            "the whole ledger was not verified within eight days: `stepledger serve` does it, or "
            "`stepledger work schedule --once`");
    if (health->verified_found != NULL)
        check_find(check,
                   "the ledger is not what was recorded: %.300s; `stepledger verify` lists it",
                   health->verified_found);
    finding(check, health->replica_lag_bytes.set && health->replica_lag_bytes.value > LAG_MAX_BYTES,
            "a replica is more than 1 GiB behind");
    finding(check, health->replay_lag_ms.set && health->replay_lag_ms.value > LAG_MAX_MS,
            "this replica is more than a minute behind, or its primary is idle");
}

/* What any login could do to a service that shares its server; into a ledger of one's own nobody
 * else may come (history/cluster/cluster_access.c). */
static bool logins_check(struct check *check, struct db *db, struct arena *arena, struct err *err)
{
    struct health_logins logins;
    if (!health_logins_read(db, arena, &logins, err))
        return false;
    if (logins.filling != NULL)
        check_find(check,
                   "logins may fill the disk, or what all sessions share, with what is no entry "
                   "(%.400s): the last lines of `stepledger help database`, as the server's "
                   "superuser, take these rights",
                   logins.filling);
    if (logins.unlimited_connections != NULL)
        check_find(check,
                   "%.300s: may take all connections of the server, and leave the ledger none: "
                   "ALTER ROLE ... CONNECTION LIMIT 20, for each",
                   logins.unlimited_connections);
    if (logins.unlimited_sorts != NULL)
        check_find(check,
                   "%.300s: may fill the disk with what a statement sorts: ALTER ROLE ... SET "
                   "temp_file_limit = '4GB', for each, as the server's superuser",
                   logins.unlimited_sorts);
    return true;
}

/* How old the newest one is, and where on this machine a copy of one lies. */
static bool newest_checkpoint_check(struct cli *cli, struct check *check, struct db *db,
                                    const struct health *health, struct err *err)
{
    bool found;
    struct seen seen;
    struct checkpoint last;
    struct err fault = {0};
    const char *missing = NULL;
    if (!checkpoint_last(db, &cli->arena, &last, &found, err))
        return false;
    if (found)
        text_addf(check->out, "  last checkpoint    %.40s, %.1f h ago%s\n", last.id,
                  (double)health->last_checkpoint_ms.value / 3600000,
                  last.signature != NULL ? ", signed" : "");
    else
        text_add(check->out, "  last checkpoint    none yet\n");
    finding(check, !found && conf_text(&cli->conf, CONF_checkpoint_trust)[0] != '\0',
            "checkpoint_trust is set, and the ledger has no checkpoint: run `stepledger "
            "checkpoint`, or find out who removed them");
    if (!seen_read(&cli->conf, db, SEEN_NEWEST, &cli->arena, &seen, &fault)) {
        check_find(check, "the copy of a checkpoint: %s", fault.text);
        return true;
    }
    if (!seen.found) {
        text_addf(check->out, "  its copy           none here yet (%s)\n", seen.path);
        return true;
    }
    text_addf(check->out, "  its copy           %s (%.40s of %.40s)\n", seen.path,
              seen.checkpoint.id, seen.checkpoint.recorded_at_utc);
    if (!ledger_holds(db, &seen.checkpoint, &cli->arena, &missing, err))
        return false;
    if (missing != NULL || !found || checkpoint_is_older(&last, &seen.checkpoint))
        check_find(check, "the ledger does not hold what its copy saw: it was rolled back (%s)",
                   missing != NULL ? missing : "its last checkpoints are gone");
    return true;
}

/* Of the embedded ledger; who backs up by other means has made none here, which is no finding. */
static void last_backup_check(struct cli *cli, struct check *check)
{
    struct backup_memory last;
    struct err fault = {0};
    if (connect_configured(cli) != NULL)
        return;
    if (!backup_memory_read(&cli->arena, &last, &fault)) {
        check_find(check, "the last backup: %s", fault.text);
        return;
    }
    if (last.path == NULL) {
        text_add(check->out, "  last backup        none yet (`stepledger db backup DIR`)\n");
        return;
    }
    harmless_line(check->out, "  last backup        %.1f h ago (%s)", (double)last.age_ms / 3600000,
                  last.path);
    finding(check, last.age_ms > 7 * DAY_MS,
            "the last backup is more than a week old: run `stepledger db backup DIR`");
}

static bool database_check(struct cli *cli, struct check *check, struct err *err)
{
    scoped_db *db = NULL;
    struct health health;
    text_add(check->out, "database\n");
    if (!connect_ledger(cli, &db, err) || !health_read(db, &cli->arena, &health, err))
        return false;
    text_addf(check->out,
              "  server             PostgreSQL %s%s\n"
              "  fsync              %s\n  synchronous_commit %s\n  full_page_writes   %s\n"
              "  wal_compression    %s\n  data_checksums     %s\n",
              health.server_version, health.is_replica ? " (replica)" : "", health.fsync,
              health.synchronous_commit, health.full_page_writes, health.wal_compression,
              health.data_checksums);
    finding(check, strcmp(health.fsync, "on") != 0,
            "fsync is off: a crash of the machine can lose or break the ledger");
    finding(check, strcmp(health.full_page_writes, "on") != 0,
            "full_page_writes is off: a crash of the machine can break the ledger");
    finding(check, strcmp(health.wal_compression, "off") == 0,
            "wal_compression is off: `lz4` saves much of what each profile writes");
    way_check(check, "db", db);
    ledger_check(check, &health);
    if (connect_configured(cli) != NULL && !logins_check(check, db, &cli->arena, err))
        return false;
    last_backup_check(cli, check);
    return newest_checkpoint_check(cli, check, db, &health, err) &&
           check_comments(check, &cli->conf, db, &cli->arena, err) &&
           check_projects(check, &cli->conf, db, &cli->arena, err) &&
           check_outbox(check, db, &cli->arena, err);
}

static bool check_all(struct cli *cli, struct check *check, struct err *err)
{
    struct err trouble = {0};
    const struct conf *conf = &cli->conf;
    text_add(check->out, "configuration\n");
    for (int key = 0; key < CONF_KEY_COUNT; key++) {
        const struct conf_value *value = &conf->values[key];
        harmless_line(check->out, "  %-21s %-20s %s", conf_key_name((enum conf_key)key),
                      config_shown_value((enum conf_key)key, value->text), value->source);
    }
    const char *unread = "";
    for (size_t i = 0; i < conf->sections.count; i++) {
        struct err fault = {0};
        const struct conf_entry *entry = &conf->sections.entries[i];
        if (strcmp(unread, entry->section) == 0 || config_entry_check(entry, &fault))
            continue;
        check_find(check, "%s", fault.text);
        if (fault.kind == ERR_MISSING)
            unread = entry->section;
    }
    password_check(check, &cli->conf, CONF_db);
    password_check(check, &cli->conf, CONF_db_read);
    files_check(check, &cli->conf);
    check_policy(check, "judge_policy", conf_text(conf, CONF_judge_policy), &cli->arena);
    disk_check(check);
    if (!metrics_port_check(conf, &trouble))
        check_find(check, "%s", trouble.text);
    check_routing(check, &cli->conf, &cli->arena);
    check_reports(check, &cli->conf, &cli->arena);
    if (!database_check(cli, check, &trouble))
        check_find(check, "%s", trouble.text);
    replica_check(cli, check);
    char findings[FORMAT_COUNTED_BYTES];
    if (check->findings == 0)
        text_add(check->out, "all well\n");
    else
        harmless_line(check->out, "%s", format_counted(check->findings, "finding", findings));
    return text_ok(check->out, "the report", err) &&
           cli_write(text_string(check->out), check->out->length, err);
}

static bool check(struct cli *cli, struct err *err)
{
    scoped_text out, held;
    text_init(&out, REPORT_MAX_BYTES);
    text_init(&held, REPORT_MAX_BYTES);
    if (cli_given(cli, "show")) {
        config_show(&cli->conf, &held);
        harmless_lines(&out, text_string(&held));
        text_fail_as(&out, &held);
        return text_ok(&out, "the configuration", err) &&
               cli_write(text_string(&out), out.length, err);
    }
    struct check check = {.out = &out, .is_offline = cli_given(cli, "offline")};
    if (!check_all(cli, &check, err))
        return false;
    cli->code = check.findings == 0 ? EXIT_OK : EXIT_FAILED;
    return true;
}

static const struct cli_option options[] = {
    {"show", CLI_FLAG, NULL, NULL, "print the configuration that holds, as a file, and no more"},
    {"offline", CLI_FLAG, NULL, NULL, "connect to no receiver of messages"},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_check = {
    .name = "check",
    .line = "show the configuration, and whether database and destinations are well",
    .operands = "",
    .options = options,
    .details =
        "Each configuration value with where it came from; the policies that it names;\n"
        "reports, with whether the ledger has their projects; destinations, with their\n"
        "secrets, and routes; what `alert test NAME` would say of each short of sending: its\n"
        "address, the connection, TLS (whether it takes our credential shows only when a message\n"
        "is sent); the database's version, settings, the way to it, roles, what other logins\n"
        "could fill, locks, replicas, the last checkpoint and where its copy lies; destinations\n"
        "that take nothing, messages that wait or were given up; a port for metrics that\n"
        "something else has taken. Lines that start with ! are\n"
        "findings.\n\n"
        "exit: 0 all well · 1 something was found, or the database cannot be reached",
    .run = check,
};
