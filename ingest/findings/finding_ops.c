#include "ingest/findings/finding_ops.h"

#include "ingest/hlo/hlo.h"
#include "ops/runtime/text.h"
#include "schema/documents/told_ops.h"

#include <string.h>
#include <strings.h>

static const double ps_per_us = 1e6;
static const double covered_least = .5; /* of the time, by ops that tell what is asked */

static bool has(const char *text, const char *word)
{
    return text != NULL && strcasestr(text, word) != NULL;
}

bool op_is_recomputed(const struct op_row *op)
{
    return op->phase != NULL && strcmp(op->phase, "recompute") == 0;
}

bool op_formats_data(const struct op_row *op)
{
    static const char *const opcodes[] = {"copy", "transpose", "reshape", "bitcast-convert"};
    if (op->category != NULL && strcmp(op->category, "data formatting") == 0)
        return true;
    return text_is_one(op->opcode, opcodes);
}

/* Whether the opcode, or where a source tells it alone the category, is one of words[count]. */
static bool is_one_of(const struct op_row *op, const char *const *words, size_t count)
{
    return text_index(op->opcode, words, count) < count ||
           text_index(op->category, words, count) < count;
}

bool op_pads(const struct op_row *op)
{
    static const char *const words[] = {"pad"};
    return is_one_of(op, words, 1);
}

bool op_shuffles_data(const struct op_row *op)
{
    static const char *const words[] = {"broadcast",     "concatenate",
                                        "dynamic-slice", "dynamic-update-slice",
                                        "gather",        "gather fusion",
                                        "pad",           "reverse",
                                        "scatter",       "scatter fusion",
                                        "select",        "select-and-scatter",
                                        "slice",         "sort"};
    return op_formats_data(op) || is_one_of(op, words, sizeof words / sizeof words[0]);
}

bool op_is_compute(const struct op_row *op)
{
    return op->category != NULL && strcmp(op->category, "compute") == 0;
}

bool op_is_tiny_kernel(const struct op_row *op)
{
    return op_is_compute(op) && op->short_count > 0;
}

bool op_hides_names(const struct op_row *op)
{
    return has(op->opcode, "command_buffer") || has(op->name, "command_buffer");
}

bool op_prints(const struct op_row *op)
{
    return has(op->op_path, "debug_callback") || has(op->op_path, "debug_print") ||
           has(op->name, "debug_print");
}

bool op_waits_for_copy(const struct op_row *op)
{
    static const char *const halves[] = {"copy-start", "copy-done"};
    return text_is_one(op->opcode, halves);
}

bool op_waits_for_cores(const struct op_row *op)
{
    return has(op->category, "barrier-cores") || has(op->opcode, "barrier-cores") ||
           has(op->name, "barrier-cores");
}

bool op_copies_across(const struct op_row *op)
{
    return copy_way_of(op->name, op->opcode, op->category) != COPY_ON_DEVICE;
}

bool op_copies_on_device(const struct op_row *op)
{
    return device_class_told(op->device_class, op->opcode, op->category, op->name) == DEVICE_COPY &&
           !op_copies_across(op) && !op_formats_data(op) && !op_waits_for_copy(op);
}

/* Without steady steps ops may lie outside of all that the whole covers: then it is at least as
 * long as they are. */
struct ops_share ops_share_of(const struct summary *summary, const struct ops_asked *asked)
{
    struct ops_share sum = {0};
    const bool steady = summary->steps.steady_spans > 0;
    const double spans = (double)(steady ? (size_t)summary->steps.steady_spans : asked->spans);
    double whole_ps = asked->whole_us * ps_per_us * spans;
    double all_ps = 0, ps = 0, count = 0, most_ps = -1;
    const struct told_ops ops = asked->of_kernels
                                    ? (struct told_ops){summary->ops, summary->op_count}
                                    : told_ops_of(summary);
    for (size_t i = 0; i < ops.count; i++) {
        const struct op_row *op = &ops.items[i];
        double self_ps = (double)(steady ? op->steady_self_ps : op->self_ps);
        double runs = (double)(steady ? op->steady_count : op->count);
        if (op->asynchronous)
            continue;
        all_ps += self_ps;
        bool is_asked = asked->holds(op);
        for (size_t k = 0; k < OPS_APART_MOST && asked->apart[k] != NULL; k++)
            is_asked = is_asked && !asked->apart[k](op);
        if (!is_asked)
            continue;
        if (asked->holds == op_is_tiny_kernel) { /* of a row of several ops those alone */
            self_ps = (double)(steady ? op->short_steady_self_ps : op->short_self_ps);
            runs = (double)(steady ? op->short_steady_count : op->short_count);
        }
        ps += self_ps;
        count += runs;
        if (self_ps > most_ps) {
            most_ps = self_ps;
            sum.most = op;
        }
    }
    if (!steady && all_ps > whole_ps)
        whole_ps = all_ps;
    sum.share = whole_ps > 0 ? ps / whole_ps : 0;
    if (steady) {
        sum.time_us = some_f64(ps / ps_per_us / spans);
        sum.count = some_f64(count / spans);
    }
    return sum;
}

