/* The order of turns: balanced, drawn, and the same for the same seed. */
#include "ops/cli/judging/interleave.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS_MAX = 9, SEEDS = 200 };

static size_t candidates_first(const enum interleave_side *first, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += first[i] == SIDE_CANDIDATE;
    return found;
}

static void lets_each_side_go_first_as_often(void **state)
{
    (void)state;
    enum interleave_side first[ROUNDS_MAX];
    for (size_t count = 1; count <= ROUNDS_MAX; count++) {
        size_t more = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            interleave_order(seed, count, first);
            size_t found = candidates_first(first, count);
            assert_in_range(found, count / 2, (count + 1) / 2);
            more += found > count / 2;
        }
        if (count % 2 == 1) /* which side has one more is drawn too */
            assert_in_range(more, SEEDS / 4, SEEDS * 3 / 4);
    }
}

/* In every place of the order, both sides are met about as often. */
static void draws_each_place(void **state)
{
    (void)state;
    enum interleave_side first[ROUNDS_MAX];
    size_t found[ROUNDS_MAX] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        interleave_order(seed, ROUNDS_MAX, first);
        for (size_t i = 0; i < ROUNDS_MAX; i++)
            found[i] += first[i] == SIDE_CANDIDATE;
    }
    for (size_t i = 0; i < ROUNDS_MAX; i++)
        assert_in_range(found[i], SEEDS / 4, SEEDS * 3 / 4);
}

static void repeats_the_order_of_a_seed(void **state)
{
    (void)state;
    enum interleave_side left[ROUNDS_MAX], right[ROUNDS_MAX];
    interleave_order(11, ROUNDS_MAX, left);
    interleave_order(11, ROUNDS_MAX, right);
    assert_memory_equal(left, right, sizeof left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_each_side_go_first_as_often),
        cmocka_unit_test(draws_each_place),
        cmocka_unit_test(repeats_the_order_of_a_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
