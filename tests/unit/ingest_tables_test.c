/* Tests of the tables that streaming looks things up in: texts, ids, counts. */
#include "ingest/lookup/counter.h"
#include "ingest/lookup/id_map.h"
#include "ingest/lookup/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

enum { MANY = 5000 };

static void gives_equal_texts_one_number(void **state)
{
    (void)state;
    scoped_arena arena;
    struct strings strings;
    arena_init(&arena, 16 << 20);
    strings_init(&strings, &arena);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            char text[32];
            int length = snprintf(text, sizeof text, "op.%d", i);
            uint32_t number = strings_add(&strings, text, (size_t)length);
            assert_int_equal(number, i + 1);
            assert_string_equal(strings_text(&strings, number), text);
        }
    }
    assert_int_equal(strings_add(&strings, "op.7 and more", 4), 8);
    assert_null(strings_text(&strings, STRING_NONE));
    assert_int_not_equal(strings_add(&strings, "", 0), STRING_NONE);
}

static void gives_numbers_beyond_the_budget_too(void **state)
{
    (void)state;
    scoped_arena arena;
    struct strings strings;
    arena_init(&arena, 64 << 10);
    strings_init(&strings, &arena);
    char text[1024];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 200; i++) {
        text[0] = (char)('a' + i % 26);
        text[1] = (char)('a' + i / 26);
        uint32_t number = strings_add(&strings, text, sizeof text);
        assert_int_equal(number, i + 1);
        assert_string_equal(strings_text(&strings, number), text);
    }
    assert_true(arena.over);
}

/* Ids of every size, negative ones among them. */
static int64_t id_number(int i)
{
    static const int64_t steps[] = {1, 70000, INT64_C(1800000000000000), -3};
    return (int64_t)i * steps[i % 4];
}

static void finds_ids_of_every_size(void **state)
{
    (void)state;
    scoped_arena arena;
    struct id_map map;
    arena_init(&arena, 16 << 20);
    id_map_init(&map, &arena);
    assert_int_equal(id_map_find(&map, 0), ID_MAP_ABSENT);
    assert_int_equal(id_map_find(&map, INT64_MIN), ID_MAP_ABSENT);
    for (int i = 1; i < MANY; i++)
        id_map_set(&map, id_number(i), i);
    for (int i = 1; i < MANY; i++)
        assert_int_equal(id_map_find(&map, id_number(i)), i);
    assert_int_equal(id_map_find(&map, 2), ID_MAP_ABSENT);
    assert_int_equal(id_map_find(&map, INT64_MAX), ID_MAP_ABSENT);
}

static void the_last_index_of_an_id_counts(void **state)
{
    (void)state;
    scoped_arena arena;
    struct id_map map;
    arena_init(&arena, 1 << 20);
    id_map_init(&map, &arena);
    static const int64_t ids[] = {5, -5, INT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        id_map_set(&map, ids[i], 1);
        id_map_set(&map, ids[i], 2);
        assert_int_equal(id_map_find(&map, ids[i]), 2);
    }
}

static void counts_break_ties_by_first_appearance(void **state)
{
    (void)state;
    scoped_arena arena;
    struct counter counter;
    arena_init(&arena, 1 << 20);
    counter_init(&counter, &arena);
    assert_int_equal(counter_top(&counter, -7), -7);
    counter_add(&counter, 30, 2, 9);
    counter_add(&counter, 10, 1, 4);
    counter_add(&counter, 20, 1, 3);
    counter_add(&counter, 10, 1, 1); /* 10 was first seen at 1 */
    assert_int_equal(counter_top(&counter, 0), 10);
    counter_sort(&counter);
    assert_int_equal(counter.items[0].key, 10);
    assert_int_equal(counter.items[1].key, 30);
    assert_int_equal(counter.items[2].key, 20);
}

static void counts_stop_at_the_largest_number(void **state)
{
    (void)state;
    scoped_arena arena;
    struct counter counter;
    arena_init(&arena, 1 << 20);
    counter_init(&counter, &arena);
    counter_add(&counter, 1, INT64_MAX, 0);
    counter_add(&counter, 1, INT64_MAX, 0);
    assert_int_equal(counter.items[0].count, INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_equal_texts_one_number),
        cmocka_unit_test(gives_numbers_beyond_the_budget_too),
        cmocka_unit_test(finds_ids_of_every_size),
        cmocka_unit_test(the_last_index_of_an_id_counts),
        cmocka_unit_test(counts_break_ties_by_first_appearance),
        cmocka_unit_test(counts_stop_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
