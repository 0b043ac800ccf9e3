/* See hlo_cost.h. Counted as the compiler's own analysis does it, where shapes are enough for that:
 * transcendental functions are no operations, conversions are. */
#include "ingest/hlo_proto/hlo_cost.h"

#include "ops/runtime/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A fusion in a fusion is rare; programs that call themselves are broken. */
enum { CALL_DEPTH_MOST = 8, VISITS_MOST = 1 << 20 };

/* ---- shapes ---------------------------------------------------------------------------------- */

/* PrimitiveType by number: its name and bits. */
static const struct {
    const char *name;
    int bits;
} elements[] = {
    [1] = {"pred", 8},        [2] = {"s8", 8},
    [3] = {"s16", 16},        [4] = {"s32", 32},
    [5] = {"s64", 64},        [6] = {"u8", 8},
    [7] = {"u16", 16},        [8] = {"u32", 32},
    [9] = {"u64", 64},        [10] = {"f16", 16},
    [11] = {"f32", 32},       [12] = {"f64", 64},
    [15] = {"c64", 64},       [16] = {"bf16", 16},
    [18] = {"c128", 128},     [19] = {"f8e5m2", 8},
    [20] = {"f8e4m3fn", 8},   [21] = {"s4", 4},
    [22] = {"u4", 4},         [23] = {"f8e4m3b11fnuz", 8},
    [24] = {"f8e5m2fnuz", 8}, [25] = {"f8e4m3fnuz", 8},
    [26] = {"s2", 2},         [27] = {"u2", 2},
    [28] = {"f8e4m3", 8},     [29] = {"f8e3m4", 8},
    [32] = {"f4e2m1fn", 4},   [33] = {"f8e8m0fnu", 8},
};
enum { ELEMENT_COUNT = sizeof elements / sizeof elements[0] };

static double elements_of(const struct hlo_shape *shape)
{
    double count = 1;
    for (size_t i = 0; i < shape->dims.count; i++)
        count *= shape->dims.items[i] > 0 ? (double)shape->dims.items[i] : 0;
    return count;
}

/* The place of its type among elements; 0, which has no name: it has none that is known. */
static size_t element_of(const struct hlo_shape *shape)
{
    return (uint64_t)shape->element < ELEMENT_COUNT ? (size_t)shape->element : 0;
}

/* What a value of the shape takes; tuples: all of their parts. */
static double hlo_shape_bytes(const struct hlo_shape *shape)
{
    double bytes = 0;
    for (size_t i = 0; i < shape->part_count; i++)
        bytes += hlo_shape_bytes(&shape->parts[i]);
    if (elements[element_of(shape)].bits > 0)
        bytes += elements_of(shape) * elements[element_of(shape)].bits / 8;
    return bytes;
}

/* "f32[8,16]", up to what ends it; 0 bytes for what is no array. */
static double array_bytes(const char *text)
{
    const char *dims = strchr(text, '[');
    for (size_t i = 0; dims != NULL && i < ELEMENT_COUNT; i++) {
        const char *name = elements[i].name;
        if (name == NULL || strlen(name) != (size_t)(dims - text) ||
            strncmp(name, text, strlen(name)) != 0)
            continue;
        double bytes = (double)elements[i].bits / 8;
        for (const char *at = dims + 1; *at != '\0' && *at != ']'; at += *at == ',') {
            char *end;
            bytes *= (double)strtoull(at, &end, 10);
            if (end == at)
                return 0;
            at = end;
        }
        return bytes;
    }
    return 0;
}

struct opt_f64 hlo_result_bytes(const char *shapes)
{
    double bytes = 0;
    const bool is_tuple = shapes != NULL && shapes[0] == '(';
    for (const char *at = shapes; at != NULL && *at != '\0'; at++) {
        const bool starts = at == shapes ? !is_tuple : at[-1] == '(' || at[-1] == ',';
        const double array = starts && *at >= 'a' && *at <= 'z' ? array_bytes(at) : 0;
        if (array > 0)
            bytes = array > bytes ? array : bytes;
        if (*at == ')' || (!is_tuple && *at == ']'))
            break;
    }
    return (struct opt_f64){bytes > 0 && isfinite(bytes), bytes};
}

/* What is computed: of a tuple the first part, behind which workspaces stand. */
static const struct hlo_shape *result_of(const struct hlo_instruction *instruction)
{
    return instruction->shape.part_count > 0 ? &instruction->shape.parts[0] : &instruction->shape;
}

