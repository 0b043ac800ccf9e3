/* Tests of ingest/wire/worker_pool: every job is done once, and the first failure by number is
 * reported. */
#include "ingest/wire/worker_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>

enum { JOBS = 1000 };

struct work {
    atomic_int done[JOBS];
    size_t failing[2];
};

static bool job(void *context, size_t index, struct err *err)
{
    struct work *work = context;
    atomic_fetch_add(&work->done[index], 1);
    for (size_t i = 0; i < 2; i++) {
        if (index == work->failing[i])
            return err_set(err, ERR_INPUT, "job %zu", index);
    }
    return true;
}

static void every_job_is_done_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 8; threads++) {
        struct work work = {.failing = {JOBS, JOBS}};
        struct err err;
        assert_true(worker_pool_run(threads, JOBS, job, &work, &err));
        for (size_t i = 0; i < JOBS; i++)
            assert_int_equal(work.done[i], 1);
    }
}

static void no_jobs_are_no_failure(void **state)
{
    (void)state;
    struct err err;
    assert_true(worker_pool_run(4, 0, job, NULL, &err));
}

static void one_failure_ends_the_work(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        struct work work = {.failing = {3, JOBS}};
        struct err err = {0};
        int done = 0;
        assert_false(worker_pool_run(threads, JOBS, job, &work, &err));
        assert_string_equal(err.text, "job 3");
        for (size_t i = 0; i < JOBS; i++)
            done += work.done[i];
        assert_true(threads > 1 || done == 4);
    }
}

static void of_two_failures_the_smaller_number_counts(void **state)
{
    (void)state;
    struct work work = {.failing = {0, 1}};
    struct err err = {0};
    for (int round = 0; round < 100; round++) {
        assert_false(worker_pool_run(2, 2, job, &work, &err));
        assert_string_equal(err.text, "job 0");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_is_done_once),
        cmocka_unit_test(no_jobs_are_no_failure),
        cmocka_unit_test(one_failure_ends_the_work),
        cmocka_unit_test(of_two_failures_the_smaller_number_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
