/* Digests: SHA-256 for identity, HMAC and base64 for signatures, MD5 where a service addresses
 * content by it. The only file that includes OpenSSL.
 *
 * OpenSSL's EVP uses the processor's SHA instructions where it has them.
 */
#ifndef OPS_RUNTIME_DIGEST_H
#define OPS_RUNTIME_DIGEST_H

#include "ops/runtime/err.h"

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX_BYTES = 65, MD5_BYTES = 16, MD5_HEX_BYTES = 33 };

struct sha256; /* opaque */
struct md5;    /* opaque */

/* Never fails, as all of SHA-256: without memory the process ends. sha256_free accepts NULL. */
struct sha256 *sha256_new(void);
void sha256_free(struct sha256 *state);
/* Adds bytes. */
void sha256_add(struct sha256 *state, const void *bytes, size_t length);
/* Writes 32 bytes and ends the computation; only sha256_free may follow. */
void sha256_finish(struct sha256 *state, uint8_t out[SHA256_BYTES]);
/* One call; hex with a closing NUL. */
void sha256_hex(const void *bytes, size_t length, char out[SHA256_HEX_BYTES]);

/* The same for MD5 (RFC 1321): the address of content at a service that names it so, never a
 * protection; it works where the system forbids MD5 for protection (FIPS). NULL with ERR_FULL where
 * the library has no MD5. */
struct md5 *md5_new(struct err *err);
/* Accepts NULL. */
void md5_free(struct md5 *state);
/* Adds bytes. */
void md5_add(struct md5 *state, const void *bytes, size_t length);
/* Writes 16 bytes and ends the computation. */
void md5_finish(struct md5 *state, uint8_t out[MD5_BYTES]);
/* One call; fails as md5_new does. */
bool md5_of(const void *bytes, size_t length, uint8_t out[MD5_BYTES], struct err *err);

/* HMAC-SHA-256 (RFC 2104). ERR_BUG when the library failed. */
bool hmac_sha256(const void *key, size_t key_length, const void *bytes, size_t length,
                 uint8_t out[SHA256_BYTES], struct err *err);

enum { ED25519_KEY_BYTES = 32, ED25519_SIGNATURE_BYTES = 64 };

/* Signs with Ed25519 (RFC 8032). pem is a private key as `openssl genpkey -algorithm ed25519`
 * writes it, without a passphrase; ERR_INPUT when it is no such key. */
bool ed25519_sign(const char *pem, const void *bytes, size_t length,
                  uint8_t ret_signature[ED25519_SIGNATURE_BYTES],
                  uint8_t ret_public_key[ED25519_KEY_BYTES], struct err *err);

/* *ret_good: whether the signature is that key's over these bytes. ERR_FULL when that could not be
 * told. */
bool ed25519_verify(const uint8_t public_key[ED25519_KEY_BYTES], const void *bytes, size_t length,
                    const uint8_t signature[ED25519_SIGNATURE_BYTES], bool *ret_good,
                    struct err *err);

/* Characters of the base64 form of `length` bytes, with the closing NUL. */
#define BASE64_TEXT_BYTES(length) (((length) + 2) / 3 * 4 + 1)
enum { MD5_BASE64_BYTES = BASE64_TEXT_BYTES(MD5_BYTES) };

/* Standard base64 with padding (RFC 4648 §4); out holds BASE64_TEXT_BYTES(length). At most 1 GiB.
 */
void base64_encode(const uint8_t *bytes, size_t length, char *out);

/* Strict: false for characters outside the alphabet, blanks, and padding that is missing, misplaced
 * or not zero. out holds strlen(text) / 4 * 3 bytes; *ret_length of them are set. */
bool base64_decode(const char *text, uint8_t *out, size_t *ret_length);

static inline void sha256_cleanup(struct sha256 **state)
{
    sha256_free(*state);
}
#define scoped_sha256 __attribute__((cleanup(sha256_cleanup))) struct sha256

static inline void md5_cleanup(struct md5 **state)
{
    md5_free(*state);
}
#define scoped_md5 __attribute__((cleanup(md5_cleanup))) struct md5

/* Reads the base64 form of an MD5, as services give it: of exactly 16 bytes; false for all else. */
bool md5_base64_read(const char *text, uint8_t out[MD5_BYTES]);

#endif
