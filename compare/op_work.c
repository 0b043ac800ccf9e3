/* Implements the comparison of work. */
#include "compare/op_work.h"

#include "schema/measures.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 200 }; /* the rest of a step is small change */

static const double flops_differ = 0.1; /* less may be a compiler's work */
static const double lead_share = 0.3;   /* of the step, that agrees on one ratio */
static const double shapes_share = 0.5; /* the same where operations are not known */
static const double ratio_close = 0.01; /* ratios of sizes are exact but for rounding up */

/* ---- order ----------------------------------------------------------------------------------- */

static int text_order(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* The number at *at, which is moved behind it. */
static double number_take(const char **at)
{
    double number = 0;
    for (; isdigit((unsigned char)**at); (*at)++)
        number = 10 * number + (**at - '0');
    return number;
}

/* Two shapes side by side: their forms without the dimensions ("f32[,](f32[,])"), then, where these
 * are the same, the first dimension that differs. *ret_same_form says which it was. */
static int shape_order(const char *a, const char *b, bool *ret_same_form)
{
    int order = 0;
    bool inside = false; /* of brackets: the numbers of types stay */
    a = a != NULL ? a : "";
    b = b != NULL ? b : "";
    *ret_same_form = false;
    while (*a != '\0' && *b != '\0') {
        if (inside && isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            double x = number_take(&a), y = number_take(&b);
            if (order == 0)
                order = (x > y) - (x < y);
            continue;
        }
        if (*a != *b)
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        inside = *a == '[' || (inside && *a != ']');
        a++;
        b++;
    }
    if (*a != *b)
        return *a == '\0' ? -1 : 1;
    *ret_same_form = true;
    return order;
}

/* *ret_same_key: they differ in dimensions at most. */
static int key_order(const struct op_row *a, const struct op_row *b, bool *ret_same_key)
{
    int order = text_order(a->op_path, b->op_path);
    *ret_same_key = false;
    if (order == 0)
        order = text_order(a->opcode, b->opcode);
    if (order == 0)
        order = text_order(a->category, b->category);
    if (order == 0)
        order = text_order(a->phase, b->phase);
    return order != 0 ? order : shape_order(a->shape_signature, b->shape_signature, ret_same_key);
}

static int cell_order(const void *left, const void *right)
{
    bool ignored;
    const struct op_work_cell *a = left, *b = right;
    int order = key_order(a->row, b->row, &ignored);
    if (order != 0)
        return order;
    return a->runs != b->runs ? (a->runs < b->runs ? -1 : 1)
                              : strcmp(a->row->signature, b->row->signature);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int size_order(const void *left, const void *right)
{
    const struct op_work_cell *a = left, *b = right;
    if (a->us != b->us)
        return a->us > b->us ? -1 : 1;
    return strcmp(a->row->signature, b->row->signature);
}

bool op_work_read(const struct summary *summary, struct arena *arena, struct op_work *ret_work)
{
    double spans = (double)summary->steps.steady_spans;
    struct op_work work = {.cells = arena_array(arena, struct op_work_cell, summary->op_count)};
    if (work.cells == NULL)
        return false;
    for (size_t i = 0; i < summary->op_count && spans > 0; i++) {
        const struct op_row *row = &summary->ops[i];
        if (row->asynchronous || row->steady_self_ps <= 0 || row->count <= 0)
            continue;
        double us = (double)row->steady_self_ps / spans / 1e6;
        work.cells[work.count++] =
            (struct op_work_cell){row, us, (double)row->steady_count / spans};
        work.us += us;
    }
    work.flops = step_flops(summary);
    if (work.count > 1)
        qsort(work.cells, work.count, sizeof *work.cells, size_order);
    work.count = work.count < CELLS_MAX ? work.count : CELLS_MAX;
    if (work.count > 1)
        qsort(work.cells, work.count, sizeof *work.cells, cell_order);
    *ret_work = work;
    return true;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* The ratio that all dimensions which differ have; 1 when none does, 0 when they have several. */
static double shape_ratio(const char *a, const char *b)
{
    double ratio = 1;
    bool inside = false;
    a = a != NULL ? a : "";
    b = b != NULL ? b : "";
    while (*a != '\0' && *b != '\0') {
        if (inside && isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            double x = number_take(&a), y = number_take(&b);
            if (x == y)
                continue;
            if (x <= 0 || y <= 0 || (ratio != 1 && fabs(y / x / ratio - 1) > ratio_close))
                return 0;
            ratio = y / x;
            continue;
        }
        inside = *a == '[' || (inside && *a != ']');
        a++;
        b++;
    }
    return ratio;
}

struct op_work_pair {
    const struct op_work_cell *before, *after;
    double ratio;   /* of work */
    bool of_shapes; /* the dimensions differ */
};

static int ratio_order(const void *left, const void *right)
{
    const struct op_work_pair *a = left, *b = right;
    return (a->ratio > b->ratio) - (a->ratio < b->ratio);
}

static size_t group_end(const struct op_work *work, size_t first)
{
    bool same = true;
    size_t end = first + 1;
    while (end < work->count) {
        (void)key_order(work->cells[first].row, work->cells[end].row, &same);
        if (!same)
            break;
        end++;
    }
    return end;
}

/* Cells of one key on both sides; of several as many, the i-th beside the i-th. */
static size_t pairs_make(const struct op_work *before, const struct op_work *after,
                         struct op_work_pair *pairs)
{
    size_t count = 0;
    for (size_t i = 0, j = 0; i < before->count && j < after->count;) {
        bool same;
        int order = key_order(before->cells[i].row, after->cells[j].row, &same);
        if (!same) {
            order < 0 ? i++ : j++;
            continue;
        }
        size_t i_end = group_end(before, i), j_end = group_end(after, j);
        for (; i_end - i == j_end - j && i < i_end; i++, j++) {
            const struct op_work_cell *a = &before->cells[i], *b = &after->cells[j];
            double shapes = shape_ratio(a->row->shape_signature, b->row->shape_signature);
            if (shapes > 0 && a->runs > 0 && b->runs > 0)
                pairs[count++] =
                    (struct op_work_pair){a, b, shapes * b->runs / a->runs, shapes != 1};
        }
        i = i_end;
        j = j_end;
    }
    qsort(pairs, count, sizeof *pairs, ratio_order);
    return count;
}

/* ---- the change ------------------------------------------------------------------------------ */

/* Pairs that agree on a ratio. */
struct lead {
    double us, shapes_us, ratio;
    const struct op_work_pair *largest;
};

static struct lead lead_find(const struct op_work_pair *pairs, size_t count)
{
    struct lead lead = {0};
    for (size_t i = 0, end; i < count; i = end) {
        struct lead group = {.ratio = pairs[i].ratio, .largest = &pairs[i]};
        for (end = i; end < count && pairs[end].ratio <= group.ratio * (1 + ratio_close); end++) {
            group.us += pairs[end].before->us;
            group.shapes_us += pairs[end].of_shapes ? pairs[end].before->us : 0;
            if (pairs[end].before->us > group.largest->before->us)
                group.largest = &pairs[end];
        }
        bool is_same = fabs(group.ratio - 1) <= ratio_close;
        if (!is_same && group.us > lead.us)
            lead = group;
    }
    return lead;
}

struct op_work_change op_work_compare(const struct op_work *before, const struct op_work *after)
{
    struct op_work_pair pairs[CELLS_MAX];
    struct op_work_change change = {0};
    struct lead lead = lead_find(pairs, pairs_make(before, after, pairs));
    if (lead.largest == NULL)
        return change;
    if (before->flops.set && after->flops.set) {
        double flops = after->flops.value / before->flops.value;
        change.differs = lead.us >= lead_share * before->us &&
                         fabs(log(flops)) >= log1p(flops_differ) && (flops > 1) == (lead.ratio > 1);
    } else {
        change.differs = lead.shapes_us >= shapes_share * before->us;
    }
    change.before = lead.largest->before;
    change.after = lead.largest->after;
    return change;
}

const char *op_work_text(const struct op_work *work, const struct op_work_cell *cell,
                         struct arena *arena)
{
    const char *shape = cell->row->shape_signature != NULL ? cell->row->shape_signature : "";
    shape += strspn(shape, "(");
    size_t length = strcspn(shape, "]");
    const char *first = arena_strndup(arena, shape, length + (shape[length] == ']'));
    if (first == NULL)
        return NULL;
    if (!work->flops.set)
        return arena_printf(arena, "%s x %.4g a step", first, cell->runs);
    return arena_printf(arena, "%s x %.4g, %.4g TFLOP a step", first, cell->runs,
                        work->flops.value / 1e12);
}
