/* What is signed says which state of the ledger it was: id, time and root. */
#include "ops/flow/trust/checkpoint_seal.h"

#include "ops/flow/trust/seal.h"

#include <stdio.h>

enum { STATEMENT_BYTES_MAX = 4096, WHAT_BYTES = 60 };

static bool statement_make(const struct checkpoint *checkpoint, struct text *out, struct err *err)
{
    text_init(out, STATEMENT_BYTES_MAX);
    checkpoint_statement(checkpoint, out);
    return text_ok(out, "a checkpoint's id, time and root", err);
}

static bool checkpoint_sign(const void *key_path, struct arena *arena,
                            struct checkpoint *checkpoint, struct err *err)
{
    struct seal seal;
    scoped_text statement = {0};
    if (!statement_make(checkpoint, &statement, err) ||
        !seal_make(key_path, &statement, arena, &seal, err))
        return false;
    checkpoint->signature = seal.signature;
    checkpoint->public_key = seal.public_key;
    return true;
}

bool checkpoint_make(struct db *db, const struct conf *conf, struct arena *arena,
                     struct checkpoint *ret_checkpoint, bool *ret_new, struct err *err)
{
    const char *path = conf_text(conf, CONF_checkpoint_key);
    const struct checkpoint_signer signer = {checkpoint_sign, path};
    if (path[0] == '\0')
        return checkpoint_append(db, NULL, arena, ret_checkpoint, ret_new, err);
    return checkpoint_append(db, &signer, arena, ret_checkpoint, ret_new, err) &&
           (*ret_new || checkpoint_sign(path, arena, ret_checkpoint, err));
}

bool checkpoint_seal_check(const struct conf *conf, const struct checkpoint *checkpoint,
                           struct err *err)
{
    char what[WHAT_BYTES];
    scoped_text statement = {0};
    const struct seal seal = {checkpoint->signature, checkpoint->public_key};
    (void)snprintf(what, sizeof what, "checkpoint %.40s", checkpoint->id);
    return statement_make(checkpoint, &statement, err) &&
           seal_check(conf, what, &statement, &seal, err);
}
