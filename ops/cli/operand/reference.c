/* Implements the one resolver. */
#include "ops/cli/operand/reference.h"

#include "history/cluster/cluster.h"
#include "history/verdicts/verdicts.h"
#include "ops/cli/operand/connect.h"
#include "ops/cli/operand/decide.h"
#include "ops/cli/operand/summarize.h"
#include "ops/runtime/json.h"
#include "ops/runtime/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUMMARY_MAX_BYTES = 512 << 20 };

struct reference_scope reference_scope_configured(const struct cli *cli)
{
    const char *project = conf_text(&cli->conf, CONF_project);
    const char *workload = conf_text(&cli->conf, CONF_workload);
    return (struct reference_scope){project[0] == '\0' ? NULL : project,
                                    workload[0] == '\0' ? NULL : workload};
}

/* A project that is given leaves the configured workload, which may be another project's, aside. */
struct reference_scope reference_scope_of(const struct cli *cli)
{
    struct reference_scope scope = reference_scope_configured(cli);
    if (cli_text(cli, "project") != NULL)
        scope = (struct reference_scope){cli_text(cli, "project"), NULL};
    if (cli_text(cli, "workload") != NULL)
        scope.workload = cli_text(cli, "workload");
    return scope;
}

bool reference_is_id(const char *name, char letter, int64_t *ret_id)
{
    return name[0] == letter && text_parse_i64(name + 1, ret_id) && *ret_id > 0;
}

bool reference_connect(struct cli *cli, const char *what, struct db **ret_db, struct err *err)
{
    bool exists;
    if (connect_configured(cli) != NULL || conf_text(&cli->conf, CONF_db_read)[0] != '\0')
        return connect_reader(cli, ret_db, err);
    if (!cluster_exists(&cli->arena, &exists, err))
        return false;
    if (!exists)
        return err_set(err, ERR_MISSING, "'%s' is no file, and there is no ledger to look in yet",
                       what);
    return connect_reader(cli, ret_db, err);
}

static int newest_first(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a < *b) - (*a > *b);
}

/* The profiles of a side, newest first. */
static bool side_ids(const struct verdict_side *side, struct arena *arena, struct id_list *ret_ids,
                     struct err *err)
{
    const struct string_list *names = &side->profile_ids;
    struct id_list ids = {.items = arena_array(arena, int64_t, names->count)};
    for (size_t i = 0; i < names->count; i++)
        if (reference_is_id(names->items[i], 'p', &ids.items[ids.count]))
            ids.count++;
    if (ids.count == 0)
        return err_set(err, ERR_MISSING, "the verdict names no profile on one of its sides");
    qsort(ids.items, ids.count, sizeof *ids.items, newest_first);
    *ret_ids = ids;
    return true;
}

bool reference_sides(struct cli *cli, int64_t verdict_id, struct arena *arena,
                     struct reference_sides *ret_sides, struct err *err)
{
    scoped_db *db = NULL;
    struct verdict verdict;
    struct id_list before, after;
    if (!reference_connect(cli, "the verdict", &db, err) ||
        !ledger_read_verdict(db, verdict_id, arena, NULL, &verdict, err) ||
        !side_ids(&verdict.baseline, arena, &before, err) ||
        !side_ids(&verdict.candidate, arena, &after, err))
        return false;
    ret_sides->before = arena_printf(arena, "p%" PRId64, before.items[0]);
    ret_sides->after = arena_printf(arena, "p%" PRId64, after.items[0]);
    return true;
}

bool reference_profiles(struct db *db, const struct reference_scope *scope, const char *name,
                        struct arena *arena, struct id_list *ret_ids, struct err *err)
{
    int64_t id;
    if (reference_is_id(name, 'v', &id)) {
        struct verdict verdict;
        return ledger_read_verdict(db, id, arena, NULL, &verdict, err) &&
               side_ids(&verdict.candidate, arena, ret_ids, err);
    }
    bool is_id = reference_is_id(name, 'p', &id);
    const struct profile_reference reference = {
        .project = is_id ? NULL : scope->project,
        .workload = is_id ? NULL : scope->workload,
        .name = name,
    };
    return ledger_resolve_ids(db, &reference, arena, ret_ids, err);
}

static bool newest_take(struct db *db, const struct id_list *ids, const char *name,
                        struct arena *arena, struct ledger_profile *ret_profile, struct err *err)
{
    struct ledger_profile other;
    for (size_t i = 1; i < ids->count; i++) {
        if (!ledger_load_header(db, ids->items[i], arena, &other, err))
            return false;
        if (strcmp(other.project, ret_profile->project) != 0 ||
            strcmp(other.workload, ret_profile->workload) != 0)
            return err_set(err, ERR_INPUT,
                           "'%s' is p%" PRId64 " of %s/%s and p%" PRId64
                           " of %s/%s: give --project and --workload, or an id",
                           name, ret_profile->id, ret_profile->project, ret_profile->workload,
                           other.id, other.project, other.workload);
    }
    enum { OTHERS_SHOWN = 5 };
    const char *others = "";
    for (size_t i = 1; i < ids->count && i <= OTHERS_SHOWN; i++)
        others = arena_printf(arena, "%s p%" PRId64, others, ids->items[i]);
    const char *why = arena_printf(
        arena, "%s is %zu profiles; the newest, p%" PRId64 ", is taken, not%s%s", name, ids->count,
        ret_profile->id, others, ids->count > OTHERS_SHOWN + 1 ? " ..." : "");
    log_event(LOG_INFO, LOG_reference_taken, "why", why, NULL);
    return true;
}