/* By the operands, which stand in the last parentheses of the shapes. */
static bool is_wide(const char *shapes)
{
    static const char *const narrow[] = {"bf16[", "f16[", "f8", "f4", "s8[", "u8[", "s4["};
    const char *operands = strrchr(shapes, '(');
    if (operands == NULL)
        operands = shapes;
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++)
        if (strstr(operands, narrow[i]) != NULL)
            return false;
    return strstr(operands, "f32[") != NULL || strstr(operands, "f64[") != NULL;
}

struct opt_f64 wide_flops_share(const struct summary *summary, const struct op_row **ret_most)
{
    double all = 0, wide = 0, most = -1, time_ps = 0, covered_ps = 0;
    const struct told_ops ops = told_ops_of(summary);
    *ret_most = NULL;
    for (size_t i = 0; i < ops.count; i++) {
        const struct op_row *op = &ops.items[i];
        if (op->asynchronous)
            continue;
        time_ps += (double)op->self_ps;
        if (!op->flops.set || op->flops.value <= 0 || op->shape_signature == NULL)
            continue;
        covered_ps += (double)op->self_ps;
        all += op->flops.value;
        if (!is_wide(op->shape_signature))
            continue;
        wide += op->flops.value;
        if (op->flops.value > most) {
            most = op->flops.value;
            *ret_most = op;
        }
    }
    return all > 0 && covered_ps >= covered_least * time_ps ? some_f64(wide / all)
                                                            : (struct opt_f64){0};
}

/* A kernel's name tells it where nothing tells the arrays of its op. */
static enum precision precision_of_op(const struct op_row *op)
{
    return op->shape_signature != NULL ? precision_of_shapes(op->shape_signature)
                                       : precision_of_kernel(op->name);
}

/* By the op that the framework names, else by what libraries call such kernels. */
bool op_multiplies_wide(const struct op_row *op)
{
    static const char *const kernels[] = {"gemm",  "convol", "conv2d", "conv3d",
                                          "wgrad", "dgrad",  "scudnn", "winograd",
                                          "nvjet", "xmma",   "Cijk_"};
    bool multiplies = tensor_core_of_op(op->op_path) == TENSOR_CORE_YES;
    for (size_t i = 0; !multiplies && i < sizeof kernels / sizeof kernels[0]; i++)
        multiplies = has(op->name, kernels[i]);
    return multiplies && precision_of_op(op) == PRECISION_32BIT;
}

struct opt_f64 narrow_time_share(const struct summary *summary)
{
    double compute_ps = 0, narrow_ps = 0, wide_ps = 0;
    const struct told_ops ops = told_ops_of(summary);
    for (size_t i = 0; i < ops.count; i++) {
        const struct op_row *op = &ops.items[i];
        const enum precision precision = precision_of_op(op);
        if (op->asynchronous || device_class_told(op->device_class, op->opcode, op->category,
                                                  op->name) != DEVICE_COMPUTE)
            continue;
        compute_ps += (double)op->self_ps;
        narrow_ps += precision == PRECISION_16BIT ? (double)op->self_ps : 0;
        wide_ps += precision == PRECISION_32BIT ? (double)op->self_ps : 0;
    }
    const double told_ps = narrow_ps + wide_ps;
    return told_ps > 0 && told_ps >= covered_least * compute_ps ? some_f64(narrow_ps / told_ps)
                                                                : (struct opt_f64){0};
}
