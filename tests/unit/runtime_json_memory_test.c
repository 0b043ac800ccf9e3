/* Tests of the memory of ops/runtime/json: trees count against a budget, reading beyond it is
 * refused. */
#include "ops/runtime/conf.h"
#include "ops/runtime/json.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BUDGET_BYTES = 8 << 20, MANY = 100000, LOTS = 1000000, OVERDRAFT_BYTES = 64 << 10 };

static struct arena owner;

/* "[0,0,…]" */
static char *zeros(size_t count)
{
    char *text = malloc(2 * count + 2);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + 2 * i, i == 0 ? "[0" : ",0", 2);
    memcpy(text + 2 * count, "]", 2);
    return text;
}

static void a_tree_counts_while_it_lives(void **state)
{
    (void)state;
    char *text = zeros(MANY);
    scoped_json *root = json_parse(text, strlen(text), "small", NULL);
    assert_int_equal(json_array_size(root), MANY);
    assert_in_range(owner.used_bytes, (size_t)24 * MANY, BUDGET_BYTES);
    json_decref(root);
    root = NULL;
    assert_int_equal(owner.used_bytes, 0);
    free(text);
}

static void a_text_whose_tree_is_too_large_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    char *text = zeros(LOTS);
    assert_true(strlen(text) < BUDGET_BYTES);
    assert_null(json_parse(text, strlen(text), "hostile.json", &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_string_equal(err.text, "no memory for hostile.json: the limit max_memory_mb = 8 is used "
                                  "up; raise it with --max-memory-mb or in the configuration");
    assert_in_range(owner.peak_bytes, BUDGET_BYTES / 4, BUDGET_BYTES + OVERDRAFT_BYTES);
    assert_int_equal(owner.used_bytes, 0);
    assert_null(json_parse("[1,", 3, "torn.json", &err));
    assert_int_equal(err.kind, ERR_INPUT);
    free(text);
}

/* Refused in the middle, jansson wrote behind the end of its buffer. */
static void a_string_is_refused_whole_wherever_the_budget_ends(void **state)
{
    (void)state;
    enum { STRING_BYTES = 1 << 20, STEP_BYTES = 99991 };
    char *text = malloc(STRING_BYTES);
    assert_non_null(text);
    memset(text, 'x', STRING_BYTES);
    text[0] = text[STRING_BYTES - 1] = '"';
    for (size_t room = 100; room < 4 * STRING_BYTES; room += STEP_BYTES) {
        struct err err = {0};
        scoped_arena other;
        arena_init_within(&other, &owner);
        assert_true(arena_reserve(&other, BUDGET_BYTES - room));
        scoped_json *root = json_parse(text, STRING_BYTES, "long.json", &err);
        assert_int_equal(root == NULL, err.kind == ERR_LIMIT);
        assert_int_equal(json_string_length(root), root == NULL ? 0 : STRING_BYTES - 2);
        json_decref(root);
        root = NULL;
        arena_release(&other, BUDGET_BYTES - room);
        assert_int_equal(owner.used_bytes, 0);
    }
    free(text);
}

static void what_arenas_hold_leaves_less_for_trees(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_arena other;
    char *text = zeros(MANY);
    arena_init_within(&other, &owner);
    assert_non_null(arena_alloc(&other, BUDGET_BYTES - (1 << 20)));
    assert_null(json_parse(text, strlen(text), "small", &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    arena_done(&other);
    scoped_json *root = json_parse(text, strlen(text), "small", &err);
    assert_non_null(root);
    free(text);
}

/* A worker's arena, one of its part of the work beside it, and the trees that both read. */
static void arenas_of_workers_share_the_budget(void **state)
{
    (void)state;
    struct conf conf;
    struct err err = {0};
    scoped_arena outer, inner;
    conf.values[CONF_max_memory_mb] = (struct conf_value){.text = "8"};
    conf_memory_arena(&conf, &outer);
    conf_memory_arena(&conf, &inner);
    assert_non_null(arena_alloc(&outer, BUDGET_BYTES / 2));
    assert_true(arena_ok(&outer, "a message", &err));
    assert_non_null(arena_alloc(&inner, BUDGET_BYTES / 2));
    assert_false(arena_ok(&inner, "a message", &err));
    assert_non_null(strstr(err.text, "max_memory_mb = 8 is used up"));
    arena_done(&inner);
    arena_done(&outer);
}

static void what_is_built_is_counted_and_given(void **state)
{
    (void)state;
    scoped_json *list = json_array();
    while (owner.used_bytes <= BUDGET_BYTES)
        assert_int_equal(json_array_append_new(list, json_integer(1)), 0);
    struct err err = {0};
    assert_null(json_parse("{}", 2, "small", &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    json_decref(list);
    list = NULL;
    assert_int_equal(owner.used_bytes, 0);
}

static void *parse_much(void *unused)
{
    struct err err = {0};
    char *text = zeros(LOTS);
    assert_null(json_parse(text, strlen(text), "much", &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    free(text);
    return unused;
}

static void threads_share_the_budget(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, parse_much, NULL), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_in_range(owner.peak_bytes, 1, BUDGET_BYTES + (1 << 20)); /* by what was built above */
    assert_int_equal(owner.used_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_counts_while_it_lives),
        cmocka_unit_test(a_text_whose_tree_is_too_large_is_refused),
        cmocka_unit_test(a_string_is_refused_whole_wherever_the_budget_ends),
        cmocka_unit_test(what_arenas_hold_leaves_less_for_trees),
        cmocka_unit_test(arenas_of_workers_share_the_budget),
        cmocka_unit_test(what_is_built_is_counted_and_given),
        cmocka_unit_test(threads_share_the_budget),
    };
    arena_init(&owner, BUDGET_BYTES);
    json_memory_within(&owner);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