static const struct hlo_instruction *operand_of(const struct hlo_module *module,
                                                const struct hlo_instruction *instruction,
                                                size_t index)
{
    return index < instruction->operands.count
               ? hlo_of_id(module, instruction->operands.items[index])
               : NULL;
}

static void shape_add(const struct hlo_shape *shape, struct text *out)
{
    const char *name = elements[element_of(shape)].name;
    if (shape->part_count > 0) {
        for (size_t i = 0; i < shape->part_count; i++) {
            text_add(out, i == 0 ? "(" : ",");
            shape_add(&shape->parts[i], out);
        }
        text_add(out, ")");
        return;
    }
    text_add(out, name != NULL ? name : "?");
    text_add(out, "[");
    for (size_t i = 0; i < shape->dims.count; i++)
        text_addf(out, "%s%" PRId64, i == 0 ? "" : ",", shape->dims.items[i]);
    text_add(out, "]");
}

void hlo_shapes_add(const struct hlo_module *module, const struct hlo_instruction *instruction,
                    struct text *out)
{
    shape_add(&instruction->shape, out);
    text_add(out, "(");
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct hlo_instruction *operand = operand_of(module, instruction, i);
        text_add(out, i == 0 ? "" : ",");
        if (operand != NULL)
            shape_add(&operand->shape, out);
    }
    text_add(out, ")");
}

/* ---- opcodes --------------------------------------------------------------------------------- */

enum work {
    WORK_UNKNOWN,
    WORK_NONE,    /* moves or makes values */
    WORK_FREE,    /* not even that */
    WORK_EACH,    /* an operation an element of the result */
    WORK_REDUCE,  /* its computation for each element but those that are left */
    WORK_WINDOW,  /* an operation an element of the window and of the result */
    WORK_SCATTER, /* its computation for each update */
    WORK_DOT,
    WORK_CONVOLUTION,
    WORK_INSIDE, /* what it calls */
    WORK_CUSTOM,
};

enum { OPCODES_MOST = 34 };
static const char *const opcodes[][OPCODES_MOST] = {
    [WORK_NONE] = {"all-gather",
                   "all-to-all",
                   "atan2",
                   "bitcast-convert",
                   "broadcast",
                   "cbrt",
                   "collective-permute",
                   "concatenate",
                   "copy",
                   "cosine",
                   "dynamic-slice",
                   "dynamic-update-slice",
                   "erf",
                   "exponential",
                   "exponential-minus-one",
                   "gather",
                   "iota",
                   "log",
                   "log-plus-one",
                   "logistic",
                   "pad",
                   "power",
                   "reshape",
                   "reverse",
                   "rsqrt",
                   "sine",
                   "slice",
                   "sqrt",
                   "tan",
                   "tanh",
                   "transpose"},
    [WORK_FREE] = {"bitcast", "constant", "get-tuple-element", "opt-barrier", "parameter",
                   "partition-id", "replica-id", "tuple"},
    [WORK_EACH] = {"abs",
                   "add",
                   "all-reduce",
                   "and",
                   "ceil",
                   "clamp",
                   "compare",
                   "complex",
                   "convert",
                   "count-leading-zeros",
                   "divide",
                   "floor",
                   "imag",
                   "is-finite",
                   "maximum",
                   "minimum",
                   "multiply",
                   "negate",
                   "not",
                   "or",
                   "popcnt",
                   "real",
                   "reduce-precision",
                   "reduce-scatter",
                   "remainder",
                   "round-nearest-afz",
                   "round-nearest-even",
                   "select",
                   "shift-left",
                   "shift-right-arithmetic",
                   "shift-right-logical",
                   "sign",
                   "subtract",
                   "xor"},
    [WORK_REDUCE] = {"reduce"},
    [WORK_WINDOW] = {"reduce-window"},
    [WORK_SCATTER] = {"scatter"},
    [WORK_DOT] = {"dot"},
    [WORK_CONVOLUTION] = {"convolution"},
    [WORK_INSIDE] = {"call", "fusion"},
    [WORK_CUSTOM] = {"custom-call"}};

static enum work work_of(const struct hlo_instruction *instruction)
{
    for (size_t work = 0; work < sizeof opcodes / sizeof opcodes[0]; work++)
        for (size_t i = 0; i < OPCODES_MOST && opcodes[work][i] != NULL; i++)
            if (strcmp(opcodes[work][i], instruction->opcode) == 0)
                return (enum work)work;
    return WORK_UNKNOWN;
}

/* ---- operations ------------------------------------------------------------------------------ */