bool reference_profile(struct db *db, const struct reference_scope *scope, const char *name,
                       struct arena *arena, struct ledger_profile *ret_profile, struct err *err)
{
    struct id_list ids;
    return reference_profiles(db, scope, name, arena, &ids, err) &&
           ledger_load_header(db, ids.items[0], arena, ret_profile, err) &&
           (ids.count == 1 || newest_take(db, &ids, name, arena, ret_profile, err));
}

bool reference_is_file(const char *name)
{
    size_t length = strlen(name);
    return access(name, F_OK) == 0 || strchr(name, '/') != NULL || length == 0 ||
           (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

void reference_file_log(const char *name)
{
    int64_t id;
    if (access(name, F_OK) == 0 &&
        (reference_is_id(name, 'p', &id) || reference_is_id(name, 'v', &id)))
        log_event(LOG_INFO, LOG_reference_taken, "file", name, "why",
                  "a file of that name is here; the entry of the ledger is not meant", NULL);
}

bool reference_is_summary(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0 ? !S_ISDIR(info.st_mode) && ingest_is_summary(name)
                                  : !reference_is_file(name);
}

/* A summary that was written before, or a profile, which is summarized in passing. */
static bool file_summary(struct cli *cli, const char *path, struct arena *arena,
                         struct summary *ret_summary, struct err *err)
{
    struct stat info;
    struct profile_files files;
    struct ingest_options options;
    bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    reference_file_log(path);
    if (!is_folder && !ingest_is_profile(path)) {
        const char *other = ingest_is_other(path);
        if (other != NULL)
            return err_set(err, ERR_INPUT, "'%s' %s", path, other);
        scoped_json *root = json_read_file(path, SUMMARY_MAX_BYTES, err);
        if (json_is_object(root) && json_object_get(root, "schema_version") == NULL)
            return err_set(
                err, ERR_INPUT,
                "'%s' is JSON and no summary (it has no schema_version): give a profile, "
                "or what `stepledger summarize` wrote",
                path);
        return root != NULL && summary_from_json(root, path, arena, ret_summary, err);
    }
    ingest_options_init(&options);
    ingest_options_configure(&options, &cli->conf);
    return (is_folder ? summarize_find(cli, path, &files, err)
                      : ingest_file(path, &cli->arena, &files, err)) &&
           summarize_profile(cli, &files, &options, arena, ret_summary, err);
}

/* A verdict with what people decided about it and its profiles, which is logged. */
static bool judged_read(struct db *db, int64_t id, struct arena *arena, struct verdict *ret_verdict,
                        struct err *err)
{
    struct verdict verdict;
    struct acceptance acceptance;
    char name[24];
    (void)snprintf(name, sizeof name, "v%" PRId64, id);
    if (!ledger_read_verdict(db, id, arena, NULL, &verdict, err) ||
        !verdict_retraction(db, id, arena, &verdict.based_on_retracted, err) ||
        !ledger_find_acceptance(db, &verdict, arena, &acceptance, err))
        return false;
    decide_log_retracted(name, verdict.based_on_retracted);
    decide_log(&acceptance, name, &verdict);
    verdict.accepted = acceptance.found && verdict.status != VERDICT_PASS ? acceptance.said : NULL;
    verdict.beyond = acceptance.beyond;
    verdict.is_answered = verdict.accepted != NULL || verdict.beyond != NULL;
    verdict.was_retracted = verdict.based_on_retracted != NULL;
    *ret_verdict = verdict;
    return true;
}

void reference_withdrawn_log(const struct ledger_profile *profile, struct arena *arena)
{
    const char *why =
        profile->superseded_by != 0
            ? arena_printf(arena, "p%" PRId64 " was superseded by p%" PRId64, profile->id,
                           profile->superseded_by)
        : profile->retracted_at_utc != NULL
            ? arena_printf(arena, "p%" PRId64 " was retracted: %s", profile->id, profile->reason)
            : NULL;
    if (why != NULL)
        log_event(LOG_WARN, LOG_reference_taken, "why", why, NULL);
}

bool reference_summary(struct cli *cli, const struct reference_scope *scope, const char *name,
                       struct arena *arena, struct summary *ret_summary, struct err *err)
{
    struct ledger_profile profile;
    scoped_db *db = NULL;
    if (reference_is_file(name))
        return file_summary(cli, name, arena, ret_summary, err);
    if (!reference_connect(cli, name, &db, err))
        return false;
    if (!reference_profile(db, scope, name, arena, &profile, err))
        return err->kind == ERR_MISSING ? err_prefix(err, "'%s' is no file, and", name) : false;
    if (!ledger_load_profile(db, profile.id, arena, &profile, err))
        return false;
    int64_t verdict_id;
    struct verdict verdict; /* whose candidate is meant */
    if (reference_is_id(name, 'v', &verdict_id) &&
        !judged_read(db, verdict_id, arena, &verdict, err))
        return false;
    reference_withdrawn_log(&profile, arena);
    *ret_summary = profile.summary;
    return true;
}

bool reference_verdict(struct cli *cli, const struct reference_scope *scope, const char *name,
                       struct arena *arena, struct reference_judged *ret_judged, struct err *err)
{
    scoped_db *db = NULL;
    struct ledger_profile profile;
    int64_t id = 0;
    if (!reference_connect(cli, name, &db, err))
        return false;
    if (!reference_is_id(name, 'v', &id) &&
        (!reference_profile(db, scope, name, arena, &profile, err) ||
         !ledger_newest_verdict(db, profile.id, &id, err)))
        return false;
    ret_judged->id = id;
    return id == 0 || judged_read(db, id, arena, &ret_judged->verdict, err);
}
