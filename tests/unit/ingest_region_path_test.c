/* Tests of ingest/hlo/region_path: what becomes of a framework path. Expected parts follow from the
 * rules of profile_summary.v1 §12, by hand.
 */
#include "ingest/hlo/region_path.h"
#include "ops/runtime/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { ARENA_BYTES = 64 << 20, WRAPS = 1000000 };

struct fixture {
    struct arena arena, scratch;
    struct strings strings;
};

static int fixture_make(void **state)
{
    static struct fixture fixture;
    arena_init(&fixture.arena, ARENA_BYTES);
    arena_init(&fixture.scratch, ARENA_BYTES);
    *state = &fixture;
    strings_init(&fixture.strings, &fixture.arena);
    return 0;
}

static int fixture_drop(void **state)
{
    struct fixture *fixture = *state;
    arena_done(&fixture->arena);
    arena_done(&fixture->scratch);
    return 0;
}

/* The parts of a path, each followed by a bar. */
static void parts_of(struct fixture *fixture, const char *tf_op, struct text *out)
{
    struct region_path path;
    const struct path_source source = {"op.1", "op", tf_op};
    region_path_build(&source, &fixture->strings, &fixture->scratch, &path);
    for (uint32_t i = 0; i < path.count; i++)
        text_addf(out, "%s|", strings_text(&fixture->strings, path.parts[i]));
}

static void wrappers_come_off_as_often_as_they_fit(void **state)
{
    static const struct {
        const char *tf_op, *parts;
    } cases[] = {
        {"jit(step)/dense/dot:", "step|dense|dot|"},
        {"jit( vmap(jvp(loss)) )/ add ", "loss|add|"},
        {"jit()/transpose/x", "x|"},
        {"jit(a)b/jit(a", "jit(a)b|jit(a|"},
        {"other(jit(a))", "other(jit(a))|"},
        {"jit(jvp(a\n))", "jit(jvp(a\n))|"}, /* a line break must not stand between … */
        {"jit(jvp(a)\n)", "jit(jvp(a)\n)|"},
        {" \njit(jvp(a))\n", "a|"}, /* … but around */
        {"a\n/jit(b)", "a|b|"},
        {"jit(dynamic_donated_x.y)", "y|"},
        {"xla_call/launch", "op|"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        scoped_text parts;
        text_init(&parts, 1 << 16);
        parts_of(*state, cases[i].tf_op, &parts);
        assert_string_equal(parts.data, cases[i].parts);
    }
}

static void a_path_made_to_be_slow_takes_no_longer(void **state)
{
    scoped_text path, parts;
    text_init(&path, 16 << 20);
    text_init(&parts, 1 << 16);
    for (int i = 0; i < WRAPS; i++)
        text_add(&path, "jit(");
    text_add(&path, "x");
    for (int i = 0; i < WRAPS; i++)
        text_add(&path, ")");
    parts_of(*state, path.data, &parts); /* quadratic work would outlive the test's limit */
    assert_string_equal(parts.data, "x|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wrappers_come_off_as_often_as_they_fit, fixture_make,
                                        fixture_drop),
        cmocka_unit_test_setup_teardown(a_path_made_to_be_slow_takes_no_longer, fixture_make,
                                        fixture_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
