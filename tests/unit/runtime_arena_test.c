/* Tests of ops/runtime/arena: budget, marks, growth. */
#include "ops/runtime/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void refuses_to_pass_its_budget(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 64 << 10);
    size_t got = 0;
    while (arena_alloc(&arena, 1000) != NULL)
        got += 1000;
    assert_in_range(got, 32 << 10, 64 << 10);
    assert_true(arena.used_bytes <= 64 << 10);
    struct err err = {0};
    assert_false(arena_failed(&arena, "a test", &err));
    assert_int_equal(err.kind, ERR_LIMIT);
}

static void arenas_within_another_share_its_budget(void **state)
{
    (void)state;
    scoped_arena outer, first, second;
    arena_init(&outer, 64 << 10);
    arena_init_within(&first, &outer);
    arena_init_within(&second, &first);
    size_t got = 0;
    while (arena_alloc(&first, 1000) != NULL && arena_alloc(&second, 1000) != NULL &&
           arena_alloc(&outer, 1000) != NULL)
        got += 3000;
    assert_in_range(got, 32 << 10, 64 << 10);
    assert_true(outer.used_bytes <= 64 << 10);
    assert_true(first.used_bytes < outer.used_bytes && second.used_bytes < first.used_bytes);
    arena_done(&second);
    assert_true(arena_reserve(&outer, 5000));
    arena_release(&outer, 5000);
    arena_done(&first);
    arena_done(&outer);
    assert_int_equal(outer.used_bytes, 0);
    assert_in_range(outer.peak_bytes, got, 64 << 10);
}

static void what_is_reserved_elsewhere_counts(void **state)
{
    (void)state;
    scoped_arena outer, inner;
    arena_init(&outer, 10000);
    arena_init_within(&inner, &outer);
    assert_true(arena_reserve(&inner, 6000));
    assert_false(arena_reserve(&outer, 6000));
    assert_false(arena_reserve(&inner, 6000));
    assert_int_equal(inner.used_bytes, 6000);
    assert_null(arena_alloc(&outer, 5000));
    arena_release(&inner, 6000);
    assert_non_null(arena_alloc(&outer, 5000));
}

static void refuses_sizes_that_overflow(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    assert_null(arena_zalloc(&arena, SIZE_MAX / 2, 3));
    assert_null(arena_alloc(&arena, SIZE_MAX - 3));
    assert_null(arena_strndup(&arena, "x", SIZE_MAX));
}

static void takes_back_what_came_after_a_mark(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    char *kept = arena_strdup(&arena, "kept");
    struct arena_mark mark = arena_mark(&arena);
    size_t before = arena.used_bytes;
    assert_non_null(arena_alloc(&arena, 100000));
    arena_rewind(&arena, mark);
    assert_int_equal(arena.used_bytes, before);
    assert_string_equal(kept, "kept");
    void *first = arena_alloc(&arena, 16);
    arena_rewind(&arena, mark);
    assert_ptr_equal(arena_alloc(&arena, 16), first);
}

static void keeps_items_while_an_array_grows(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    int *items = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        items = arena_grow(&arena, items, (size_t)i, &capacity, sizeof *items);
        assert_non_null(items);
        items[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
}

static void aligns_for_any_type(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    for (size_t size = 0; size < 40; size++)
        assert_int_equal((uintptr_t)arena_alloc(&arena, size) % _Alignof(max_align_t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_to_pass_its_budget),
        cmocka_unit_test(arenas_within_another_share_its_budget),
        cmocka_unit_test(what_is_reserved_elsewhere_counts),
        cmocka_unit_test(refuses_sizes_that_overflow),
        cmocka_unit_test(takes_back_what_came_after_a_mark),
        cmocka_unit_test(keeps_items_while_an_array_grows),
        cmocka_unit_test(aligns_for_any_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
