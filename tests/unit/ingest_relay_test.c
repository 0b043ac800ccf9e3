/* Tests of handing over parts of work between two threads: all come, in order and once, however
 * slow either is; who settles is alone; a failure comes in its place; who ends early ends both.
 */
#include "ingest/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sched.h>
#include <stdlib.h>

enum { ALL = 20000, LARGE = 1000 };

struct part {
    int number;
    char rest[LARGE];
};

struct making {
    struct relay *relay;
    int made, last, fails_at, settles_each, yields_each;
    int *shared; /* that both look at; changed and moved by who settles */
    int shared_count;
};

static void shared_replace(struct making *making)
{
    int *grown = test_malloc((size_t)(making->shared_count + 1) * sizeof *grown);
    for (int i = 0; i <= making->shared_count; i++)
        grown[i] = making->made;
    test_free(making->shared);
    making->shared = grown;
    making->shared_count++;
}

static bool part_make(struct relay *relay, void *context, void *place, bool *ret_more,
                      struct err *err)
{
    struct making *making = context;
    struct part *part = place;
    if (making->settles_each > 0 && making->made % making->settles_each == 0 && making->made > 0) {
        relay_settle(relay);
        shared_replace(making);
    }
    if (making->yields_each > 0 && making->made % making->yields_each == 0)
        (void)sched_yield();
    if (making->made == making->fails_at)
        return err_set(err, ERR_INPUT, "part %d", making->made);
    part->number = making->made++;
    *ret_more = making->made < making->last;
    return true;
}

static void begin(struct making *making)
{
    making->shared = test_malloc(sizeof *making->shared);
    *making->shared = 0;
    making->relay = relay_begin(sizeof(struct part), part_make, making);
    assert_non_null(making->relay);
}

static void end(struct making *making)
{
    relay_end(making->relay);
    test_free(making->shared);
}

static void all_parts_come_in_order(void **state)
{
    (void)state;
    for (int taker_yields = 0; taker_yields < 2; taker_yields++) {
        struct making making = {.last = ALL, .fails_at = -1, .yields_each = 7 * !taker_yields};
        begin(&making);
        for (int i = 0; i < ALL; i++) {
            struct err err;
            const struct part *part = relay_take(making.relay, &err);
            assert_int_equal(part->number, i);
            if (taker_yields && i % 5 == 0)
                (void)sched_yield();
        }
        end(&making);
    }
}

static void one_part_comes_alone(void **state)
{
    (void)state;
    struct making making = {.last = 1, .fails_at = -1};
    struct err err;
    begin(&making);
    const struct part *part = relay_take(making.relay, &err);
    assert_int_equal(part->number, 0);
    end(&making);
}

/* The taker reads what the maker frees: a settle that returns early is a use after free, or a torn
 * value. */
static void who_settles_is_alone(void **state)
{
    (void)state;
    struct making making = {.last = ALL, .fails_at = -1, .settles_each = 37};
    begin(&making);
    for (int i = 0; i < ALL; i++) {
        struct err err;
        const struct part *part = relay_take(making.relay, &err);
        assert_int_equal(part->number, i);
        const int first = making.shared[0];
        (void)sched_yield();
        assert_int_equal(making.shared[0], first);
        assert_true(first <= i && i - first <= 37);
    }
    assert_int_equal(making.shared_count, (ALL - 1) / 37);
    end(&making);
}

static void a_failure_comes_in_its_place(void **state)
{
    (void)state;
    static const int places[] = {0, 1, 95, 96, 97, 5000};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        struct making making = {.last = ALL, .fails_at = places[p]};
        struct err err = {0};
        begin(&making);
        for (int i = 0; i < places[p]; i++)
            assert_non_null(relay_take(making.relay, &err));
        assert_null(relay_take(making.relay, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        end(&making);
    }
}

static void who_ends_early_ends_both(void **state)
{
    (void)state;
    for (int taken = 0; taken < 300; taken++) {
        struct making making = {.last = ALL, .fails_at = -1, .settles_each = taken % 3};
        struct err err;
        begin(&making);
        for (int i = 0; i < taken; i++)
            assert_non_null(relay_take(making.relay, &err));
        end(&making);
    }
    relay_end(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_parts_come_in_order),  cmocka_unit_test(one_part_comes_alone),
        cmocka_unit_test(who_settles_is_alone),     cmocka_unit_test(a_failure_comes_in_its_place),
        cmocka_unit_test(who_ends_early_ends_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
