/* Ed25519 against RFC 8032 §7.1, test 2; keys that are none. */
#include "ops/runtime/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The seed of the RFC's test 2, as PKCS #8 in PEM. */
static const char private_key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n"
    "-----END PRIVATE KEY-----\n";
static const uint8_t message[] = {0x72};
static const char public_hex[] = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
static const char signature_hex[] =
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

static void hex_write(const uint8_t *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

static void signs_as_the_rfc_does(void **state)
{
    (void)state;
    struct err err = {0};
    uint8_t signature[ED25519_SIGNATURE_BYTES], key[ED25519_KEY_BYTES];
    char hex[2 * ED25519_SIGNATURE_BYTES + 1];
    assert_true(ed25519_sign(private_key, message, sizeof message, signature, key, &err));
    hex_write(signature, sizeof signature, hex);
    assert_string_equal(hex, signature_hex);
    hex_write(key, sizeof key, hex);
    assert_string_equal(hex, public_hex);
}

static bool is_good(const uint8_t *key, const void *bytes, size_t length, const uint8_t *signature)
{
    struct err err = {0};
    bool good;
    assert_true(ed25519_verify(key, bytes, length, signature, &good, &err));
    return good;
}

static void takes_its_own_signature_and_no_other(void **state)
{
    (void)state;
    struct err err = {0};
    uint8_t signature[ED25519_SIGNATURE_BYTES], key[ED25519_KEY_BYTES];
    assert_true(ed25519_sign(private_key, message, sizeof message, signature, key, &err));
    assert_true(is_good(key, message, sizeof message, signature));
    assert_false(is_good(key, "s", 1, signature));
    signature[5] ^= 1;
    assert_false(is_good(key, message, sizeof message, signature));
    signature[5] ^= 1;
    key[0] ^= 1;
    assert_false(is_good(key, message, sizeof message, signature));
}

static void refuses_what_is_no_such_key(void **state)
{
    (void)state;
    struct err err = {0};
    uint8_t signature[ED25519_SIGNATURE_BYTES], key[ED25519_KEY_BYTES];
    assert_false(ed25519_sign("", message, sizeof message, signature, key, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_false(ed25519_sign("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
                              message, sizeof message, signature, key, &err));
    assert_non_null(strstr(err.text, "openssl genpkey"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_as_the_rfc_does),
        cmocka_unit_test(takes_its_own_signature_and_no_other),
        cmocka_unit_test(refuses_what_is_no_such_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
