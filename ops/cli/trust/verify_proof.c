/* A proof is a document; checking one prints a sentence. */
#include "ops/cli/cli.h"
#include "ops/cli/trust/verify_proof.h"

#include "history/verify/verify.h"
#include "ops/cli/operand/operand.h"

#include <inttypes.h>
#include <string.h>

enum { PROOF_MAX_BYTES = 1 << 20, SENTENCE_BYTES = 4096 };

/* "c3..c9" */
static bool growth_prove(struct db *db, const char *name, const char *dots, struct arena *arena,
                         struct proof *out, struct err *err)
{
    struct checkpoint first, second;
    const char *older = arena_strndup(arena, name, (size_t)(dots - name));
    const struct proof_pair pair = {&first, &second};
    if (older == NULL)
        return arena_failed(arena, "a proof", err);
    return checkpoint_load(db, older, arena, &first, err) &&
           checkpoint_load(db, dots + strlen(".."), arena, &second, err) &&
           proof_of_growth(db, &pair, arena, out, err);
}

static bool entry_prove(struct db *db, const char *name, const struct verify_against *against,
                        struct arena *arena, struct proof *out, struct err *err)
{
    bool found = against->count > 0;
    struct checkpoint last;
    if (against->count > 1)
        return err_set(err, ERR_USAGE, "option --proof: give --against once");
    if (found)
        last = against->items[0];
    else if (!checkpoint_last(db, arena, &last, &found, err))
        return false;
    if (!found)
        return err_set(err, ERR_MISSING,
                       "the ledger has no checkpoint to prove it by: run `stepledger checkpoint`");
    return proof_of_entry(db, name, &last, arena, out, err);
}

bool verify_proof_write(struct cli *cli, const struct verify_against *against, struct arena *arena,
                        struct err *err)
{
    struct proof proof;
    scoped_db *db = NULL;
    const char *name = cli_text(cli, "proof"), *dots = strstr(name, "..");
    if (!connect_reader(cli, &db, err) || !db_begin_snapshot(db, err))
        return false;
    bool done = dots != NULL ? growth_prove(db, name, dots, arena, &proof, err)
                             : entry_prove(db, name, against, arena, &proof, err);
    db_rollback(db);
    return done && document_print(cli_text(cli, "output"), proof_to_json(&proof, err), err);
}

static void sentence_print(const struct proof *proof, const struct verify_against *against,
                           bool holds, struct text *out)
{
    const struct checkpoint *newest = &against->items[against->count - 1];
    const struct proof_entry *entry = &proof->entry;
    if (proof->has_entry)
        text_addf(out,
                  "%.40s (%.40s %" PRId64 ", content sha256 %s) is %s what checkpoint %.40s of "
                  "%.40s saw\n",
                  entry->name, entry->chain, entry->position, entry->content_sha256,
                  holds ? "in" : "NOT proven to be in", newest->id, newest->recorded_at_utc);
    else
        text_addf(out,
                  "the %" PRId64 " entries of checkpoint %.40s are %s the %" PRId64
                  " of checkpoint %.40s\n",
                  proof->from, against->items[0].id,
                  holds ? "the first of" : "NOT proven to be the first of", proof->tree_size,
                  newest->id);
}

bool verify_proof_check(struct cli *cli, const struct verify_against *against, struct arena *arena,
                        bool *ret_holds, struct err *err)
{
    struct proof proof;
    const char *path = cli_text(cli, "check-proof");
    scoped_text sentence;
    text_init(&sentence, SENTENCE_BYTES);
    if (against->count == 0)
        return err_set(err, ERR_USAGE, "option --check-proof: name the checkpoint with --against");
    scoped_json *root = json_read_file(path, PROOF_MAX_BYTES, err);
    if (root == NULL || !proof_from_json(root, path, arena, &proof, err) ||
        !proof_check(&proof, path, against->items, against->count, ret_holds, err))
        return false;
    sentence_print(&proof, against, *ret_holds, &sentence);
    return text_ok(&sentence, "the answer", err) &&
           cli_write(text_string(&sentence), sentence.length, err);
}