struct counting {
    const struct hlo_module *module;
    unsigned depth;
    size_t visits;
};

static struct opt_f64 flops_of(struct counting *counting,
                               const struct hlo_instruction *instruction);

/* Of all that a computation holds. */
static struct opt_f64 computation_flops(struct counting *counting, int64_t id)
{
    struct opt_f64 sum = some_f64(0);
    const struct hlo_computation *computation = hlo_computation_of(counting->module, id);
    if (computation == NULL || counting->depth == CALL_DEPTH_MOST)
        return (struct opt_f64){0};
    counting->depth++;
    for (size_t i = 0; i < computation->count && sum.set; i++) {
        struct opt_f64 more =
            flops_of(counting, &counting->module->instructions[computation->first + i]);
        sum = (struct opt_f64){more.set, sum.value + more.value};
    }
    counting->depth--;
    return sum;
}

static struct opt_f64 called_flops(struct counting *counting,
                                   const struct hlo_instruction *instruction, double times)
{
    struct opt_f64 sum = {instruction->calls.count > 0, 0};
    for (size_t i = 0; i < instruction->calls.count && sum.set; i++) {
        struct opt_f64 more = computation_flops(counting, instruction->calls.items[i]);
        sum = (struct opt_f64){more.set, sum.value + times * more.value};
    }
    return sum;
}

/* 2 · result · what is contracted of the left side. */
static struct opt_f64 product_flops(const struct hlo_module *module,
                                    const struct hlo_instruction *instruction,
                                    const struct hlo_ids *contracting)
{
    const struct hlo_instruction *left = operand_of(module, instruction, 0);
    double flops = 2 * elements_of(result_of(instruction));
    if (left == NULL)
        return (struct opt_f64){0};
    for (size_t i = 0; i < contracting->count; i++) {
        int64_t dimension = contracting->items[i];
        if (dimension < 0 || (uint64_t)dimension >= left->shape.dims.count)
            return (struct opt_f64){0};
        const int64_t size = left->shape.dims.items[dimension];
        flops *= size > 0 ? (double)size : 0;
    }
    return some_f64(flops);
}

/* 2 · output · kernel / output features. */
static struct opt_f64 convolution_flops(const struct hlo_shape *output,
                                        const struct hlo_shape *kernel, int64_t feature)
{
    if (feature < 0 || (uint64_t)feature >= kernel->dims.count || kernel->dims.items[feature] <= 0)
        return (struct opt_f64){0};
    return some_f64(2 * elements_of(output) * elements_of(kernel) /
                    (double)kernel->dims.items[feature]);
}

/* The dimensions behind "lhs_contracting_dimensions":["1"] of a configuration. */
static bool contracting_read(const char *backend, int64_t *numbers, struct hlo_ids *ret_ids)
{
    enum { NUMBERS_MOST = 4 };
    static const char key[] = "\"lhs_contracting_dimensions\":[";
    const char *at = backend == NULL ? NULL : strstr(backend, key);
    *ret_ids = (struct hlo_ids){numbers, 0, NUMBERS_MOST};
    if (at == NULL)
        return false;
    for (at += sizeof key - 1; *at == '"' || *at == ','; at++) {
        char *end;
        at += strspn(at, "\",");
        if (ret_ids->count == NUMBERS_MOST)
            return false;
        numbers[ret_ids->count++] = strtoll(at, &end, 10);
        if (end == at)
            return false;
        at = end;
    }
    return *at == ']';
}

/* Products and convolutions that a library computes; of all others nobody but itself knows. */
static struct opt_f64 custom_flops(const struct hlo_module *module,
                                   const struct hlo_instruction *instruction)
{
    const char *target = instruction->custom_call == NULL ? "" : instruction->custom_call;
    const struct hlo_instruction *left = operand_of(module, instruction, 0);
    const struct hlo_instruction *right = operand_of(module, instruction, 1);
    int64_t numbers[4];
    struct hlo_ids contracting;
    const int64_t feature = instruction->kernel_output_feature;
    if (strncmp(target, "__cublas$", strlen("__cublas$")) == 0 &&
        contracting_read(instruction->backend, numbers, &contracting))
        return product_flops(module, instruction, &contracting);
    if (left == NULL || right == NULL || strncmp(target, "__cudnn$conv", 12) != 0)
        return (struct opt_f64){0};
    if (strstr(target, "BackwardInput") != NULL)
        return convolution_flops(&left->shape, &right->shape, feature);
    if (strstr(target, "BackwardFilter") != NULL)
        return convolution_flops(&right->shape, result_of(instruction), feature);
    return convolution_flops(result_of(instruction), &right->shape, feature);
}

