/* Which steps are warm-up: by evidence, by being apart, and how seldom a step of equals is. */
#include "ingest/hlo/host_words.h"
#include "ingest/step_table/warmup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 1 << 20, STEPS_MOST = 64 };
static const double second_ps = 1e12;

/* Reasons of steps that last so many seconds; `compiled` of them, a bit each, compiled. */
static void find(const double *seconds, size_t count, unsigned compiled, const char **reasons)
{
    scoped_arena arena;
    struct warmup_step steps[STEPS_MOST];
    arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < count; i++) {
        int64_t length = (int64_t)(seconds[i] * second_ps);
        steps[i] = (struct warmup_step){length, i < 32 && compiled >> i & 1 ? length / 2 : 0, -1};
    }
    warmup_find(steps, count, STEPS_MOST, &arena, reasons);
}

/* One letter a step: c compilation, a apart, . steady. */
static void check(const double *seconds, size_t count, unsigned compiled, const char *wanted)
{
    const char *reasons[STEPS_MOST];
    char found[STEPS_MOST + 1] = "";
    find(seconds, count, compiled, reasons);
    for (size_t i = 0; i < count; i++)
        found[i] = reasons[i] == NULL ? '.' : reasons[i][0];
    assert_string_equal(found, wanted);
}

static void compilation_is_evidence_of_however_few_steps(void **state)
{
    (void)state;
    static const double equal[] = {1, 1, 1, 1, 1, 1};
    check(equal, 1, 0, ".");
    check(equal, 1, 1, "c");
    check(equal, 2, 1, "c.");
    check(equal, 2, 3, "cc");
    check(equal, 6, 1, "c.....");
    check(equal, 6, 3, "cc....");
}

/* A program that is compiled again is no warm-up: such steps are what the job does. */
static void a_step_that_compiles_again_stays(void **state)
{
    (void)state;
    static const double equal[] = {1, 1, 1, 1, 1, 1};
    static const double longer[] = {1, 4, 1, 1, 4, 1};
    check(equal, 2, 2, "..");
    check(equal, 6, 2, "......");
    check(equal, 6, 5, "c.....");
    check(longer, 6, 2 + 16, "......");
}

static void a_job_that_compiles_in_most_steps_keeps_them(void **state)
{
    (void)state;
    static const double equal[] = {1, 1, 1, 1, 1, 1};
    check(equal, 3, 7, "...");
    check(equal, 6, 15, "......");
    check(equal, 6, 7, "ccc...");
}

static void a_short_compilation_is_none(void **state)
{
    (void)state;
    scoped_arena arena;
    const char *reason;
    struct warmup_step step = {100000, 999, -1};
    arena_init(&arena, ARENA_BYTES);
    warmup_find(&step, 1, 1, &arena, &reason);
    assert_null(reason);
    step.compile_ps = 1000;
    warmup_find(&step, 1, 1, &arena, &reason);
    assert_string_equal(reason, WARMUP_COMPILATION);
}

static void first_steps_are_left_out_when_they_are_apart(void **state)
{
    (void)state;
    check((const double[]){3, 1, 1.01, .99, 1.005}, 5, 0, "a....");
    check((const double[]){5, 2, 1, 1.01, .99}, 5, 0, "aa...");
    check((const double[]){9, 1, 1.01}, 3, 0, "a..");
    check((const double[]){2, 2, 2, 1, 1.01, .99, 1.02, 1, 1, 1.01}, 10, 0, "aaa.......");
}

static void what_is_slow_later_or_but_a_little_stays(void **state)
{
    (void)state;
    check((const double[]){3, 1}, 2, 0, "..");                              /* who knows which */
    check((const double[]){1.05, 1, 1.01, .99, 1.005}, 5, 0, ".....");      /* below what matters */
    check((const double[]){1, 3, 1.01, .99, 1.005}, 5, 0, ".....");         /* not the first */
    check((const double[]){1.5, 1, 1.01, 1.5, 1.005}, 5, 0, ".....");       /* it comes back */
    check((const double[]){.2, 1, 1.01, .99, 1.005}, 5, 0, ".....");        /* faster */
    check((const double[]){1.3, 1, 1.2, .9, 1.1, 1, .95}, 7, 0, "......."); /* within the noise */
    check((const double[]){2, 2, 2, 2, 1, 1, 1}, 7, 0, ".......");          /* most of them */
}

static void a_device_that_waited_is_named(void **state)
{
    (void)state;
    scoped_arena arena;
    struct warmup_step steps[5];
    const char *reasons[5];
    arena_init(&arena, ARENA_BYTES);
    for (int idle = 0; idle <= 1; idle++) {
        for (int i = 0; i < 5; i++)
            steps[i] = (struct warmup_step){1000 + i, 0, 100};
        steps[0] = (struct warmup_step){3000, 0, idle ? 1200 : 900};
        warmup_find(steps, 5, 5, &arena, reasons);
        assert_string_equal(reasons[0], idle ? WARMUP_HOST_WAIT : WARMUP_APART);
    }
}

