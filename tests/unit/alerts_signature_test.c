/* Tests of signing: base64 and HMAC of ops/runtime/digest, and the Standard Webhooks signature on
 * top of them. */
#include "alerts/channels.h"
#include "alerts/chat/webhook.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/text.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SECRET "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define CHARS_24 "MfKQ9r8GKYqrTwjUPD8ILPZI"
#define KEY_OF_66_BYTES "whsec_" CHARS_24 "o2LaLaSw" CHARS_24 "o2LaLaSw" CHARS_24
#define BODY "{\"test\": 2432232314}"

static void encodes_and_decodes_the_vectors_of_rfc_4648(void **state)
{
    (void)state;
    static const struct {
        const char *plain, *text;
    } cases[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[BASE64_TEXT_BYTES(6)];
        base64_encode((const uint8_t *)cases[i].plain, strlen(cases[i].plain), text);
        assert_string_equal(text, cases[i].text);
        uint8_t bytes[6];
        size_t length = 99;
        assert_true(base64_decode(cases[i].text, bytes, &length));
        assert_int_equal(length, strlen(cases[i].plain));
        assert_memory_equal(bytes, cases[i].plain, length);
    }
}

static void decodes_every_byte(void **state)
{
    (void)state;
    uint8_t all[256], back[258];
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (uint8_t)i;
    for (size_t length = 0; length <= sizeof all; length++) {
        char text[BASE64_TEXT_BYTES(256)];
        size_t decoded = 0;
        base64_encode(all, length, text);
        assert_true(base64_decode(text, back, &decoded));
        assert_int_equal(decoded, length);
        assert_memory_equal(back, all, length);
    }
}

static void refuses_base64_that_is_not_canonical(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "Zg",    "Zg=",   "Z===",   "====", "=",      "Zg==Zg==", "Z=g=",   "Zh==", "Zm9=",
        " Zg==", "Zg== ", "Zg==\n", "Zg-_", "Zm9v\n", "Z\x80==",  "Zm9vZg", "Zg=a", "Zm8=Zm8=",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[16];
        size_t length;
        if (base64_decode(cases[i], bytes, &length))
            fail_msg("'%s' was taken", cases[i]);
    }
}

static void computes_the_hmac_vectors_of_rfc_4231(void **state)
{
    (void)state;
    uint8_t code[SHA256_BYTES], long_key[131];
    char hex[SHA256_HEX_BYTES];
    assert_true(hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, code, NULL));
    text_hex(code, sizeof code, hex);
    assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    static const char long_text[] = "Test Using Larger Than Block-Size Key - Hash Key First";
    memset(long_key, 0xaa, sizeof long_key);
    assert_true(
        hmac_sha256(long_key, sizeof long_key, long_text, sizeof long_text - 1, code, NULL));
    text_hex(code, sizeof code, hex);
    assert_string_equal(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static struct secret secret_of(const char *text)
{
    struct secret secret = {strdup(text), strlen(text)};
    assert_non_null(secret.text);
    return secret;
}

static void signs_the_vector_of_standard_webhooks(void **state)
{
    (void)state;
    const struct webhook_content content = {"msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, BODY,
                                            sizeof BODY - 1};
    scoped_secret secret = secret_of(SECRET);
    char signature[WEBHOOK_SIGNATURE_BYTES];
    assert_true(webhook_sign(&secret, &content, signature, NULL));
    assert_string_equal(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

static void refuses_keys_of_another_form_without_quoting_them(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",       /* no prefix */
        "whsec_",                                 /* empty */
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLQ==", /* 22 bytes */
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",  /* cut */
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!",
        KEY_OF_66_BYTES,
    };
    const struct webhook_content content = {"id", 1, BODY, sizeof BODY - 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scoped_secret secret = secret_of(cases[i]);
        char signature[WEBHOOK_SIGNATURE_BYTES];
        struct err err = {0};
        if (webhook_sign(&secret, &content, signature, &err))
            fail_msg("'%s' was taken", cases[i]);
        assert_int_equal(err.kind, ERR_USAGE);
        assert_null(strstr(err.text, "MfKQ"));
    }
}

static const char *header_of(const struct webhook_headers *headers, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < headers->count; i++) {
        if (strncmp(headers->items[i], name, length) == 0)
            return headers->items[i] + length;
    }
    return NULL;
}

static void signs_each_attempt_with_its_own_time(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    scoped_secret secret = secret_of(SECRET);
    struct delivery_request request = {
        .content_type = "application/json",
        .body = BODY,
        .body_length = sizeof BODY - 1,
        .message_id = "msg_p5jXN8AQM9LWM0D4loKWxJek",
        .wall_us = INT64_C(1614265330) * 1000000 + 999999,
    };
    struct webhook_headers headers;
    assert_true(webhook_headers_make(&request, &secret, &arena, &headers, NULL));
    assert_int_equal(headers.count, 4);
    assert_string_equal(header_of(&headers, "Content-Type: "), "application/json");
    assert_string_equal(header_of(&headers, "webhook-id: "), request.message_id);
    assert_string_equal(header_of(&headers, "webhook-timestamp: "), "1614265330");
    assert_string_equal(header_of(&headers, "webhook-signature: "),
                        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    request.wall_us += 1000000;
    assert_true(webhook_headers_make(&request, &secret, &arena, &headers, NULL));
    assert_string_not_equal(header_of(&headers, "webhook-signature: "),
                            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    assert_true(webhook_headers_make(&request, NULL, &arena, &headers, NULL));
    assert_null(header_of(&headers, "webhook-signature: "));
    assert_string_equal(header_of(&headers, "webhook-id: "), request.message_id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_and_decodes_the_vectors_of_rfc_4648),
        cmocka_unit_test(decodes_every_byte),
        cmocka_unit_test(refuses_base64_that_is_not_canonical),
        cmocka_unit_test(computes_the_hmac_vectors_of_rfc_4231),
        cmocka_unit_test(signs_the_vector_of_standard_webhooks),
        cmocka_unit_test(refuses_keys_of_another_form_without_quoting_them),
        cmocka_unit_test(signs_each_attempt_with_its_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
