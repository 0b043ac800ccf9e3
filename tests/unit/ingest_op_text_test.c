/* Tests of the rules that read texts of ops: categories, shapes, instructions, classes, phases. */
#include "ingest/hlo/classify.h"
#include "ingest/hlo/device_class.h"
#include "ingest/hlo/hlo_text.h"
#include "ingest/hlo/phase.h"
#include "ingest/hlo/precision.h"
#include "ingest/hlo/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct name_class class_of(const char *name)
{
    scoped_arena arena;
    struct name_class found;
    arena_init(&arena, 1 << 16);
    name_classify(name, &arena, &found);
    return found;
}

static void stalls_come_before_communication_before_compute(void **state)
{
    (void)state;
    assert_int_equal(class_of("fusion.1").op_part, PART_COMPUTE);
    assert_int_equal(class_of("All-Reduce.3").op_part, PART_COMMUNICATION);
    assert_int_equal(class_of("all-reduce-WAIT").op_part, PART_STALL);
    assert_int_equal(class_of("donation holds").op_part, PART_STALL);
    /* A case-insensitive expression folds long s, dotless i and the Kelvin sign; lowercasing the
     * last only. */
    assert_int_equal(class_of("\u017Fleep").op_part, PART_STALL);
    assert_int_equal(class_of("ba\u0131t wa\u0131t").op_part, PART_STALL);
    assert_int_equal(class_of("bloc\u212Aed").op_part, PART_STALL);
    assert_int_equal(class_of("p\u017Fum").op_part, PART_COMPUTE);
}

static void a_stall_may_be_a_collective_as_well(void **state)
{
    (void)state;
    struct name_class found = class_of("nccl-wait");
    assert_int_equal(found.op_part, PART_STALL);
    assert_true(found.is_communication);
    assert_string_equal(collective_kind_names[found.collective], "other-collective");
    assert_int_equal(class_of("dot.4").collective, COLLECTIVE_NONE);
}

