/* Programs that are asked: how much they may say, and how long they may take. */
#include "ops/flow/collect/program.h"
#include "ops/runtime/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 4 << 20, PATIENCE_MS = 60000 };

static bool run(const char *script, size_t bytes, int64_t ms, struct arena *arena,
                struct program_output *ret_output, struct err *err)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct program_limits limits = {.bytes = bytes, .ms = ms};
    return program_run(argv, &limits, arena, ret_output, err);
}

static void tells_what_a_program_said_and_how_it_ended(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct err err = {0};
    struct program_output output;
    assert_true(run("echo one; exit 3", 4, PATIENCE_MS, &arena, &output, &err));
    assert_string_equal(output.text, "one\n");
    assert_int_equal(output.length, 4);
    assert_int_equal(output.exit_code, 3);
    assert_true(run("kill -15 $$", 4, PATIENCE_MS, &arena, &output, &err));
    assert_int_equal(output.exit_code, 128 + 15);
    assert_false(run("echo more", 4, PATIENCE_MS, &arena, &output, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "says more than 4 bytes"));
}

/* Neither who goes on saying nothing, nor who has closed its end, nor who holds it for another. */
static void waits_for_no_program_for_ever(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    static const char *const scripts[] = {"sleep 600", "exec >&-; sleep 600", "sleep 600 & exit 0",
                                          "while :; do echo; sleep .01; done"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        struct err err = {0};
        struct program_output output;
        int64_t begun_ms = clock_monotonic_ms();
        assert_false(run(scripts[i], MEMORY_BYTES / 8, 300, &arena, &output, &err));
        assert_int_equal(err.kind, ERR_UNAVAILABLE);
        assert_string_equal(err.text, "sh did not end within 300 ms");
        assert_true(clock_monotonic_ms() - begun_ms < PATIENCE_MS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_a_program_said_and_how_it_ended),
        cmocka_unit_test(waits_for_no_program_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
