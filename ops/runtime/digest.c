/* Implements digests on OpenSSL's EVP interface. */
#include "ops/runtime/digest.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A struct sha256 or md5 is OpenSSL's context. Once begun, it fails only for want of memory. */

/* Which of the two it was, OpenSSL does not always know. */
static bool openssl_failed(const char *what, struct err *err)
{
    return err_set(err, ERR_FULL,
                   "OpenSSL cannot compute %s: no memory, or a library that is not whole; try "
                   "again later",
                   what);
}

static EVP_MD_CTX *context_new(const EVP_MD *algorithm)
{
    EVP_MD_CTX *context = memory_given(EVP_MD_CTX_new());
    if (EVP_DigestInit_ex(context, algorithm, NULL) != 1)
        memory_end();
    return context;
}

static void context_add(EVP_MD_CTX *context, const void *bytes, size_t length)
{
    if (EVP_DigestUpdate(context, bytes, length) != 1)
        memory_end();
}

static void context_finish(EVP_MD_CTX *context, uint8_t *out)
{
    if (EVP_DigestFinal_ex(context, out, NULL) != 1)
        memory_end();
}

/* Looked up once, for the life of the process: looking it up for every short text would cost more
 * than hashing it. */
static EVP_MD *sha256_algorithm(void)
{
    static _Atomic(EVP_MD *) known;
    EVP_MD *algorithm = known, *none = NULL;
    if (algorithm != NULL)
        return algorithm;
    algorithm = memory_given(EVP_MD_fetch(NULL, "SHA256", NULL));
    if (atomic_compare_exchange_strong(&known, &none, algorithm))
        return algorithm;
    EVP_MD_free(algorithm);
    return none;
}

struct sha256 *sha256_new(void)
{
    return (struct sha256 *)context_new(sha256_algorithm());
}

void sha256_free(struct sha256 *state)
{
    EVP_MD_CTX_free((EVP_MD_CTX *)state);
}

void sha256_add(struct sha256 *state, const void *bytes, size_t length)
{
    context_add((EVP_MD_CTX *)state, bytes, length);
}

void sha256_finish(struct sha256 *state, uint8_t out[SHA256_BYTES])
{
    context_finish((EVP_MD_CTX *)state, out);
}

/* "-fips" takes MD5 also where the system's policy bars it: it protects nothing here. */
struct md5 *md5_new(struct err *err)
{
    EVP_MD *algorithm = EVP_MD_fetch(NULL, "MD5", "-fips");
    if (algorithm == NULL) {
        (void)openssl_failed("MD5", err);
        return NULL;
    }
    EVP_MD_CTX *context = context_new(algorithm);
    EVP_MD_free(algorithm); /* the context keeps its own reference */
    return (struct md5 *)context;
}

void md5_free(struct md5 *state)
{
    EVP_MD_CTX_free((EVP_MD_CTX *)state);
}

void md5_add(struct md5 *state, const void *bytes, size_t length)
{
    context_add((EVP_MD_CTX *)state, bytes, length);
}

void md5_finish(struct md5 *state, uint8_t out[MD5_BYTES])
{
    context_finish((EVP_MD_CTX *)state, out);
}

bool md5_of(const void *bytes, size_t length, uint8_t out[MD5_BYTES], struct err *err)
{
    scoped_md5 *state = md5_new(err);
    if (state == NULL)
        return false;
    md5_add(state, bytes, length);
    md5_finish(state, out);
    return true;
}

void sha256_hex(const void *bytes, size_t length, char out[SHA256_HEX_BYTES])
{
    uint8_t raw[SHA256_BYTES];
    scoped_sha256 *state = sha256_new();
    sha256_add(state, bytes, length);
    sha256_finish(state, raw);
    text_hex(raw, sizeof raw, out);
}

