/* Loads candidate and baseline; everything that a verdict rests on comes out of the ledger. */
#include "ops/cli/gate_sides.h"

#include "ops/cli/intake.h"

#include <string.h>
#include <unistd.h>

/* Runs beyond the baseline that only tell how much runs vary. */
enum { HISTORY_RUNS = 20 };

struct loader {
    struct cli *cli;
    struct db *db;
    struct arena *arena;
    struct gate_sides *sides;
    int64_t *ids; /* of the candidate */
    size_t id_count, id_capacity;
    struct profile_page candidates;
};

static bool is_profile_id(const char *operand, int64_t *ret_id)
{
    return operand[0] == 'p' && text_parse_i64(operand + 1, ret_id) && *ret_id > 0 &&
           access(operand, F_OK) != 0;
}

static bool id_add(struct loader *loader, int64_t id, struct err *err)
{
    int64_t *ids =
        arena_grow(loader->arena, loader->ids, loader->id_count, &loader->id_capacity, sizeof *ids);
    if (ids == NULL)
        return arena_failed(loader->arena, "the candidate", err);
    loader->ids = ids;
    loader->ids[loader->id_count++] = id;
    return true;
}

/* A candidate that cannot be read ends the gate: judging the rest would be a verdict on something
 * else. */
static bool take_path(struct loader *loader, struct intake *intake, const char *path,
                      struct err *err)
{
    size_t first = intake->count;
    if (!intake_path(intake, path, err))
        return false;
    for (size_t i = first; i < intake->count; i++) {
        if (!intake->items[i].stored) {
            *err = intake->items[i].failure;
            return false;
        }
        if (!id_add(loader, intake->items[i].receipt.id, err))
            return false;
    }
    return true;
}

static bool take_operands(struct loader *loader, struct err *err)
{
    struct cli *cli = loader->cli;
    struct intake intake = {
        .cli = cli,
        .db = loader->db,
        .identity = {loader->sides->project, loader->sides->workload, cli_text(cli, "branch"),
                     cli_text(cli, "commit"), cli_text(cli, "run"), cli_text(cli, "label")},
    };
    if (!summarize_options(cli, &intake.options, err))
        return false;
    for (size_t i = 0; i < cli->operand_count; i++) {
        int64_t id;
        bool taken = is_profile_id(cli->operands[i], &id)
                         ? id_add(loader, id, err)
                         : take_path(loader, &intake, cli->operands[i], err);
        if (!taken)
            return false;
    }
    return true;
}

static bool load_candidates(struct loader *loader, struct err *err)
{
    struct profile_page *page = &loader->candidates;
    page->items = arena_array(loader->arena, struct ledger_profile, loader->id_count);
    if (page->items == NULL)
        return arena_failed(loader->arena, "the candidate", err);
    for (; page->count < loader->id_count; page->count++) {
        if (!ledger_load_profile(loader->db, loader->ids[page->count], loader->arena,
                                 &page->items[page->count], err))
            return false;
    }
    return true;
}

static bool side_make(struct loader *loader, const struct profile_page *page, const char *why,
                      struct gate_side *ret_side, struct err *err)
{
    struct gate_profile *profiles = arena_array(loader->arena, struct gate_profile, page->count);
    if (profiles == NULL)
        return arena_failed(loader->arena, "the profiles", err);
    for (size_t i = 0; i < page->count; i++) {
        const struct ledger_profile *item = &page->items[i];
        profiles[i] = (struct gate_profile){
            .profile_id = arena_printf(loader->arena, "p%lld", (long long)item->id),
            .run = item->run,
            .branch = item->branch,
            .commit = item->commit,
            .label = item->label,
            .summary = &item->summary,
        };
        if (profiles[i].profile_id == NULL)
            return arena_failed(loader->arena, "the profiles", err);
    }
    *ret_side = (struct gate_side){profiles, page->count, why};
    return true;
}

/* The first `runs` distinct runs of the page (newest first); returns how many profiles they are. */
static size_t first_runs(const struct profile_page *page, int64_t runs)
{
    size_t i = 0;
    for (; i < page->count; i++) {
        if (i == 0 || strcmp(page->items[i].run, page->items[i - 1].run) != 0)
            runs--;
        if (runs < 0)
            break;
    }
    return i;
}

static bool baseline_of_branch(struct loader *loader, struct err *err)
{
    struct gate_sides *sides = loader->sides;
    const char *branch = cli_text(loader->cli, "baseline-branch");
    int64_t last = cli_int(loader->cli, "last");
    if (last < 1)
        return err_set(err, ERR_USAGE, "option --last: %lld runs are no baseline", (long long)last);
    const struct baseline_query query = {
        .project = sides->project,
        .workload = sides->workload,
        .branch = branch,
        .run_limit = last + HISTORY_RUNS,
        .exclude = loader->ids,
        .exclude_count = loader->id_count,
    };
    struct profile_page page;
    if (!ledger_baseline(loader->db, &query, loader->arena, &page, err))
        return false;
    if (page.count == 0)
        return err_set(err, ERR_MISSING,
                       "no baseline: project '%s', workload '%s' has no other profile of branch "
                       "'%s'; ingest some with --branch %s, or name one with --baseline",
                       sides->project, sides->workload, branch, branch);
    size_t split = first_runs(&page, last);
    const struct profile_page recent = {page.items, split};
    const struct profile_page older = {page.items + split, page.count - split};
    const char *why =
        arena_printf(loader->arena, "the last %lld runs of branch %s", (long long)last, branch);
    return why == NULL
               ? arena_failed(loader->arena, "the baseline", err)
               : side_make(loader, &recent, why, &sides->baseline, err) &&
                     side_make(loader, &older, "runs before the baseline", &sides->history, err);
}

static bool baseline_by_name(struct loader *loader, struct err *err)
{
    const struct cli_value *names = cli_value(loader->cli, "baseline");
    struct profile_page all = {0};
    size_t capacity = 0;
    for (size_t i = 0; i < names->count; i++) {
        const struct profile_reference reference = {loader->sides->project, loader->sides->workload,
                                                    names->list[i]};
        struct profile_page page;
        if (!ledger_resolve(loader->db, &reference, loader->arena, &page, err))
            return false;
        for (size_t j = 0; j < page.count; j++) {
            struct ledger_profile *items =
                arena_grow(loader->arena, all.items, all.count, &capacity, sizeof *items);
            if (items == NULL)
                return arena_failed(loader->arena, "the baseline", err);
            all.items = items;
            all.items[all.count++] = page.items[j];
        }
    }
    return side_make(loader, &all, "named with --baseline", &loader->sides->baseline, err);
}

bool gate_sides_load(struct cli *cli, struct db *db, struct arena *arena,
                     struct gate_sides *ret_sides, struct err *err)
{
    *ret_sides = (struct gate_sides){0};
    struct loader loader = {.cli = cli, .db = db, .arena = arena, .sides = ret_sides};
    if (!cli_scope(cli, &ret_sides->project, &ret_sides->workload, err) ||
        !take_operands(&loader, err) || !load_candidates(&loader, err) ||
        !side_make(&loader, &loader.candidates, "the operands", &ret_sides->candidate, err))
        return false;
    ret_sides->series = loader.candidates.items[0].series;
    return cli_given(cli, "baseline") ? baseline_by_name(&loader, err)
                                      : baseline_of_branch(&loader, err);
}