static void the_first_kind_of_collective_that_fits_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name, *kind;
    } cases[] = {
        {"psum_scatter", "all-reduce"},           {"all_gather-start", "all-gather"},
        {"reduce-scatter.7", "reduce-scatter"},   {"AllToAll", "all-to-all"},
        {"async-collective", "async-collective"}, {"collective-permute", "collective-permute"},
        {"SendRecvKernel", "send-recv"},          {"ncclKernel_Broadcast", "other-collective"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(collective_kind_names[class_of(cases[i].name).collective],
                            cases[i].kind);
}

static void the_part_depends_on_the_plane(void **state)
{
    (void)state;
    struct name_class plain = class_of("add"), reduce = class_of("allreduce");
    assert_int_equal(part_on_plane(&plain, false, true), PART_COMPUTE);
    assert_int_equal(part_on_plane(&plain, true, false), PART_HOST);
    assert_int_equal(part_on_plane(&plain, false, false), PART_OTHER);
    assert_int_equal(part_on_plane(&reduce, true, false), PART_HOST);
    assert_int_equal(part_on_plane(&reduce, false, false), PART_COMMUNICATION);
}

static void shapes_come_from_the_result_first(void **state)
{
    (void)state;
    static const struct {
        const char *text, *signature;
    } cases[] = {
        {"%f = bf16[8,128]{1,0} fusion(f32[4] %p)", "8,128"},
        {"%t = (f32[2, 3 ]{1,0}, pred[7]) tuple-op.1(s32[9] %x)", "2,3|7"},
        {"a = ( b ) c, bf16[1] = (f32[2]) d(", "1|2"}, /* up to the first `) opcode(` */
        {"f32[1] f32[2] f32[3] f32[4] f32[5] f32[6] f32[7] f32[8] f32[9]", "1|2|3|4|5|6|7|8"},
        {"no shapes = here", ""},
        {"= f64[8]", ""}, /* a type that the rule does not know */
        {"= f32[]", ""},
        {"BF16[3] and xf16[4]", "3|4"}, /* no word boundary in front */
        {"\u017F32[6]", "6"},
        {"u8[,, 5 ,]", "5"},
        {"s8[ ] s8[,]", "|"},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        scoped_text out;
        text_init(&out, 1 << 16);
        shape_signature(cases[i].text, strlen(cases[i].text), &out);
        assert_string_equal(text_string(&out), cases[i].signature);
    }
}

static void shapes_of_a_text_made_to_be_slow_take_no_longer(void **state)
{
    (void)state;
    enum { REPEATS = 300000 };
    scoped_text text, out;
    text_init(&text, 1 << 24);
    text_init(&out, 1 << 24);
    for (int i = 0; i < REPEATS; i++)
        text_add(&text, "=( ) f32[ ");
    shape_signature(text.data, text.length,
                    &out); /* quadratic work would outlive the test's limit */
    assert_int_equal(out.length, 0);
}

static void instructions_lose_numbers_and_layouts(void **state)
{
    (void)state;
    static const char text[] =
        "%fusion.12 = (bf16[8,1024]{1,0:T(8,128)(2,1)}, /*index=1*/f32[]{:S(2)}) "
        "fusion(bf16[8,1024]{1,0} %copy-done.3, f32[4]{0} %p.1), kind=kLoop, calls=%c.9";
    scoped_arena arena;
    struct hlo_text parsed;
    arena_init(&arena, 1 << 16);
    hlo_text_parse(text, strlen(text), &arena, &parsed);
    assert_string_equal(parsed.opcode, "fusion");
    assert_string_equal(parsed.shapes, "(bf16[8,1024],/*index=1*/f32[])(bf16[8,1024],f32[4])");
}

static void what_goes_on_asynchronously_is_called_by_the_collective_that_it_is_of(void **state)
{
    (void)state;
    static const struct {
        const char *text, *opcode;
    } cases[] = {
        {"%reduce-scatter-done.5 = f32[2] async-done((f32[4], f32[2]) %x.5)",
         "reduce-scatter-done"},
        {"%async-done.1 = f32[2] async-done((f32[4], f32[2]) %all-to-all-start.3)",
         "all-to-all-done"},
        {"%async-update.1 = (f32[4]) async-update((f32[4]) %ragged-all-to-all-start)",
         "ragged-all-to-all-update"},
        {"%async-start = (f32[4], f32[2]) async-start(f32[4] %all-gather.1), "
         "calls=%wrapped_reduce_scatter.2",
         "reduce-scatter-start"},
        {"%async-start = (f32[4], f32[2]) async-start(f32[4] %all-gather.1), calls=%c.2",
         "async-start"},
        {"%slice-done.97 = s8[4] async-done(((s8[8]), s8[4], s32[]) %slice-start.97)",
         "async-done"},
        {"%async-done = s8[4] async-done((s8[8]) %all-reduced-start)", "async-done"},
        {"%async-done = s8[4] async-done((s8[8]) %", "async-done"},
        {"%all-reduce-done = s8[4] fusion(f32[2] %all-reduce), calls=%all-reduce", "fusion"},
    };
    scoped_arena arena;
    struct hlo_text parsed;
    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        hlo_text_parse(cases[i].text, strlen(cases[i].text), &arena, &parsed);
        assert_string_equal(parsed.opcode, cases[i].opcode);
    }
}

/* Texts of a TPU whose program keeps arrays in the host's memory. */
static void copies_say_between_which_memories_they_go(void **state)
{
    (void)state;
#define HERE "f32[5,256]{1,0:T(8,128)}"
#define HOST "f32[5,256]{1,0:T(8,128)S(5)}"
#define REST ", u32[]{:S(2)}) "
    static const struct {
        const char *text;
        enum hlo_way way;
    } cases[] = {
        {"%copy-start.1 = (" HOST ", " HERE REST "copy-start(" HERE " %f.2)", HLO_TO_HOST},
        {"%copy-start.4 = (" HERE ", " HOST REST "copy-start(" HOST " %p.2)", HLO_FROM_HOST},
        {"%copy-done.1 = " HOST " copy-done((" HOST ", " HERE REST "%copy-start.1)", HLO_TO_HOST},
        {"%copy-done.4 = " HERE " copy-done((" HERE ", " HOST REST "%copy-start.4)", HLO_FROM_HOST},
        {"%copy-start.5 = (" HERE ", " HERE REST "copy-start(" HERE " %f.2)", HLO_ON_DEVICE},
        {"%copy.6 = " HOST " copy(" HERE " %f.2)", HLO_TO_HOST},
        {"%fusion.7 = " HERE " fusion(" HOST " %p.2), kind=kLoop", HLO_ON_DEVICE},
        {"%copy-start.8 = (" HOST ", " HERE, HLO_ON_DEVICE},
    };
#undef HERE
#undef HOST
#undef REST
    scoped_arena arena;
    struct hlo_text parsed;
    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        hlo_text_parse(cases[i].text, strlen(cases[i].text), &arena, &parsed);
        if (parsed.way != cases[i].way)
            fail_msg("%s: %d", cases[i].text, (int)parsed.way);
    }
}

