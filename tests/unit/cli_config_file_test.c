/* The facts in configurations as people write them, and what is passed over. */
#include "ops/flow/collect/config_file.h"
#include "tests/support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATH_BYTES = 4096, ARENA_BYTES = 1 << 20 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* "batch=512 sequence=2048" of a configuration; the hash is looked at apart. */
static void facts_of(const char *text, char *out, size_t out_bytes)
{
    char *folder = test_folder_make(), path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/config", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    struct fact facts[CONFIG_FILE_FACTS_MAX];
    size_t count, length = 0;
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    assert_true(config_file_facts(path, &arena, facts, &count, &err));
    assert_string_equal(facts[0].name, "config_hash");
    assert_int_equal(strlen(facts[0].value), 64);
    out[0] = '\0';
    for (size_t i = 1; i < count; i++) {
        assert_string_equal(facts[i].source, path);
        length += (size_t)snprintf(out + length, out_bytes - length, "%s%s=%s", i > 1 ? " " : "",
                                   facts[i].name, facts[i].value);
    }
    test_folder_remove(folder);
    free(folder);
}

static void finds_what_configurations_say(void **state)
{
    (void)state;
    static const struct {
        const char *text, *facts;
    } cases[] = {
        {"trainer:\n  train_batch_size: 512  # global\n  mp: \"p=f32,c=bf16\"\n"
         "train_seq_len: 4096\nmodel:\n  type: llama\n",
         "precision=p=f32,c=bf16 batch=512 sequence=4096 model=llama"},
        {"model_name: 'llama3-8b'\r\nper_device_batch_size: 4.0\r\nmax_target_length: 2048\r\n",
         "device_batch=4.0 sequence=2048 model=llama3-8b"},
        {"{\"train_batch_size\": 8, \"model\": {\"type\": \"gpt\"}, \"mesh_shape\": \"4x2\"}",
         "batch=8 model=gpt mesh=4x2"},
        {"trainer.train_batch_size: 16\n", "batch=16"},
        /* of two levels the inner one ends where the line stands further left */
        {"a:\n    b:\n        batch_size: 1\n    c: 2\nbatch_size: 3\n", "batch=3"},
        /* what is no scalar that stands there */
        {"list:\n- batch_size: 3\n  train_batch_size: 9\nopts: {batch_size: 2}\n"
         "text: |\n  batch_size: 77\n\n  seq_len: 1\n",
         ""},
        {"batch_size: ${env:BATCH}\nseq_len: *length\nmodel_name: null\nmesh: [4, 2]\n", ""},
        {"batch_size: \"8\nseq_len: \"${x}\"\n", ""},
        {"model:\n  - batch_size: 3\nbatch_size: 4\n", "batch=4"},
        {"--batch_size=8\nimport x\n\x01\xff: 3\n", ""},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char facts[PATH_BYTES];
        facts_of(cases[i].text, facts, sizeof facts);
        assert_string_equal(facts, cases[i].facts);
    }
}

/* Deeper than anything that people write: read without end of memory or stack. */
static void survives_deep_and_long_files(void **state)
{
    (void)state;
    enum { DEPTH = 300 };
    char facts[PATH_BYTES], *text = calloc(DEPTH + 8, DEPTH + 8);
    size_t length = 0;
    assert_non_null(text);
    for (size_t i = 0; i < DEPTH; i++)
        length += (size_t)snprintf(text + length, DEPTH + 4, "%*sk:\n", (int)i, "");
    memcpy(text + length, "batch_size: 5\n", sizeof "batch_size: 5\n");
    facts_of(text, facts, sizeof facts);
    assert_string_equal(facts, "batch=5");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_configurations_say),
        cmocka_unit_test(survives_deep_and_long_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
