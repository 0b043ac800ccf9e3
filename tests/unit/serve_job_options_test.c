/* The options of a job: what was submitted is what the worker reads; what it does not understand it
 * refuses. */
#include "ops/flow/submit/job_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { BUDGET_BYTES = 1 << 20 };

static int set_up(void **state)
{
    static struct arena arena;
    arena_init(&arena, BUDGET_BYTES);
    *state = &arena;
    return 0;
}

static int tear_down(void **state)
{
    arena_done(*state);
    return 0;
}

static void reads_what_was_written(void **state)
{
    struct arena *arena = *state;
    struct err err = {0};
    const struct fact meta[] = {{"batch", "512", "option"}, {"café", "\"quoted\"", "option"}};
    const struct fact collected[] = {{"xla_flags", "--a --b", "XLA_FLAGS of h1 (env.json)"}};
    struct ingest_options in, out;
    ingest_options_init(&in);
    in.mode = BREAKDOWN_GLOBAL;
    ingest_options_fix_warmup(&in, 9);
    in.strict_input = true;
    in.meta = meta;
    in.meta_count = 2;
    in.collected = collected;
    in.collected_count = 1;
    const char *text = job_options_text(&in, arena, &err);
    assert_non_null(text);
    assert_null(strchr(text, '\n'));
    assert_true(job_options_read(text, arena, &out, &err));
    assert_int_equal(out.mode, BREAKDOWN_GLOBAL);
    assert_int_equal(out.warmup_steps, 9);
    assert_true(out.warmup_fixed);
    assert_true(out.strict_input);
    assert_int_equal(out.meta_count, 2);
    assert_int_equal(out.collected_count, 1);
    assert_string_equal(out.collected[0].name, "xla_flags");
    assert_string_equal(out.collected[0].value, "--a --b");
    assert_string_equal(out.collected[0].source, "XLA_FLAGS of h1 (env.json)");
    for (size_t i = 0; i < 2; i++) {
        const struct fact *wanted = strcmp(out.meta[i].name, "batch") == 0 ? &meta[0] : &meta[1];
        assert_string_equal(out.meta[i].name, wanted->name);
        assert_string_equal(out.meta[i].value, wanted->value);
        assert_string_equal(out.meta[i].source, "option");
    }
}

static void takes_the_defaults_for_what_is_absent(void **state)
{
    struct err err = {0};
    struct ingest_options standard, out;
    ingest_options_init(&standard);
    assert_true(job_options_read("{}", *state, &out, &err));
    assert_int_equal(out.mode, standard.mode);
    assert_int_equal(out.warmup_steps, standard.warmup_steps);
    assert_false(out.warmup_fixed);
    assert_false(out.strict_input);
    assert_int_equal(out.meta_count, 0);
}

static void refuses_what_it_does_not_understand(void **state)
{
    static const struct {
        const char *text, *named;
    } cases[] = {
        {"[]", "JSON object"},
        {"{", "options of a job"},
        {"{\"sampling\": 2}", "sampling"},
        {"{\"breakdown_mode\": \"none\"}", "breakdown_mode"},
        {"{\"breakdown_mode\": 1}", "breakdown_mode"},
        {"{\"warmup_steps\": \"5\"}", "warmup_steps"},
        {"{\"strict_input\": 1}", "strict_input"},
        {"{\"meta\": [1]}", "meta"},
        {"{\"meta\": {\"a\": 1}}", "meta"},
        {"{\"collected\": {}}", "collected"},
        {"{\"collected\": [{\"name\": \"a\", \"value\": \"b\"}]}", "collected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        struct ingest_options out;
        if (job_options_read(cases[i].text, *state, &out, &err))
            fail_msg("%s is taken", cases[i].text);
        assert_int_equal(err.kind, ERR_INPUT);
        if (strstr(err.text, cases[i].named) == NULL)
            fail_msg("\"%s\" does not name \"%s\"", err.text, cases[i].named);
    }
}

static void are_read_whole_or_refused_by_the_budget(void **state)
{
    (void)state;
    enum { FACTS = 1000, TEXT_BYTES = 64 << 10, SPARE_BYTES = 256 << 10 };
    scoped_text text;
    bool done = false;
    int refused = 0;
    text_init(&text, TEXT_BYTES);
    for (int i = 0; i < FACTS; i++)
        text_addf(&text, "%s\"fact_%d\": \"value\"", i == 0 ? "{\"meta\": {" : ", ", i);
    text_add(&text, "}}");
    for (size_t budget = 64; !done; budget *= 4) {
        struct arena arena;
        struct err err = {0};
        struct ingest_options out = {0};
        arena_init(&arena, budget);
        done = job_options_read(text_string(&text), &arena, &out, &err);
        assert_int_equal(err.kind, done ? ERR_NONE : ERR_LIMIT);
        assert_int_equal(out.meta_count, done ? FACTS : 0);
        assert_true(arena.peak_bytes <= budget + SPARE_BYTES);
        refused += !done;
        arena_done(&arena);
    }
    assert_true(refused > 1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(reads_what_was_written),
        CASE(takes_the_defaults_for_what_is_absent),
        CASE(refuses_what_it_does_not_understand),
        CASE(are_read_whole_or_refused_by_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
