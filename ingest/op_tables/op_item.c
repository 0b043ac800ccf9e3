/* See op_item.h. */
#include "ingest/op_tables/op_item.h"

#include "ingest/intervals/intervals.h"
#include "schema/documents/told_ops.h"

#include <string.h>

static void number_add(struct opt_f64 *sum, struct opt_f64 more)
{
    sum->value = (sum->set ? sum->value : 0) + (more.set ? more.value : 0);
    sum->set = sum->set || more.set;
}

void op_sums_add(struct op_sums *sums, const struct op_sums *more)
{
    ps_add(&sums->count, more->count);
    ps_add(&sums->total_ps, more->total_ps);
    ps_add(&sums->self_ps, more->self_ps);
    number_add(&sums->flops, more->flops);
    number_add(&sums->model_flops, more->model_flops);
    number_add(&sums->bytes_accessed, more->bytes_accessed);
    for (int i = 0; i < MEMORY_KINDS; i++)
        number_add(&sums->traffic[i], more->traffic[i]);
    ps_add(&sums->flops_untold_ps, more->flops_untold_ps);
    ps_add(&sums->bytes_untold_ps, more->bytes_untold_ps);
}

struct op_sums op_own_sums(const struct op_item *item)
{
    struct op_sums sums = item->sums;
    if (item->container || opcode_ends(item->opcode, "-start"))
        sums = (struct op_sums){
            .count = sums.count, .total_ps = sums.total_ps, .self_ps = sums.self_ps};
    return sums;
}

static bool is_half(const struct op_item *item)
{
    return opcode_is_half(item->opcode == NULL ? item->name : item->opcode);
}

struct op_sums op_timed_sums(const struct op_item *item)
{
    struct op_sums sums = op_own_sums(item);
    if (is_half(item)) {
        sums.bytes_accessed = (struct opt_f64){0};
        memset(sums.traffic, 0, sizeof sums.traffic);
    }
    return sums;
}

bool op_hides_work(const struct op_item *item)
{
    const struct op_sums sums = op_own_sums(item);
    if (item->container || item->collective != NULL || opcode_is_half(item->opcode) ||
        device_class_told(item->device_class, item->opcode, item->category, item->name) ==
            DEVICE_COPY)
        return false;
    return !sums.flops.set ||
           (op_is_custom(item->opcode, item->category) && !(sums.flops.value > 0));
}

static void zero_untell(struct opt_f64 *number)
{
    number->set = number->set && number->value > 0;
}

void op_item_settle(struct op_item *item)
{
    struct op_sums *sums = &item->sums;
    if (op_is_custom(item->opcode, item->category)) {
        zero_untell(&sums->flops);
        zero_untell(&sums->model_flops);
        zero_untell(&sums->bytes_accessed);
        for (int i = 0; i < MEMORY_KINDS && !sums->bytes_accessed.set; i++)
            sums->traffic[i] = (struct opt_f64){0};
    }
    const bool hides_bytes = !sums->bytes_accessed.set && !item->container && !is_half(item);
    sums->flops_untold_ps = op_hides_work(item) ? sums->self_ps : 0;
    sums->bytes_untold_ps = hides_bytes ? sums->self_ps : 0;
}

struct op_sums op_sums_told(const struct op_sums *sums)
{
    struct op_sums told = *sums;
    if (sums->flops_untold_ps > sums->self_ps / 2)
        told.flops = told.model_flops = (struct opt_f64){0};
    if (sums->bytes_untold_ps > sums->self_ps / 2) {
        told.bytes_accessed = (struct opt_f64){0};
        memset(told.traffic, 0, sizeof told.traffic);
    }
    return told;
}
