/* Tests of the JSON form of verdicts. */
#include "schema/documents/verdict.h"

#include "ops/runtime/json.h"
#include "schema/documents/verdict_records.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 1 << 20 };

static json_t *document(const char *name, char **ret_text)
{
    size_t length;
    struct err err = {0};
    *ret_text = golden_read(name, &length);
    json_t *root = json_parse(*ret_text, length, name, &err);
    assert_non_null(root);
    return root;
}

/* A copy stands by itself: what it was copied from is gone before it is written. */
static void writes_what_it_reads_and_copies_to_the_byte(void **state)
{
    (void)state;
    static const char *const names[] = {"present/fail.verdict.json",
                                        "present/incomparable.verdict.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *wanted;
        struct err err = {0};
        struct verdict read, verdict = {0};
        scoped_arena arena, first;
        arena_init(&arena, ARENA_BYTES);
        arena_init(&first, ARENA_BYTES);
        scoped_json *root = document(names[i], &wanted);
        if (!verdict_from_json(root, names[i], &first, &read, &err))
            fail_msg("%s", err.text);
        record_copy(&verdict_record, &read, &arena, &verdict);
        arena_done(&first);
        scoped_json *again = verdict_to_json(&verdict);
        scoped_text text;
        text_init(&text, 1 << 20);
        json_print(again, JSON_STYLE_INDENTED, &text);
        text_addc(&text, '\n');
        assert_string_equal(text_string(&text), wanted);
        free(wanted);
    }
}

static void knows_every_status(void **state)
{
    (void)state;
    struct err err = {0};
    for (int i = 0; i < VERDICT_STATUS_COUNT; i++) {
        struct verdict verdict = {.schema_version = "verdict.v1", .status = (unsigned)i};
        struct verdict again;
        scoped_arena arena;
        arena_init(&arena, ARENA_BYTES);
        scoped_json *root = verdict_to_json(&verdict);
        assert_string_equal(json_string_value(json_object_get(root, "status")),
                            verdict_status_names[i]);
        assert_true(verdict_from_json(root, "v1", &arena, &again, &err));
        assert_int_equal((int)again.status, i);
    }
}

static void refuses_another_status(void **state)
{
    (void)state;
    char *text;
    struct err err = {0};
    struct verdict verdict;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    scoped_json *root = document("present/fail.verdict.json", &text);
    free(text);
    json_object_set_new(root, "status", json_string("maybe"));
    assert_false(verdict_from_json(root, "v7", &arena, &verdict, &err));
    assert_string_equal(err.text, "v7: 'status' must be one of pass warn fail inconclusive "
                                  "incomparable, but is \"maybe\"");
}

static void leaves_the_result_alone_when_it_fails(void **state)
{
    (void)state;
    struct err err = {0};
    struct verdict verdict = {.rule_id = "kept"};
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    scoped_json *root = json_object();
    assert_false(verdict_from_json(root, "v7", &arena, &verdict, &err));
    assert_string_equal(verdict.rule_id, "kept");
    assert_string_equal(err.text, "v7: the required member 'schema_version' is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_it_reads_and_copies_to_the_byte),
        cmocka_unit_test(knows_every_status),
        cmocka_unit_test(refuses_another_status),
        cmocka_unit_test(leaves_the_result_alone_when_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
