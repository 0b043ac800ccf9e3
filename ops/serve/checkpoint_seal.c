/* What is signed says which state of the ledger it was: id, time and root. */
#include "ops/serve/checkpoint_seal.h"

#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"

#include <string.h>

enum { KEY_FILE_BYTES_MAX = 65536, STATEMENT_BYTES_MAX = 4096 };

static bool statement_make(const struct checkpoint *checkpoint, struct text *out, struct err *err)
{
    text_init(out, STATEMENT_BYTES_MAX);
    checkpoint_statement(checkpoint, out);
    return text_ok(out, "a checkpoint's id, time and root", err);
}

static const char *base64_text(struct arena *arena, const uint8_t *bytes, size_t length)
{
    char *text = arena_alloc(arena, BASE64_TEXT_BYTES(length));
    if (text != NULL)
        base64_encode(bytes, length, text);
    return text;
}

static bool checkpoint_sign(const void *key_path, struct arena *arena,
                            struct checkpoint *checkpoint, struct err *err)
{
    char *pem;
    uint8_t signature[ED25519_SIGNATURE_BYTES], key[ED25519_KEY_BYTES];
    const char *path = key_path;
    scoped_text statement = {0};
    if (!file_read(path, KEY_FILE_BYTES_MAX, arena, &pem, NULL, err) ||
        !statement_make(checkpoint, &statement, err))
        return false;
    if (!ed25519_sign(pem, statement.data, statement.length, signature, key, err))
        return err_prefix(err, "%s", path);
    checkpoint->signature = base64_text(arena, signature, sizeof signature);
    checkpoint->public_key = base64_text(arena, key, sizeof key);
    return (checkpoint->signature != NULL && checkpoint->public_key != NULL) ||
           arena_failed(arena, "a signature", err);
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

/* Strict base64 of exactly `length` bytes. */
static bool base64_exactly(const char *text, uint8_t *out, size_t length)
{
    size_t decoded;
    return text != NULL && strlen(text) + 1 == BASE64_TEXT_BYTES(length) &&
           base64_decode(text, out, &decoded) && decoded == length;
}

static bool signature_check(const struct checkpoint *checkpoint, struct err *err)
{
    /* base64_decode writes whole groups of three. */
    uint8_t signature[ED25519_SIGNATURE_BYTES + 2], key[ED25519_KEY_BYTES + 2];
    scoped_text statement = {0};
    if (!statement_make(checkpoint, &statement, err))
        return false;
    bool good = base64_exactly(checkpoint->signature, signature, ED25519_SIGNATURE_BYTES) &&
                base64_exactly(checkpoint->public_key, key, ED25519_KEY_BYTES) &&
                ed25519_verify(key, statement.data, statement.length, signature);
    return good || err_set(err, ERR_INPUT,
                           "the signature of checkpoint %.40s is not that of its key over its id, "
                           "time and root: it was changed",
                           checkpoint->id);
}

bool checkpoint_seal_check(const struct conf *conf, const struct checkpoint *checkpoint,
                           struct err *err)
{
    const char *trusted = conf_text(conf, CONF_checkpoint_trust);
    if (checkpoint->signature == NULL && trusted[0] == '\0')
        return true;
    if (checkpoint->signature == NULL)
        return err_set(err, ERR_INPUT,
                       "checkpoint %.40s is not signed, and checkpoint_trust asks for it",
                       checkpoint->id);
    if (!signature_check(checkpoint, err))
        return false;
    return trusted[0] == '\0' || strcmp(trusted, checkpoint->public_key) == 0 ||
           err_set(err, ERR_INPUT,
                   "checkpoint %.40s is signed by key %.60s, not by the one of checkpoint_trust",
                   checkpoint->id, checkpoint->public_key);
}
