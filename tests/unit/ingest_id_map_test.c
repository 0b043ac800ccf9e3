/* Tests of ids in whatever order, dense or far apart: each is found, and none costs much more than
 * itself. */
#include "ingest/lookup/id_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ARENA_BYTES = 64 << 20, IDS = 20000 };

/* Sets `count` ids, spaced by `stride`, in an order that jumps about; then looks for all, and for
 * those between. Returns the memory that it took. */
static size_t map_fill(int64_t count, int64_t first, int64_t stride)
{
    enum { JUMP = 7919 }; /* a prime that divides no count here */
    struct id_map map;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    id_map_init(&map, &arena);
    for (int round = 1; round <= 2; round++) {
        for (int64_t i = 0; i < count; i++) {
            int64_t at = i * JUMP % count;
            id_map_set(&map, first + at * stride, (int32_t)at * round);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(id_map_find(&map, first + i * stride), 2 * i);
        if (stride > 1)
            assert_int_equal(id_map_find(&map, first + i * stride + 1), ID_MAP_ABSENT);
    }
    assert_int_equal(id_map_find(&map, first - 1), ID_MAP_ABSENT);
    assert_int_equal(id_map_find(&map, first + count * stride), ID_MAP_ABSENT);
    assert_int_equal(map.count, count);
    return arena.peak_bytes;
}

static void ids_are_found_wherever_they_lie(void **state)
{
    (void)state;
    static const int64_t firsts[] = {0, 1, 63, 64, DENSE_IDS - 100, -50, INT64_C(1) << 60};
    static const int64_t strides[] = {1, 2, 15, 17, 1000, INT64_C(1) << 33};
    for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++) {
        for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
            (void)map_fill(1, firsts[f], strides[s]);
            (void)map_fill(40, firsts[f], strides[s]);
            (void)map_fill(IDS, firsts[f], strides[s]);
        }
    }
}

static void a_single_large_id_makes_no_large_table(void **state)
{
    (void)state;
    assert_in_range(map_fill(1, DENSE_IDS - 1, 1), 1, 2048);
    assert_in_range(map_fill(100, 60000, 1), 1, 32 << 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_found_wherever_they_lie),
        cmocka_unit_test(a_single_large_id_makes_no_large_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