bool hmac_sha256(const void *key, size_t key_length, const void *bytes, size_t length,
                 uint8_t out[SHA256_BYTES], struct err *err)
{
    unsigned written = 0;
    if (key_length > INT32_MAX ||
        HMAC(EVP_sha256(), key, (int)key_length, bytes, length, out, &written) == NULL ||
        written != SHA256_BYTES)
        return openssl_failed("an HMAC-SHA-256", err);
    return true;
}

/* OpenSSL would ask for a passphrase on the terminal. */
static int passphrase_none(char *buffer, int size, int writing, void *context)
{
    (void)buffer;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

bool ed25519_sign(const char *pem, const void *bytes, size_t length,
                  uint8_t ret_signature[ED25519_SIGNATURE_BYTES],
                  uint8_t ret_public_key[ED25519_KEY_BYTES], struct err *err)
{
    size_t key_length = ED25519_KEY_BYTES, written = ED25519_SIGNATURE_BYTES;
    BIO *bio = memory_given(BIO_new_mem_buf(pem, -1));
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, passphrase_none, NULL);
    EVP_MD_CTX *context = memory_given(EVP_MD_CTX_new());
    bool is_ed25519 = key != NULL && EVP_PKEY_get_id(key) == EVP_PKEY_ED25519;
    bool done = is_ed25519 && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                EVP_DigestSign(context, ret_signature, &written, bytes, length) == 1 &&
                written == ED25519_SIGNATURE_BYTES &&
                EVP_PKEY_get_raw_public_key(key, ret_public_key, &key_length) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    BIO_free(bio);
    if (!is_ed25519)
        return err_set(
            err, ERR_INPUT,
            "the signing key is no Ed25519 private key in PEM without a passphrase; make "
            "one: openssl genpkey -algorithm ed25519");
    return done || openssl_failed("a signature", err);
}

bool ed25519_verify(const uint8_t public_key[ED25519_KEY_BYTES], const void *bytes, size_t length,
                    const uint8_t signature[ED25519_SIGNATURE_BYTES], bool *ret_good,
                    struct err *err)
{
    EVP_PKEY *key =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, ED25519_KEY_BYTES);
    EVP_MD_CTX *context = memory_given(EVP_MD_CTX_new());
    bool ready = key != NULL && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1;
    *ret_good =
        ready && EVP_DigestVerify(context, signature, ED25519_SIGNATURE_BYTES, bytes, length) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return ready || openssl_failed("whose a signature is", err);
}

void base64_encode(const uint8_t *bytes, size_t length, char *out)
{
    assert(length <= (size_t)1 << 30);
    (void)EVP_EncodeBlock((unsigned char *)out, bytes, (int)length);
}

/* EVP_DecodeBlock trims blanks and takes any padding, so its input is checked first, and its last
 * group is encoded again: that finds bits behind the end. */
bool base64_decode(const char *text, uint8_t *out, size_t *ret_length)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t total = strlen(text), plain = strspn(text, alphabet), padding = total - plain;
    *ret_length = 0;
    if (total == 0)
        return true;
    if (total % 4 != 0 || total > (size_t)1 << 30 || padding > 2 ||
        strncmp(text + plain, "==", padding) != 0)
        return false;
    int length = EVP_DecodeBlock(out, (const unsigned char *)text, (int)total);
    if (length < 3)
        return false;
    char last[BASE64_TEXT_BYTES(3)];
    base64_encode(out + length - 3, 3 - padding, last);
    *ret_length = (size_t)length - padding;
    return strcmp(last, text + total - 4) == 0;
}

bool md5_base64_read(const char *digest, uint8_t out[MD5_BYTES])
{
    enum { TEXT_CHARS = MD5_BASE64_BYTES - 1 };
    uint8_t raw[TEXT_CHARS / 4 * 3];
    size_t length = 0;
    if (strlen(digest) != TEXT_CHARS || !base64_decode(digest, raw, &length) || length != MD5_BYTES)
        return false;
    memcpy(out, raw, MD5_BYTES);
    return true;
}
