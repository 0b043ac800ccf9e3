/* What a change of the step time is made of: a table of ops, and the pictures of it. */
#include "ops/present/trend/change_parts.h"

#include "ops/present/words/words.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 4 };

bool change_parts_drawing(const struct report_change *change, struct arena *arena,
                          struct drawing *ret_drawing)
{
    struct waterfall *waterfall = arena_new(arena, struct waterfall);
    struct waterfall_row *rows = arena_array(arena, struct waterfall_row, change->part_count);
    const char *title =
        arena_printf(arena, "What the step of %s is longer or shorter by", change->workload);
    if (change->part_count == 0)
        return false;
    for (size_t i = 0; i < change->part_count; i++) {
        const struct report_part *part = &change->parts[i];
        char words[FORMAT_CHANGE_BYTES];
        double delta = part->after_us - part->before_us;
        bool named = i < change->op_count;
        rows[i] = (struct waterfall_row){
            part->name, delta,
            !named      ? TONE_PLAIN
            : delta > 0 ? TONE_BAD
                        : TONE_GOOD,
            arena_printf(arena, "%s: %s", part->name,
                         format_change(part->before_us, part->after_us, words))};
    }
    *waterfall = (struct waterfall){title, "the step", rows, change->part_count};
    *ret_drawing = (struct drawing){title, waterfall_draw, waterfall};
    return true;
}

static bool stack_drawing(const struct report_change *change, struct arena *arena,
                          struct drawing *ret_drawing)
{
    struct stack *stack = arena_new(arena, struct stack);
    struct stack_part *parts = arena_array(arena, struct stack_part, change->category_count + 1);
    size_t count = change->category_count;
    count -= count > 0 && strcmp(change->categories[count - 1].name, REPORT_PART_BEYOND) == 0;
    if (count == 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct report_part *part = &change->categories[i];
        parts[i] = (struct stack_part){part->name, {part->before_us, part->after_us}};
    }
    const struct stack_part rest = parts[--count]; /* stays the last one */
    count = stack_parts_fold(parts, count, INK_PARTS - 1);
    parts[count++] = rest;
    const char *title = arena_printf(arena, "A step of %s, by category of op", change->workload);
    *stack = (struct stack){.title = title,
                            .bar_names = {"before", "after"},
                            .bar_count = STACK_BARS_MAX,
                            .parts = parts,
                            .part_count = count};
    *ret_drawing = (struct drawing){title, stack_draw, stack};
    return true;
}

static bool spread_drawing(const struct report_change *change, struct arena *arena,
                           struct drawing *ret_drawing)
{
    struct spread *spread = arena_new(arena, struct spread);
    struct spread_bin *bins = arena_array(arena, struct spread_bin, change->step_bin_count);
    const char *title =
        arena_printf(arena, "Steady steps of %s around the change", change->workload);
    *spread = (struct spread){.title = title,
                              .side_names = {"before", "after"},
                              .median_us = {change->before, change->after},
                              .median_words = "level",
                              .bins = bins};
    for (size_t i = 0; i < change->step_bin_count; i++) {
        const struct report_step_bin *bin = &change->step_bins[i];
        const double counts[SPREAD_SIDES] = {(double)bin->before, (double)bin->after};
        spread_add(spread, bins, bin->from_us, bin->until_us, counts);
    }
    *ret_drawing = (struct drawing){title, spread_draw, spread};
    return spread->bin_count > 0;
}

/* ---- on a page ------------------------------------------------------------------------------- */

static void op_row(const struct report_op *op, struct duration_scale scale, struct table *table)
{
    char number[FORMAT_BYTES];
    table_add(table, TONE_PLAIN, op->name);
    table_add(table, TONE_PLAIN, format_in_scale(scale, op->before_us, false, number));
    table_add(table, TONE_PLAIN, format_in_scale(scale, op->after_us, false, number));
    table_add(table, op->delta_us > 0 ? TONE_BAD : TONE_GOOD,
              format_in_scale(scale, op->delta_us, true, number));
    if (op->share_pct.set)
        table_addf(table, TONE_PLAIN, "%ld %%", lround(op->share_pct.value));
    else
        table_add(table, TONE_PLAIN, "");
}

static void ops_add(const struct report_change *change, struct page *page)
{
    static const struct table_column columns[] = {{"op (per step and device)", COLUMN_NAME},
                                                  {"before", COLUMN_NUMBER},
                                                  {"after", COLUMN_NUMBER},
                                                  {"delta", COLUMN_NUMBER},
                                                  {"of the change", COLUMN_NUMBER}};
    struct drawing drawing;
    double largest = 0;
    if (change->op_count == 0)
        return;
    for (size_t i = 0; i < change->op_count; i++)
        largest = change->ops[i].before_us > largest ? change->ops[i].before_us : largest;
    struct duration_scale scale = duration_scale_for(largest, DIGITS);
    struct table *table = page_table(page, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < change->op_count; i++)
        op_row(&change->ops[i], scale, table);
    for (size_t i = change->op_count; i < change->part_count; i++) { /* ops may be more than all */
        const struct report_part *part = &change->parts[i];
        double delta = part->after_us - part->before_us, whole = change->after - change->before;
        const struct report_op rest = {.name = part->name,
                                       .before_us = part->before_us,
                                       .after_us = part->after_us,
                                       .delta_us = delta,
                                       .share_pct = whole != 0 ? some_f64(100 * delta / whole)
                                                               : (struct opt_f64){0}};
        op_row(&rest, scale, table);
    }
    if (change_parts_drawing(change, page->arena, &drawing))
        page_picture(page, drawing, NULL);
}

void change_parts_add(const struct report_change *change, struct page *page)
{
    struct drawing drawing;
    ops_add(change, page);
    if (stack_drawing(change, page->arena, &drawing))
        page_picture(page, drawing, NULL);
    if (spread_drawing(change, page->arena, &drawing))
        page_picture(page, drawing, NULL);
}
