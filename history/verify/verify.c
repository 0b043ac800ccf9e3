/* Verifies the ledger in one snapshot: what is appended meanwhile is not looked at. */
#include "history/verify/verify.h"

#include "history/verify/checkpoints.h"
#include "history/verify/verify_run.h"

#include <inttypes.h>
#include <string.h>

static void broken_take(void *context, int64_t id, const char *recorded_by, const char *fault)
{
    const struct verify_place place = {
        .chain = "ledger", .prefix = entry_kinds[ENTRY_CHECKPOINT].prefix, .subject_id = id};
    verify_note(context, &place,
                "%.40s stored a checkpoint that is none, it is passed over: %.300s",
                recorded_by == NULL ? "somebody" : recorded_by, fault);
}

/* The ledger's own checkpoints behind a number, and the last that is sound. */
static bool own_checkpoints_check(struct verify_run *run, int64_t after,
                                  struct checkpoint *ret_last, bool *ret_found, struct err *err)
{
    const struct checkpoint_sink broken = {broken_take, run};
    return checkpoints_broken(run->db, after, &broken, err) &&
           checkpoint_last(run->db, run->arena, ret_last, ret_found, err) &&
           (!*ret_found || verify_heads(run, ret_last, err));
}

/* The tree as a whole, as its own last checkpoint and others saw it. */
static bool roots_verify(struct verify_run *run, const struct checkpoint *last,
                         const struct verify_against *against, struct err *err)
{
    size_t others = against == NULL ? 0 : against->count;
    struct checkpoint *items = arena_array(run->arena, struct checkpoint, others + 1);
    struct verify_against said = {items, others};
    if (others > 0)
        memcpy(items, against->items, others * sizeof *items);
    if (last != NULL)
        items[said.count++] = *last;
    return verify_tree(run, last, &said, err);
}

static bool all_verify(struct verify_run *run, const struct verify_against *against,
                       struct err *err)
{
    bool found;
    struct checkpoint last;
    if (!query_do(run->db, Q_index_prefer, NULL, err) || !verify_chains(run, err) ||
        !verify_contents(run, err) || !verify_schema(run, err) ||
        !own_checkpoints_check(run, 0, &last, &found, err))
        return false;
    for (size_t i = 0; against != NULL && i < against->count; i++)
        if (!verify_heads(run, &against->items[i], err))
            return false;
    return roots_verify(run, found ? &last : NULL, against, err);
}

static bool new_verify(struct verify_run *run, const struct checkpoint *since, struct err *err)
{
    bool found;
    int64_t after;
    struct checkpoint last;
    if (since->id[0] != 'c' || !text_parse_i64(since->id + 1, &after))
        return err_set(err, ERR_INPUT, "\"%.60s\" names no checkpoint (c3)", since->id);
    return query_do(run->db, Q_index_prefer, NULL, err) && verify_heads(run, since, err) &&
           verify_chains_since(run, since, err) && verify_contents(run, err) &&
           verify_schema(run, err) && own_checkpoints_check(run, after, &last, &found, err);
}

static struct verify_run run_from(struct db *db, struct arena *arena, int64_t from)
{
    struct verify_run run = {db, arena, arena_new(arena, struct verify_report), {0}};
    for (int kind = 0; kind < ENTRY_KIND_COUNT; kind++)
        run.from[kind] = from;
    return run;
}

bool ledger_verify(struct db *db, const struct verify_against *against, struct arena *arena,
                   struct verify_report **ret_report, struct err *err)
{
    struct verify_run run = run_from(db, arena, INT64_MIN);
    scoped_transaction *open = NULL;
    if (!snapshot_open(db, &open, err) || !all_verify(&run, against, err))
        return false;
    *ret_report = run.report;
    return true;
}

bool ledger_verify_since(struct db *db, const struct checkpoint *since, struct arena *arena,
                         struct verify_report **ret_report, struct err *err)
{
    struct verify_run run = run_from(db, arena, INT64_MAX);
    scoped_transaction *open = NULL;
    if (!snapshot_open(db, &open, err) || !new_verify(&run, since, err))
        return false;
    *ret_report = run.report;
    return true;
}

bool ledger_holds(struct db *db, const struct checkpoint *checkpoint, struct arena *arena,
                  const char **ret_fault, struct err *err)
{
    struct verify_run run = {db, arena, arena_new(arena, struct verify_report), {0}};
    if (!verify_heads(&run, checkpoint, err))
        return false;
    const struct verify_finding *first = &run.report->findings[0];
    *ret_fault = NULL;
    if (run.report->finding_count > 0)
        *ret_fault = arena_printf(arena, "%s %" PRId64 ": %s", first->chain, first->position,
                                  first->what != NULL ? first->what : "it is not there");
    return true;
}
