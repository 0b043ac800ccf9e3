/* Ed25519 over the statement's bytes. */
#include "ops/flow/trust/seal.h"

#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"

#include <string.h>

enum { KEY_FILE_BYTES_MAX = 65536 };

static const char *base64_text(struct arena *arena, const uint8_t *bytes, size_t length)
{
    char *text = arena_alloc(arena, BASE64_TEXT_BYTES(length));
    base64_encode(bytes, length, text);
    return text;
}

bool seal_make(const char *key_path, const struct text *statement, struct arena *arena,
               struct seal *ret_seal, struct err *err)
{
    char *pem;
    uint8_t signature[ED25519_SIGNATURE_BYTES], key[ED25519_KEY_BYTES];
    if (!file_read(key_path, KEY_FILE_BYTES_MAX, arena, &pem, NULL, err))
        return false;
    if (!ed25519_sign(pem, statement->data, statement->length, signature, key, err))
        return err_prefix(err, "%s", key_path);
    *ret_seal = (struct seal){base64_text(arena, signature, sizeof signature),
                              base64_text(arena, key, sizeof key)};
    return true;
}

/* Strict base64 of exactly `length` bytes. */
static bool base64_exactly(const char *text, uint8_t *out, size_t length)
{
    size_t decoded;
    return text != NULL && strlen(text) + 1 == BASE64_TEXT_BYTES(length) &&
           base64_decode(text, out, &decoded) && decoded == length;
}

static bool signature_fits(const struct text *statement, const struct seal *seal, bool *ret_fits,
                           struct err *err)
{
    /* base64_decode writes whole groups of three. */
    uint8_t signature[ED25519_SIGNATURE_BYTES + 2], key[ED25519_KEY_BYTES + 2];
    *ret_fits = base64_exactly(seal->signature, signature, ED25519_SIGNATURE_BYTES) &&
                base64_exactly(seal->public_key, key, ED25519_KEY_BYTES);
    return !*ret_fits ||
           ed25519_verify(key, statement->data, statement->length, signature, ret_fits, err);
}

bool seal_check(const struct conf *conf, const char *what, const struct text *statement,
                const struct seal *seal, struct err *err)
{
    const char *trusted = conf_text(conf, CONF_checkpoint_trust);
    bool fits;
    if (seal->signature == NULL && trusted[0] == '\0')
        return true;
    if (seal->signature == NULL)
        return err_set(err, ERR_INPUT, "%s is not signed, and checkpoint_trust asks for it", what);
    if (!signature_fits(statement, seal, &fits, err))
        return false;
    if (!fits)
        return err_set(err, ERR_INPUT,
                       "the signature of %s is not that of its key over what it says: it was "
                       "changed",
                       what);
    return trusted[0] == '\0' || strcmp(trusted, seal->public_key) == 0 ||
           err_set(err, ERR_INPUT, "%s is signed by key %.60s, not by the one of checkpoint_trust",
                   what, seal->public_key);
}
