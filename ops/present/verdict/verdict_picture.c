/* Fills the pictures of a verdict. */
#include "ops/present/verdict/verdict_picture.h"

#include "ops/present/words/words.h"
#include "schema/documents/verdict_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_DRAWN = 14, DIGITS = 4 };

/* ---- what the step gained -------------------------------------------------------------------- */

static int op_order(const void *left, const void *right)
{
    const struct verdict_op *const *a = left, *const *b = right;
    double x = fabs((*a)->delta_us), y = fabs((*b)->delta_us);
    if (x != y)
        return x > y ? -1 : 1;
    return strcmp((*a)->signature, (*b)->signature);
}

/* The ops that moved, those by most first. */
static const struct verdict_op **moved_of(const struct verdict *verdict, struct arena *arena)
{
    size_t count = verdict_moved_count(verdict);
    const struct verdict_op **ops = arena_array(arena, const struct verdict_op *, count);
    for (size_t i = 0; i < count; i++)
        ops[i] = &verdict->ops[i];
    qsort(ops, count, sizeof *ops, op_order);
    return ops;
}

static struct waterfall_row row_of(const char *name, double delta_us, enum tone tone,
                                   struct arena *arena)
{
    char number[FORMAT_BYTES];
    return (struct waterfall_row){
        name, delta_us, tone,
        arena_printf(arena, "%s: %s", name, format_duration_delta(delta_us, DIGITS, number))};
}

static struct drawing waterfall_make(const struct verdict *verdict, const char *title,
                                     struct arena *arena)
{
    struct waterfall *waterfall = arena_new(arena, struct waterfall);
    struct waterfall_row *rows = arena_array(arena, struct waterfall_row, OPS_DRAWN + 3);
    const struct verdict_op **ops = moved_of(verdict, arena);
    /* Those that are drawn, all others of ops together, idle time, and what is left over. */
    const struct verdict_balance *balance = &verdict->balance;
    size_t moved = verdict_moved_count(verdict), count = 0;
    double others = balance->ops_delta_us;
    for (; count < moved && count < OPS_DRAWN; count++) {
        rows[count] = row_of(ops[count]->name, ops[count]->delta_us,
                             ops[count]->delta_us > 0 ? TONE_BAD : TONE_GOOD, arena);
        others -= ops[count]->delta_us;
    }
    const char *rest = moved > count
                           ? arena_printf(arena, "all other ops (%zu of them moved)", moved - count)
                       : count > 0 ? "all other ops"
                                   : "all ops";
    rows[count++] = row_of(rest, others, TONE_PLAIN, arena);
    rows[count++] = row_of("idle", balance->idle_delta_us, TONE_PLAIN, arena);
    rows[count++] = row_of("not explained", balance->residual_us, TONE_DIM, arena);
    *waterfall = (struct waterfall){title, "the step", rows, count};
    return (struct drawing){title, waterfall_draw, waterfall};
}

void verdict_waterfall_add(const struct verdict *verdict, struct page *page)
{
    static const char title[] =
        "What the step gained, per step and device (means over steady steps)";
    if (verdict->balance.known)
        page_picture(page, waterfall_make(verdict, title, page->arena), NULL);
}

/* ---- where the time goes --------------------------------------------------------------------- */

static const struct verdict_measure *idle_of(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->measure_count; i++) {
        const struct verdict_measure *measure = &verdict->measures[i];
        if (strcmp(measure->name, "step_idle") == 0 && measure->before.set && measure->after.set)
            return measure;
    }
    return NULL;
}

void verdict_stack_add(const struct verdict *verdict, struct page *page)
{
    struct stack *stack = arena_new(page->arena, struct stack);
    struct stack_part *parts =
        arena_array(page->arena, struct stack_part, verdict->group_count + 1);
    const struct verdict_measure *idle = idle_of(verdict);
    size_t count = 0;
    for (size_t i = 0; i < verdict->group_count; i++) {
        const struct verdict_group *group = &verdict->groups[i];
        if (strcmp(group->kind, "category") == 0)
            parts[count++] =
                (struct stack_part){group->name,
                                    {verdict_of_all(group->before_us, &group->before_runs),
                                     verdict_of_all(group->after_us, &group->after_runs)}};
    }
    if (count == 0)
        return;
    count = stack_parts_fold(parts, count, INK_PARTS - 1);
    if (idle != NULL)
        parts[count++] = (struct stack_part){"idle", {idle->before.value, idle->after.value}};
    *stack = (struct stack){.title = "Where a step's time goes, by category of op",
                            .bar_names = {"baseline", "candidate"},
                            .bar_count = STACK_BARS_MAX,
                            .parts = parts,
                            .part_count = count};
    page_picture(page, (struct drawing){stack->title, stack_draw, stack}, NULL);
}

/* ---- how long steps took --------------------------------------------------------------------- */

void verdict_spread_add(const struct verdict *verdict, struct page *page)
{
    struct spread *spread = arena_new(page->arena, struct spread);
    struct spread_bin *bins = arena_array(page->arena, struct spread_bin, verdict->step_bin_count);
    const struct opt_f64 before = verdict->baseline.step_median_us;
    const struct opt_f64 after = verdict->candidate.step_median_us;
    *spread =
        (struct spread){.title = "How long steady steps took, of all runs of each side",
                        .side_names = {"baseline", "candidate"},
                        .median_us = {before.set ? before.value : 0, after.set ? after.value : 0},
                        .bins = bins};
    for (size_t i = 0; i < verdict->step_bin_count; i++) {
        const struct verdict_step_bin *bin = &verdict->step_bins[i];
        const double counts[SPREAD_SIDES] = {(double)bin->baseline, (double)bin->candidate};
        spread_add(spread, bins, bin->from_us, bin->until_us, counts);
    }
    if (spread->bin_count > 0)
        page_picture(page, (struct drawing){spread->title, spread_draw, spread}, NULL);
}

/* ---- alone ----------------------------------------------------------------------------------- */

bool verdict_svg(const struct verdict *verdict, struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    if (!verdict->balance.known)
        return err_set(err, ERR_USAGE,
                       "option --format: this verdict has no ops to draw (a side has no steps, or "
                       "nothing was compared); html shows what there is");
    const char *title = arena_printf(&arena, "%s, %s/%s: what the step gained, per step and device",
                                     verdict_status_words[verdict->status],
                                     verdict->project != NULL ? verdict->project : "-",
                                     verdict->workload != NULL ? verdict->workload : "-");
    const struct drawing drawing = waterfall_make(verdict, title, &arena);
    picture_svg(&drawing, CANVAS_WIDE, true, &arena, out);
    return text_ok(out, "the verdict", err) && arena_ok(&arena, "the verdict", err);
}

bool verdict_png(const struct verdict *verdict, struct text *out, struct err *err)
{
    scoped_text svg;
    text_init(&svg, CANVAS_MAX_BYTES);
    return verdict_svg(verdict, &svg, err) && picture_png(&svg, out, err);
}
