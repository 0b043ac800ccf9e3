/* Tests of schema/documents/op_semantics: canonical names, families, flop proxies. */
#include "schema/documents/op_path.h"
#include "schema/documents/op_semantics.h"
#include "tests/support/assert_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void drops_percent_signs_and_one_number(void **state)
{
    (void)state;
    static const struct {
        const char *name, *canonical;
    } cases[] = {
        {"fusion.12", "fusion"},
        {"%%copy.3.4", "copy.3"},
        {"  \u2009%all-reduce.1 \n", "all-reduce"},
        {"% copy", " copy"},
        {"copy.", "copy."},
        {"copy.1a", "copy.1a"},
        {"x.\u0663\u0664", "x"},
        {".7", ""},
        {"", ""},
    };
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(op_canonical_name(&arena, cases[i].name), cases[i].canonical);
}

static void finds_the_first_family_that_matches(void **state)
{
    (void)state;
    static const struct {
        const char *name, *family;
    } cases[] = {
        {"splash_mha_fwd", "attention_splash"},
        {"my_FLASH_attention_xent", "attention_flash"},
        {"linear_softmax_cross_entropy_loss", "loss_xent"},
        {"fusion", "other"},
        {"fusion.3", "fusion"},
        {"x-fusion.3", "fusion"},
        {"loop_fusion.3", "other"},
        {"exponential_reduce_fusion", "fusion"},
        {"copy", "copy"},
        {"copy-start", "copy"},
        {"copy_bitcast", "other"},
        {"copy\n", "copy"},
        {"copy\n\n", "other"},
        {"memcopy", "other"},
        {"\u00e9copy", "other"},
        {"\u20accopy", "copy"},
        {"convert_element_type", "convert"},
        {"ncclDevKernel", "collective"},
        {"aLL-Reduce-start", "collective"},
        {"add", "other"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(op_family(cases[i].name), cases[i].family);
}

static void folds_letters_as_unicode_expressions_do(void **state)
{
    (void)state;
    assert_string_equal(op_family("\u017fplash_mha"), "attention_splash");
    assert_string_equal(op_family("fla\u017fh_attent\u0130on"), "attention_flash");
    assert_string_equal(op_family("fu\u017f\u0131on.1"), "fusion");
    assert_string_equal(op_family("\u00f1ccl"), "other");
}

static void guesses_work_from_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *family, *signature;
        double work; /* 0: none */
    } cases[] = {
        {"other", NULL, 0},
        {"other", "", 0},
        {"other", "a,b", 0},
        {"other", "8,16|4", 128},
        {"other", "8,-1|3", 3},
        {"other", "0,5", 0},
        {"other", "<=8,2", 16},
        {"attention_flash", "2,4,8,64", 2.0 * 2 * 4 * 8 * 8 * 128},
        {"attention_flash", "2,4,8,64|2,4,16,32", 2.0 * 2 * 4 * 16 * 16 * 96},
        {"attention_splash", "4,8,64", 2048},
        {"attention_splash", "2,4,8,0", 0},
        {"loss_xent", "128,1000|64", 2.0 * 128 * 1000},
        {"loss_xent", "128|7", 128},
        {"loss_xent", "-3,7|5", 5},
        {"other", "\u0663,2", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct opt_f64 work = op_flop_proxy(cases[i].family, cases[i].signature);
        assert_int_equal(work.set, cases[i].work > 0);
        assert_number(work.value, cases[i].work, 0);
    }
}

static void keeps_what_people_wrote_of_a_source_path(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"psum", "psum"},
        {"block/attention", "block/attention"},
        {"jit(step)", ""},
        {"jitter/x", "jitter/x"},
        {"jit(step)/jit(main)/block/dot:", "block/dot"},
        {"pjit(f)/jvp(g)/dot", "g/dot"},
        {"jit(f)/transpose(jvp(Net))/layers/while/body/closed_call/checkpoint/mlp/dot_general:",
         "Net/layers/mlp/dot_general"},
        {"jit(f)//a/", "a"},
        {"jvp(/x)", "jvp(/x)"},
        {"jvp()/x", "x"},
    };
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(op_path_written(&arena, cases[i][0]), cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_percent_signs_and_one_number),
        cmocka_unit_test(finds_the_first_family_that_matches),
        cmocka_unit_test(folds_letters_as_unicode_expressions_do),
        cmocka_unit_test(guesses_work_from_shapes),
        cmocka_unit_test(keeps_what_people_wrote_of_a_source_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