static void what_is_no_instruction_has_no_opcode(void **state)
{
    (void)state;
    static const char *const texts[] = {"fusion.12", "%a = f32[2", "%a = (f32[2] b("};
    scoped_arena arena;
    struct hlo_text parsed;
    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        parsed.opcode = "of the text before";
        hlo_text_parse(texts[i], strlen(texts[i]), &arena, &parsed);
        assert_null(parsed.opcode);
    }
}

/* The end of each brace was looked for anew: hours for this text. */
static void braces_that_nothing_closes_are_looked_at_once(void **state)
{
    (void)state;
    enum { LENGTH = 4 << 20 };
    static char text[LENGTH] = "%a = f32[2] b(f32[2]{0} %c, ";
    size_t lead = strlen(text);
    memset(text + lead, '{', sizeof text - lead);
    scoped_arena arena;
    struct hlo_text parsed;
    arena_init(&arena, 2 * LENGTH);
    hlo_text_parse(text, sizeof text, &arena, &parsed);
    assert_string_equal(parsed.opcode, "b");
    assert_memory_equal(parsed.shapes, "f32[2](f32[2],{{{", 17);
}

static void an_instruction_beyond_the_budget_is_read_whole(void **state)
{
    (void)state;
    scoped_arena arena;
    struct hlo_text parsed;
    arena_init(&arena, 0);
    hlo_text_parse("%a = f32[2] b(f32[2] %c)", 24, &arena, &parsed);
    assert_string_equal(parsed.opcode, "b");
    assert_true(arena.over);
}

static void names_become_families(void **state)
{
    (void)state;
    static const struct {
        const char *name, *family;
    } cases[] = {
        {"%fusion.123", "fusion"},
        {"all-reduce-start.3", "all-reduce-start"},
        {"fusion.12.remat2", "fusion"},
        {"add.clone.4", "add"},
        {"loop_add_fusion_7", "loop_add_fusion"},
        {"loop_add_fusion_7__1", "loop_add_fusion"},
        {"gemm_fusion_dot_12_0", "gemm_fusion_dot"},
        {"triton_softmax.17.0", "triton_softmax"},
        {"matmul_kernel_0d1d2", "matmul_kernel_0d1d2"},
        {"__7", "__7"},
        {"gemm_fusion_dot_general_1.kd", "gemm_fusion_dot_general"},
        {"nvjet_tst_192x192_64x4", "nvjet_tst_192x192_64x4"},
        {"_7", "_7"},
        {".7", ".7"},
        {"", ""},
    };
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(hlo_name_family(cases[i].name, &arena), cases[i].family);
}