static void no_more_than_asked_are_left_out(void **state)
{
    (void)state;
    scoped_arena arena;
    struct warmup_step steps[4] = {{300, 0, -1}, {100, 0, -1}, {101, 50, -1}, {100, 0, -1}};
    const char *reasons[4];
    arena_init(&arena, ARENA_BYTES);
    warmup_find(steps, 4, 0, &arena, reasons);
    assert_null(reasons[0]);
    assert_null(reasons[2]);
    warmup_find(steps, 4, 1, &arena, reasons);
    assert_string_equal(reasons[0], WARMUP_APART);
    assert_null(reasons[2]);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static uint64_t seed;

static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return ((double)(seed >> 11) + .5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double student3(void)
{
    double z = normal(), squares = 0;
    for (int i = 0; i < 3; i++) {
        double part = normal();
        squares += part * part;
    }
    return z / sqrt(squares);
}

enum world { WORLD_AR, WORLD_TAILS, WORLD_MODES };

static void draw(enum world world, double sd, double *seconds, size_t count)
{
    double last = normal();
    for (size_t i = 0; i < count; i++) {
        double noise = world == WORLD_AR      ? sd * last
                       : world == WORLD_TAILS ? sd * student3()
                                              : (uniform() < .5 ? log(1.15) : 0) + sd * normal();
        last = .6 * last + .8 * normal();
        seconds[i] = exp(noise);
    }
}

/* Of 100 captures in which no step is warm-up, how many lose their first; `slow` times as long it
 * is warm-up indeed. */
static double left_out_pct(enum world world, double sd, size_t count, double slow)
{
    enum { CAPTURES = 2000 };
    int left_out = 0;
    seed = 88172645463325252ULL;
    for (int i = 0; i < CAPTURES; i++) {
        double seconds[STEPS_MOST];
        const char *reasons[STEPS_MOST];
        draw(world, sd, seconds, count);
        seconds[0] *= slow;
        find(seconds, count, 0, reasons);
        left_out += reasons[0] != NULL;
    }
    return 100.0 * left_out / CAPTURES;
}

static void steps_of_equals_are_seldom_left_out(void **state)
{
    (void)state;
    static const size_t counts[] = {3, 5, 10, 20, 50};
    static const double noises[] = {.02, .05, .10};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
            assert_true(left_out_pct(WORLD_AR, noises[n], counts[c], 1) <= 1.5);
            assert_true(left_out_pct(WORLD_TAILS, noises[n], counts[c], 1) <= 1.5);
        }
        assert_true(left_out_pct(WORLD_MODES, .01, counts[c], 1) <= 5);
    }
}

static void warm_up_is_found(void **state)
{
    (void)state;
    assert_true(left_out_pct(WORLD_AR, .02, 5, 1.5) >= 97);
    assert_true(left_out_pct(WORLD_AR, .02, 10, 1.3) >= 97);
    assert_true(left_out_pct(WORLD_AR, .05, 20, 2) >= 97);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void hosts_tell_by_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum host_word word;
    } cases[] = {
        {"backend_compile", HOST_WORD_COMPILE},
        {"XlaCompile", HOST_WORD_COMPILE},
        {"PjRtCApiBuffer::AwaitReady", HOST_WORD_WAIT},
        {"$compiler.py:301 backend_compile_and_load", HOST_WORD_COMPILE},
        {"TfrtTpuCompiler::Compile", HOST_WORD_COMPILE},
        {"PJRT_Client_Compile", HOST_WORD_COMPILE},
        {"PjitFunction(train_step)", HOST_WORD_CALL},
        {"EagerExecute: __inference_train_function_2286", HOST_WORD_EAGER_CALL},
        {"EagerExecute: FlushSummaryWriter", HOST_WORD_NONE},
        {"$array.py:401 block_until_ready", HOST_WORD_WAIT},
        {"np.asarray(jax.Array)", HOST_WORD_WAIT},
        {"$api.py:12 compile_the_docs", HOST_WORD_NONE},
        {"Compile", HOST_WORD_NONE},
        {"", HOST_WORD_NONE},
        {"$", HOST_WORD_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(host_word_of(cases[i].name), cases[i].word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compilation_is_evidence_of_however_few_steps),
        cmocka_unit_test(a_step_that_compiles_again_stays),
        cmocka_unit_test(a_job_that_compiles_in_most_steps_keeps_them),
        cmocka_unit_test(a_short_compilation_is_none),
        cmocka_unit_test(first_steps_are_left_out_when_they_are_apart),
        cmocka_unit_test(what_is_slow_later_or_but_a_little_stays),
        cmocka_unit_test(a_device_that_waited_is_named),
        cmocka_unit_test(no_more_than_asked_are_left_out),
        cmocka_unit_test(steps_of_equals_are_seldom_left_out),
        cmocka_unit_test(warm_up_is_found),
        cmocka_unit_test(hosts_tell_by_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
