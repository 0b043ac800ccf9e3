/* Tests of ops/runtime/arena: budget, marks, growth, the end of memory. */
#include "ops/runtime/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void gives_beyond_its_budget_and_says_so(void **state)
{
    (void)state;
    scoped_arena arena;
    struct err err = {0};
    size_t got = 0;
    arena_init(&arena, 64 << 10);
    for (; arena_ok(&arena, "a test", &err); got += 1000)
        memset(arena_alloc(&arena, 1000), 1, 1000);
    assert_in_range(got, 60000, 66000);
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_in_range(arena.used_bytes, 64 << 10, 66000);
    memset(arena_alloc(&arena, 100000), 1, 100000);
    assert_in_range(arena.used_bytes, 160000, 168000);
    arena_forgive(&arena);
    assert_true(arena_ok(&arena, "a test", &err));
}

static void arenas_within_another_share_its_budget(void **state)
{
    (void)state;
    scoped_arena outer, first, second;
    arena_init(&outer, 64 << 10);
    arena_init_within(&first, &outer);
    arena_init_within(&second, &first);
    size_t got = 0;
    while (arena_ok(&outer, "a test", NULL)) {
        (void)arena_alloc(&first, 1000);
        (void)arena_alloc(&second, 1000);
        (void)arena_alloc(&outer, 1000);
        got += 3000;
    }
    assert_in_range(got, 32 << 10, 68 << 10);
    assert_true(first.used_bytes < outer.used_bytes && second.used_bytes < first.used_bytes);
    arena_done(&second);
    assert_true(arena_reserve(&outer, 5000));
    arena_release(&outer, 5000);
    arena_done(&first);
    arena_done(&outer);
    assert_int_equal(outer.used_bytes, 0);
    assert_in_range(outer.peak_bytes, got, 70 << 10);
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
    assert_false(arena_ok(&inner, "a test", NULL));
}

static void sizes_that_input_claims_are_refused(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    assert_true(arena_fits(&arena, 1000, 1000));
    assert_true(arena_ok(&arena, "a test", NULL));
    assert_false(arena_fits(&arena, 1000, 2000));
    assert_false(arena_ok(&arena, "a test", NULL));
    assert_false(arena_fits(&arena, SIZE_MAX / 2, 3));
    assert_int_equal(arena.used_bytes, 0);
}

/* In a child: its exit code, and what it said on stderr. */
static int ended(void (*run)(void), char *ret_said, size_t room)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        run();
        _exit(0);
    }
    (void)close(ends[1]);
    ssize_t length = read(ends[0], ret_said, room - 1);
    ret_said[length > 0 ? length : 0] = '\0';
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void take_without_asking(void)
{
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    for (;;)
        (void)arena_alloc(&arena, 1 << 20);
}

static void who_never_asks_ends_with_words(void **state)
{
    (void)state;
    char said[2000];
    assert_int_equal(ended(take_without_asking, said, sizeof said), 65);
    assert_string_equal(said, "stepledger: no memory for what is being read: the limit "
                              "max_memory_mb = 1 is used up; raise it with --max-memory-mb or in "
                              "the configuration\n");
    assert_int_equal(ended(memory_end, said, sizeof said), 75);
    assert_string_equal(said, "stepledger: no memory: the machine has none left; end other "
                              "programs, or try again later\n");
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

static void what_is_zeroed_is_zero_where_other_things_lay(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    (void)arena_alloc(&arena, 1);
    const struct arena_mark mark = arena_mark(&arena);
    for (size_t size = 1; size < 900; size += 7) {
        static const char zeros[900];
        memset(arena_alloc(&arena, size), 1, size);
        arena_rewind(&arena, mark);
        (void)arena_alloc(&arena, size / 3); /* it begins within what lay there */
        char *zeroed = arena_zalloc(&arena, 1, size);
        assert_memory_equal(zeroed, zeros, size);
        memset(zeroed, 1, size);
        arena_rewind(&arena, mark);
    }
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

/* What comes host by host is expected host by host. */
static void what_is_expected_again_and_again_takes_no_more_than_growth(void **state)
{
    (void)state;
    enum { HOSTS = 200, OF_HOST = 100 };
    scoped_arena arena;
    size_t capacity = 0;
    int64_t *items = NULL;
    arena_init(&arena, 1 << 20);
    for (size_t host = 0; host < HOSTS; host++) {
        const size_t count = host * OF_HOST;
        items = arena_expect(&arena, items, &capacity, count + OF_HOST, sizeof *items);
        for (size_t i = 0; i < OF_HOST; i++)
            items[count + i] = (int64_t)(count + i);
        if (host == 0)
            assert_int_equal(capacity, OF_HOST);
    }
    for (size_t i = 0; i < (size_t)HOSTS * OF_HOST; i++)
        assert_int_equal(items[i], i);
    assert_in_range(arena.peak_bytes, 1, 4 * HOSTS * OF_HOST * sizeof *items);
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
        cmocka_unit_test(gives_beyond_its_budget_and_says_so),
        cmocka_unit_test(arenas_within_another_share_its_budget),
        cmocka_unit_test(what_is_reserved_elsewhere_counts),
        cmocka_unit_test(sizes_that_input_claims_are_refused),
        cmocka_unit_test(who_never_asks_ends_with_words),
        cmocka_unit_test(takes_back_what_came_after_a_mark),
        cmocka_unit_test(what_is_zeroed_is_zero_where_other_things_lay),
        cmocka_unit_test(keeps_items_while_an_array_grows),
        cmocka_unit_test(what_is_expected_again_and_again_takes_no_more_than_growth),
        cmocka_unit_test(aligns_for_any_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
