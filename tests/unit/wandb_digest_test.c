/* Tests of ops/net/wandb/wandb_digest and of MD5 in ops/runtime/digest, against the vectors of the
 * service's own tests and those of RFC 1321. */
#include "ops/net/wandb/wandb_digest.h"
#include "ops/runtime/text.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 1 << 20 };

static void computes_the_md5_of_rfc_1321(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hex;
    } cases[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t raw[MD5_BYTES];
        char hex[MD5_HEX_BYTES];
        assert_true(md5_of(cases[i].text, strlen(cases[i].text), raw, NULL));
        text_hex(raw, sizeof raw, hex);
        assert_string_equal(hex, cases[i].hex);
    }
}

static void computes_the_same_md5_in_pieces(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_md5 *md5 = md5_new(&err);
    assert_non_null(md5);
    md5_add(md5, "message", 7);
    md5_add(md5, " digest", 7);
    uint8_t raw[MD5_BYTES], whole[MD5_BYTES];
    md5_finish(md5, raw);
    assert_true(md5_of("message digest", 14, whole, &err));
    assert_memory_equal(raw, whole, sizeof raw);
    md5_free(NULL);
}

static void digests_files_as_base64(void **state)
{
    (void)state;
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "1B2M2Y8AsgTpgAmY7PhCfg=="},
        {"{\"schema_version\":1}\n", "SlE+JsCoUj7daW804gAaLA=="},
        {"# Profile report\n", "NjuXjSEzB7bZly5nhUqjXQ=="},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char digest[MD5_BASE64_BYTES];
        assert_true(wandb_file_digest(cases[i].text, strlen(cases[i].text), digest, NULL));
        assert_string_equal(digest, cases[i].digest);
    }
}

/* The digest of the manifest as it was sent, worked out by hand. */
static void digests_the_worked_manifest(void **state)
{
    (void)state;
    static const char manifest[] =
        "{\"version\":1,\"storagePolicy\":\"wandb-storage-policy-v1\","
        "\"storagePolicyConfig\":{\"storageLayout\":\"V2\"},\"contents\":{"
        "\"report.md\":{\"digest\":\"NjuXjSEzB7bZly5nhUqjXQ==\","
        "\"birthArtifactID\":\"QXJ0aWZhY3Q6MQ==\",\"size\":17},"
        "\"summary.json\":{\"digest\":\"SlE+JsCoUj7daW804gAaLA==\","
        "\"birthArtifactID\":\"QXJ0aWZhY3Q6MQ==\",\"size\":21}}}";
    char digest[MD5_BASE64_BYTES];
    assert_int_equal(sizeof manifest - 1, 310);
    assert_true(wandb_file_digest(manifest, sizeof manifest - 1, digest, NULL));
    assert_string_equal(digest, "m141LDa6ZtYdL5epJoakhA==");
}

static void expect_artifact(const struct wandb_entry *entries, size_t count, const char *wanted)
{
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    char digest[MD5_HEX_BYTES];
    assert_true(wandb_artifact_digest(entries, count, &arena, digest, NULL));
    assert_string_equal(digest, wanted);
}

static void digests_artifacts_as_the_service_does(void **state)
{
    (void)state;
    static const char object[] =
        "{\"_type\":\"stream_table\",\"entity_name\":\"entity\",\"project_name\":\"project\","
        "\"table_name\":\"tableName\"}";
    static const char type[] =
        "{\"_base_type\":{\"type\":\"Object\"},\"_is_object\":true,\"entity_name\":\"string\","
        "\"project_name\":\"string\",\"table_name\":\"string\",\"type\":\"stream_table\"}";
    char digests[3][MD5_BASE64_BYTES];
    assert_true(wandb_file_digest(object, sizeof object - 1, digests[0], NULL));
    assert_true(wandb_file_digest(type, sizeof type - 1, digests[1], NULL));
    assert_true(wandb_file_digest("wandb", 5, digests[2], NULL));
    const struct wandb_entry built[] = {{"test-name.txt", digests[2]},
                                        {"obj.type.json", digests[1]},
                                        {"obj.object.json", digests[0]}};
    expect_artifact(built, 3, "2f122f2bff8133c0d5806d9bac1b958c");
    const struct wandb_entry object_pb = {"my_object.pb", "1234567890abcde"};
    expect_artifact(&object_pb, 1, "8aec0d6978da8c2b0bf5662b3fd043a4");
    const struct wandb_entry renamed_pb = {"renamed.pb", "1234567890abcde"};
    expect_artifact(&renamed_pb, 1, "bd85fe009dc9e408a5ed9b55c95f47b2");
    const struct wandb_entry worked[] = {{"summary.json", "SlE+JsCoUj7daW804gAaLA=="},
                                         {"report.md", "NjuXjSEzB7bZly5nhUqjXQ=="}};
    expect_artifact(worked, 2, "d9a0ccd410cec549ea421425ced00e17");
    expect_artifact(NULL, 0, "64e7c61456b10382e2f3b571ac24b659");
}

/* UTF-16 order would put U+1F600 before U+FF5E; bytes of UTF-8 do not. The digest is that of
 * printf 'wandb-artifact-manifest-v1\n～:x\n😀:x\n' | md5sum. */
static void orders_paths_by_bytes(void **state)
{
    (void)state;
    const struct wandb_entry entries[] = {{"\U0001F600", "x"}, {"\uFF5E", "x"}};
    const struct wandb_entry turned[] = {{"\uFF5E", "x"}, {"\U0001F600", "x"}};
    static const char preimage[] = "wandb-artifact-manifest-v1\n\uFF5E:x\n\U0001F600:x\n";
    uint8_t raw[MD5_BYTES];
    char hex[MD5_HEX_BYTES];
    assert_true(md5_of(preimage, sizeof preimage - 1, raw, NULL));
    text_hex(raw, sizeof raw, hex);
    expect_artifact(entries, 2, hex);
    expect_artifact(turned, 2, hex);
}

static void reads_digests_of_sixteen_bytes_alone(void **state)
{
    (void)state;
    uint8_t raw[MD5_BYTES];
    assert_true(md5_base64_read("1B2M2Y8AsgTpgAmY7PhCfg==", raw));
    assert_int_equal(raw[0], 0xd4);
    static const char *const bad[] = {"",
                                      "1B2M2Y8AsgTpgAmY7PhCfg",
                                      "1B2M2Y8AsgTpgAmY7PhCfh==",
                                      "1B2M2Y8AsgTpgAmY7PhCfgAA",
                                      "d41d8cd98f00b204e9800998ecf8427e",
                                      "1B2M2Y8AsgTpgAmY7PhCfg== ",
                                      "****************************"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(md5_base64_read(bad[i], raw));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_the_md5_of_rfc_1321),
        cmocka_unit_test(computes_the_same_md5_in_pieces),
        cmocka_unit_test(digests_files_as_base64),
        cmocka_unit_test(digests_the_worked_manifest),
        cmocka_unit_test(digests_artifacts_as_the_service_does),
        cmocka_unit_test(orders_paths_by_bytes),
        cmocka_unit_test(reads_digests_of_sixteen_bytes_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