static void devices_compute_communicate_or_copy(void **state)
{
    (void)state;
    static const struct {
        const char *opcode, *category, *name;
        enum device_class wanted;
    } cases[] = {
        {"fusion", "loop fusion", "fusion.1", DEVICE_COMPUTE},
        {"all-reduce-done", NULL, "x", DEVICE_COMMUNICATION},
        {"fusion", "all-gather fusion", "x", DEVICE_COMMUNICATION},
        {"copy", "data formatting", "copy.4", DEVICE_COMPUTE},
        {"copy-start", NULL, "copy-start.4", DEVICE_COPY},
        {"while", "while", "while.2", DEVICE_CONTAINER},
        {"while_fusion", NULL, "while_fusion", DEVICE_COMPUTE},
        {"send_to_cache", NULL, "send_to_cache", DEVICE_COMPUTE},
        {NULL, NULL, "ncclDevKernel_AllReduce_Sum", DEVICE_COMMUNICATION},
        {"CopyDeviceToDevice", NULL, "CopyDeviceToDevice", DEVICE_COPY},
        {NULL, NULL, "CopyHostToDevice", DEVICE_COPY},
        {NULL, NULL, "MEMORY_COPY_DEVICE_TO_HOST", DEVICE_COPY},
        {NULL, NULL, "CopyKernel", DEVICE_COMPUTE},
        {NULL, NULL, "MemcpyD2D", DEVICE_COPY},
        {NULL, NULL, "MEMCPYPToP", DEVICE_COMMUNICATION},
        {NULL, NULL, "void one_shot_all_reduce", DEVICE_COMMUNICATION},
        {NULL, NULL, "transpose_permute", DEVICE_COMPUTE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(device_class_of(cases[i].opcode, cases[i].category, cases[i].name),
                         cases[i].wanted);
}

static void phases_follow_the_name_stack(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name, *phase;
    } cases[] = {
        {"jit(f)/jvp(g)/mul", "x", "forward"},
        {"jit(f)/transpose(jvp(g))/mul", "x", "backward"},
        {"jit(f)/transpose(jvp(g))/rematted_computation/mul", "x", "recompute"},
        {"jit(f)/jvp(g)/checkpoint/mul", "x", "forward"},
        {"jit(f)/g/transpose", "x", "other"},
        {"jit(f)/transpose(jvp())/while/body/dot_general", "x", "backward"},
        {"jit(f)/vmap(transpose(jvp(g)))/dot", "x", "backward"},
        {"jit(f)/optimizer/adamw/mul", "x", "optimizer"},
        {"jit(f)/dynamic_update_slice", "x", "other"},
        {"jit(f)/update/mul:", "x", "optimizer"},
        {"jit(f)/jvp(g)/mul", "fusion.12.remat2", "recompute"},
        {"jit(f)/scope(a/transpose(b))/mul", "x", "other"}, /* not at depth 0 */
        {"", "x", "unattributed"},
        {NULL, "x", "unattributed"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(phase_of(cases[i].path, cases[i].name), cases[i].phase);
}

static void arrays_and_kernels_tell_in_how_many_bits_they_compute(void **state)
{
    (void)state;
    static const struct {
        const char *shapes, *kernel;
        enum precision bits;
    } cases[] = {
        {"f32[8](bf16[8,4],f32[4])", NULL, PRECISION_16BIT},
        {"(f32[8],f16[2])(s32[])", NULL, PRECISION_16BIT},
        {"f32[8](f8e4m3fn[8])", NULL, PRECISION_16BIT},
        {"f32[8](s8[8],pred[])", NULL, PRECISION_32BIT},
        {"c64[8]", NULL, PRECISION_32BIT},
        {"(f64[2](f64[2]))", NULL, PRECISION_32BIT},
        {"s32[8](u16[8])", NULL, PRECISION_UNTOLD},
        {"8,128|4", NULL, PRECISION_UNTOLD},
        {"[f", NULL, PRECISION_UNTOLD},
        {"", NULL, PRECISION_UNTOLD},
        {NULL, "volta_sgemm_128x64_nn", PRECISION_32BIT},
        {NULL, "volta_fp16_s884cudnn_fp16_128x128", PRECISION_16BIT},
        {NULL, "void k<__nv_bfloat16, float>(float*)", PRECISION_16BIT},
        {NULL, "void k<Eigen::half>(int)", PRECISION_16BIT},
        {NULL, "void k<float>(int)", PRECISION_32BIT},
        {NULL, "MemcpyD2D", PRECISION_UNTOLD},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(cases[i].kernel != NULL ? precision_of_kernel(cases[i].kernel)
                                                 : precision_of_shapes(cases[i].shapes),
                         cases[i].bits);
    assert_int_equal(precision_of_shapes(NULL), PRECISION_UNTOLD);
}

static void canonical_paths_survive_another_version(void **state)
{
    (void)state;
    static const struct {
        const char *path, *canonical;
    } cases[] = {
        {"jit(train_step)/jit(main)/transpose(jvp(Model))/layer_0/dot_general[a=(1, 2) b=/]:",
         "Model/layer_0/dot_general"},
        {"jit(train_step)/transpose(jvp(Model))/layer_0/dot_general:Dot",
         "Model/layer_0/dot_general"},
        {"jit(f)/jvp()/mul", "mul"},
        {"a//b", "a/b"},
        {NULL, ""},
    };
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(phase_path_canonical(cases[i].path, &arena), cases[i].canonical);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stalls_come_before_communication_before_compute),
        cmocka_unit_test(a_stall_may_be_a_collective_as_well),
        cmocka_unit_test(the_first_kind_of_collective_that_fits_counts),
        cmocka_unit_test(the_part_depends_on_the_plane),
        cmocka_unit_test(shapes_come_from_the_result_first),
        cmocka_unit_test(shapes_of_a_text_made_to_be_slow_take_no_longer),
        cmocka_unit_test(instructions_lose_numbers_and_layouts),
        cmocka_unit_test(what_goes_on_asynchronously_is_called_by_the_collective_that_it_is_of),
        cmocka_unit_test(copies_say_between_which_memories_they_go),
        cmocka_unit_test(what_is_no_instruction_has_no_opcode),
        cmocka_unit_test(braces_that_nothing_closes_are_looked_at_once),
        cmocka_unit_test(an_instruction_beyond_the_budget_is_read_whole),
        cmocka_unit_test(names_become_families),
        cmocka_unit_test(devices_compute_communicate_or_copy),
        cmocka_unit_test(phases_follow_the_name_stack),
        cmocka_unit_test(arrays_and_kernels_tell_in_how_many_bits_they_compute),
        cmocka_unit_test(canonical_paths_survive_another_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
