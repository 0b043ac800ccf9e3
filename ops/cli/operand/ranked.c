/* Loads many profiles and ranks them. */
#include "ops/cli/operand/ranked.h"

#include "compare/ranking/ranking.h"
#include "ops/cli/operand/reference.h"

#include <inttypes.h>

enum { PROFILES_MAX = 200 };

struct loading {
    struct cli *cli;
    struct arena *arena;
    struct reference_scope scope;
    struct db *db; /* NULL: not asked yet */
    struct ranked_profile profiles[PROFILES_MAX];
    size_t count;
    struct string_list left_out;
    size_t left_capacity;
};

bool ranked_is_meant(const struct cli *cli)
{
    int64_t id;
    if (cli_given(cli, "before") || cli_given(cli, "after"))
        return false;
    if (cli_given(cli, "format") || cli_given(cli, "policy") || cli->operand_count > 2)
        return true;
    return cli->operand_count == 1 && !reference_is_id(cli->operands[0], 'v', &id) &&
           !reference_is_id(cli->operands[0], 'p', &id) && !reference_is_file(cli->operands[0]);
}

static bool room_check(const struct loading *loading, const char *name, struct err *err)
{
    return loading->count < PROFILES_MAX ||
           err_set(err, ERR_LIMIT,
                   "'%s' makes more than %d profiles: name fewer, or give --project "
                   "and --workload",
                   name, PROFILES_MAX);
}

/* One of several profiles that are so called may be one that nobody can read: it is left out. */
static bool entry_add(struct loading *loading, int64_t id, bool alone, struct err *err)
{
    struct arena *arena = loading->arena;
    struct ledger_profile *held = arena_zalloc(arena, 1, sizeof *held);
    const char *unreadable = NULL;
    if (!ledger_check_words(loading->db, id, arena, err) ||
        (alone ? !ledger_load_profile(loading->db, id, arena, held, err)
               : !ledger_load_stored(loading->db, id, arena, held, &unreadable, err)))
        return false;
    if (unreadable != NULL) {
        struct string_list *left_out = &loading->left_out;
        left_out->items = arena_grow(arena, left_out->items, left_out->count,
                                     &loading->left_capacity, sizeof *left_out->items);
        left_out->items[left_out->count++] = unreadable;
        return true;
    }
    loading->profiles[loading->count++] = (struct ranked_profile){
        .name = arena_printf(arena, "p%" PRId64, id),
        .workload = arena_printf(arena, "%s/%s", held->project, held->workload),
        .run = held->run,
        .branch = held->branch,
        .commit = held->commit,
        .label = held->label,
        .summary = &held->summary,
    };
    reference_withdrawn_log(held, arena);
    return arena_ok(arena, "the profiles", err);
}

static bool names_add(struct loading *loading, const char *name, struct err *err)
{
    struct id_list ids;
    if (loading->db == NULL && !reference_connect(loading->cli, name, &loading->db, err))
        return false;
    if (!reference_profiles(loading->db, &loading->scope, name, loading->arena, &ids, err))
        return err->kind == ERR_MISSING ? err_prefix(err, "'%s' is no file, and", name) : false;
    for (size_t i = 0; i < ids.count; i++)
        if (!room_check(loading, name, err) ||
            !entry_add(loading, ids.items[i], ids.count == 1, err))
            return false;
    return true;
}

static bool operands_load(struct loading *loading, struct err *err)
{
    const struct cli *cli = loading->cli;
    if (cli->operand_count == 0)
        return err_set(err, ERR_USAGE, "name what is to be compared: files, runs, a label, ...");
    for (size_t i = 0; i < cli->operand_count; i++) {
        const char *name = cli->operands[i];
        if (!reference_is_file(name)) {
            if (!names_add(loading, name, err))
                return false;
            continue;
        }
        struct summary *summary = arena_new(loading->arena, struct summary);
        if (!room_check(loading, name, err) ||
            !reference_summary(loading->cli, &loading->scope, name, loading->arena, summary, err))
            return false;
        loading->profiles[loading->count++] =
            (struct ranked_profile){.name = name, .summary = summary};
    }
    return true;
}

bool ranked_load(struct cli *cli, struct arena *arena, struct ranking *ret_ranking, struct err *err)
{
    struct loading loading = {.cli = cli, .arena = arena, .scope = reference_scope_of(cli)};
    struct gate_policy policy;
    const char *path = cli_text(cli, "policy");
    const struct policy_scope scope = {loading.scope.project, loading.scope.workload, false};
    struct conf_file file = {0};
    if (path != NULL && (!conf_file_read(path, arena, &file, err) ||
                         !gate_policy_read(&file, &scope, arena, &policy, err)))
        return false;
    const bool loaded = operands_load(&loading, err);
    db_close(loading.db);
    *ret_ranking = (struct ranking){.left_out = loading.left_out};
    const struct ranked_profiles profiles = {loading.profiles, loading.count,
                                             path == NULL ? NULL : &policy};
    return loaded && ranking_make(&profiles, arena, ret_ranking, err);
}
