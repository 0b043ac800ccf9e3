/* Implements the comparison of work. */
#include "compare/provenance/op_work.h"

#include "schema/documents/measures.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 200 }; /* the rest of a step is small change */

static const double flops_differ = 0.1; /* less may be a compiler's work */
static const double lead_share = 0.3;   /* of the step, that agrees on one ratio */
static const double shapes_share = 0.5; /* the same where operations are not known */
static const double ratio_close = 0.01; /* ratios of sizes are exact but for rounding up */
static const double close_part = 0.25;  /* of a small ratio, that rounding up may make of it */
static const double contrary = 0.25;    /* of the ops that agree: ops that say something else */
static const double flops_part = 0.5;   /* of a ratio, that the operations follow at least */

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

void op_work_read(const struct summary *summary, struct arena *arena, struct op_work *ret_work)
{
    double spans = (double)summary->steps.steady_spans;
    struct op_work work = {.cells = arena_array(arena, struct op_work_cell, summary->op_count)};
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
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* What two shapes of one form differ in. Dimensions before the last of an array count what is
 * worked on (batch, sequence); the last is the width of the model. Arrays of one dimension do not
 * tell. */
struct shape_change {
    double ratio; /* that all dimensions which differ have; 1: none does, 0: they have several */
    /* Before, of the first that differs and is not a last: its size, and that of its array without
       the last dimension, as arrays have it that are folded; 0: only last ones differ. */
    double size, folded;
    bool of_width;
};

static struct shape_change shape_compare(const char *a, const char *b)
{
    struct shape_change change = {.ratio = 1};
    bool inside = false, is_first = false;
    double rows = 1;
    a = a != NULL ? a : "";
    b = b != NULL ? b : "";
    while (*a != '\0' && *b != '\0') {
        if (inside && isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            double x = number_take(&a), y = number_take(&b);
            bool is_last = *a != ',', is_told = !is_last || !is_first;
            rows = (is_first ? 1 : rows) * (is_last ? 1 : x);
            is_first = false;
            if (is_last && change.size > 0 && change.folded == 0)
                change.folded = rows;
            if (x == y)
                continue;
            bool other = change.ratio != 1 && fabs(y / x / change.ratio - 1) > ratio_close;
            if (x <= 0 || y <= 0 || other)
                return (struct shape_change){0};
            change.ratio = y / x;
            change.size = change.size > 0 || is_last ? change.size : x;
            change.of_width |= is_last && is_told;
            continue;
        }
        is_first = *a == '[' || is_first;
        inside = *a == '[' || (inside && *a != ']');
        a++;
        b++;
    }
    return change;
}

static bool is_size(double size, double before, const struct shape_change *change)
{
    return size == before || size == round(before * change->ratio);
}

/* Whether an array counts as many of something as those that changed did, on either side. */
static bool shape_counts(const char *shape, const struct shape_change *change)
{
    bool inside = false;
    while (shape != NULL && *shape != '\0') {
        if (inside && isdigit((unsigned char)*shape)) {
            double size = number_take(&shape);
            if (*shape == ',' &&
                (is_size(size, change->size, change) || is_size(size, change->folded, change)))
                return true;
            continue;
        }
        inside = *shape == '[' || (inside && *shape != ']');
        shape++;
    }
    return false;
}

struct op_work_pair {
    const struct op_work_cell *before, *after;
    double ratio; /* of work; 0: its dimensions have several */
    struct shape_change shape;
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

/* ---- the change ------------------------------------------------------------------------------ */

/* Pairs that agree on a ratio. */
struct lead {
    double us, shapes_us, ratio;
    const struct op_work_pair *largest;
};

/* 17 rows for 16 are other work as much as 32 are, though the operations hardly tell: where the ops
 * that count something count more of it by one ratio, as often as before. Ops that go on counting
 * as many, others that changed otherwise, or a width that did, say that the program is another. */
static const struct op_work_pair *counts_compare(const struct op_work *before,
                                                 const struct op_work *after,
                                                 const struct op_work_pair *pairs, size_t count)
{
    /* The largest op that counts other numbers of something. */
    const struct op_work_pair *largest = NULL;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].shape.size > 0 &&
            (largest == NULL || pairs[i].before->us > largest->before->us))
            largest = &pairs[i];
    }
    double agreeing = 0, against = 0;
    bool are_flops_known = before->flops.set && after->flops.set;
    if (largest == NULL)
        return NULL;
    double ratio = log(largest->shape.ratio);
    for (size_t i = 0; i < count; i++) {
        const struct op_work_pair *pair = &pairs[i];
        bool is_as_often = fabs(pair->after->runs / pair->before->runs - 1) <= ratio_close;
        bool agrees = pair->ratio > 0 && fabs(log(pair->shape.ratio) / ratio - 1) <= close_part &&
                      is_as_often;
        if (pair->shape.ratio == 1 && is_as_often)
            against += shape_counts(pair->before->row->shape_signature, &largest->shape)
                           ? pair->before->us
                           : 0;
        else if (agrees && pair->shape.size > 0)
            agreeing += pair->before->us;
        else if (!agrees || pair->shape.of_width)
            against += pair->before->us;
    }
    if (are_flops_known && log(after->flops.value / before->flops.value) / ratio < flops_part)
        return NULL;
    bool is_most = agreeing >= (are_flops_known ? lead_share : shapes_share) * before->us;
    return is_most && against <= contrary * agreeing ? largest : NULL;
}

struct op_work_change op_work_compare(const struct op_work *before, const struct op_work *after)
{
    struct op_work_pair pairs[CELLS_MAX];
    struct op_work_change change = {0};
    /* Cells of one key on both sides; of several as many, the i-th beside the i-th. */
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
            struct shape_change shape =
                shape_compare(a->row->shape_signature, b->row->shape_signature);
            if (a->runs > 0 && b->runs > 0)
                pairs[count++] =
                    (struct op_work_pair){a, b, shape.ratio * b->runs / a->runs, shape};
        }
        i = i_end;
        j = j_end;
    }
    qsort(pairs, count, sizeof *pairs, ratio_order);
    const struct op_work_pair *counted = counts_compare(before, after, pairs, count);
    if (counted != NULL)
        return (struct op_work_change){true, counted->before, counted->after};
    struct lead lead = {0};
    for (size_t k = 0, end; k < count; k = end) {
        struct lead group = {.ratio = pairs[k].ratio, .largest = &pairs[k]};
        for (end = k; end < count && pairs[end].ratio <= group.ratio * (1 + ratio_close); end++) {
            group.us += pairs[end].before->us;
            group.shapes_us += pairs[end].shape.ratio != 1 ? pairs[end].before->us : 0;
            if (pairs[end].before->us > group.largest->before->us)
                group.largest = &pairs[end];
        }
        bool is_same = fabs(group.ratio - 1) <= ratio_close;
        if (!is_same && group.ratio > 0 && group.us > lead.us)
            lead = group;
    }
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
    if (!work->flops.set)
        return arena_printf(arena, "%s x %.4g a step", first, cell->runs);
    return arena_printf(arena, "%s x %.4g, %.4g TFLOP a step", first, cell->runs,
                        work->flops.value / 1e12);
}