static struct opt_f64 flops_of(struct counting *counting, const struct hlo_instruction *instruction)
{
    const struct hlo_module *module = counting->module;
    const struct hlo_instruction *left = operand_of(module, instruction, 0);
    double result = elements_of(result_of(instruction)), window = 1;
    if (instruction->opcode == NULL || ++counting->visits > VISITS_MOST)
        return (struct opt_f64){0};
    switch (work_of(instruction)) {
    case WORK_NONE:
    case WORK_FREE:
        return some_f64(0);
    case WORK_EACH:
        return some_f64(result);
    case WORK_REDUCE:
        if (left == NULL)
            break;
        result = elements_of(&left->shape) - result;
        return called_flops(counting, instruction, result > 0 ? result : 0);
    case WORK_WINDOW:
        for (size_t i = 0; i < instruction->window.count; i++)
            window *= instruction->window.items[i] > 0 ? (double)instruction->window.items[i] : 0;
        return called_flops(counting, instruction, result * (window > 1 ? window - 1 : 0));
    case WORK_SCATTER: {
        const size_t inputs = instruction->operands.count / 2;
        const struct hlo_instruction *updates = operand_of(module, instruction, inputs + 1);
        if (updates == NULL)
            break;
        return called_flops(counting, instruction, elements_of(&updates->shape));
    }
    case WORK_DOT:
        return product_flops(module, instruction, &instruction->contracting);
    case WORK_CONVOLUTION: {
        const struct hlo_instruction *kernel = operand_of(module, instruction, 1);
        if (kernel == NULL)
            break;
        return convolution_flops(&instruction->shape, &kernel->shape,
                                 instruction->kernel_output_feature);
    }
    case WORK_INSIDE:
        return called_flops(counting, instruction, 1);
    case WORK_CUSTOM:
        return custom_flops(module, instruction);
    case WORK_UNKNOWN:
        break;
    }
    return (struct opt_f64){0};
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* What of an operand is read: of what is sliced as much as comes out. */
static struct opt_f64 bytes_of(const struct hlo_module *module,
                               const struct hlo_instruction *instruction)
{
    static const char *const slices[] = {"slice", "dynamic-slice", "gather"};
    const double result = hlo_shape_bytes(&instruction->shape);
    double operands = 0;
    const enum work work = work_of(instruction);
    if (work == WORK_FREE)
        return some_f64(0);
    if (work == WORK_UNKNOWN)
        return (struct opt_f64){0};
    if (text_is_one(instruction->opcode, slices))
        return some_f64(2 * result);
    const struct hlo_instruction *update = operand_of(module, instruction, 1);
    if (strcmp(instruction->opcode, "dynamic-update-slice") == 0 && update != NULL)
        return some_f64(2 * hlo_shape_bytes(&update->shape));
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct hlo_instruction *operand = operand_of(module, instruction, i);
        operands += operand == NULL ? 0 : hlo_shape_bytes(&operand->shape);
    }
    return some_f64(result + operands);
}

/* Shapes of broken programs multiply to anything. */
static struct opt_f64 told(struct opt_f64 number)
{
    return isfinite(number.value) ? number : (struct opt_f64){0};
}

struct hlo_cost hlo_cost_of(const struct hlo_module *module,
                            const struct hlo_instruction *instruction)
{
    struct counting counting = {.module = module};
    if (instruction->opcode == NULL)
        return (struct hlo_cost){0};
    return (struct hlo_cost){told(flops_of(&counting, instruction)),
                             told(bytes_of(module, instruction))};
}

const char *hlo_category(const struct hlo_instruction *instruction)
{
    static const struct {
        const char *name, *category;
    } kinds[] = {{"kLoop", "loop fusion"},
                 {"kInput", "input fusion"},
                 {"kOutput", "output fusion"},
                 {"kCustom", "custom fusion"}};
    static const char *const formats[] = {"copy", "transpose", "reshape"};
    const char *opcode = instruction->opcode, *kind = instruction->fusion_kind;
    for (size_t i = 0; kind != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, kind) == 0)
            return kinds[i].category;
    }
    if (text_is_one(opcode, formats))
        return "data formatting";
    return opcode != NULL && work_of(instruction) == WORK_EACH && strncmp(opcode, "all-", 4) != 0 &&
                   strcmp(opcode, "reduce-scatter") != 0
               ? "non-fusion elementwise"
               : opcode;
}
