/* Draws stacked bars over an axis of time, and a legend that has each part's times. */
#include "ops/present/picture/stack_picture.h"

#include "ops/present/picture/axis.h"
#include "ops/present/picture/legend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 30, GAP = 12, DIGITS = 4 };

static const char *part_words(const struct stack *stack, const struct stack_part *part,
                              struct duration_scale scale, struct canvas *canvas)
{
    char before[FORMAT_BYTES], after[FORMAT_BYTES];
    return stack->bar_count < 2 ? arena_printf(canvas->arena, "%s %s", part->name,
                                               format_in_scale(scale, part->us[0], false, before))
                                : arena_printf(canvas->arena, "%s %s -> %s", part->name,
                                               format_in_scale(scale, part->us[0], false, before),
                                               format_in_scale(scale, part->us[1], false, after));
}

static int part_order(const void *left, const void *right)
{
    const struct stack_part *a = left, *b = right;
    double x = fmax(a->us[0], a->us[1]), y = fmax(b->us[0], b->us[1]);
    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(a->name, b->name);
}

size_t stack_parts_fold(struct stack_part *parts, size_t count, size_t room)
{
    qsort(parts, count, sizeof *parts, part_order);
    if (count <= room)
        return count;
    parts[room - 1].name = "other";
    for (size_t i = room; i < count; i++)
        for (size_t bar = 0; bar < STACK_BARS_MAX; bar++)
            parts[room - 1].us[bar] += parts[i].us[bar];
    return room;
}

void stack_draw(const void *what, struct canvas *canvas)
{
    const struct stack *stack = what;
    double longest = 0, names = 0;
    struct legend_item items[INK_PARTS];
    size_t parts = stack->part_count < INK_PARTS ? stack->part_count : INK_PARTS;
    for (size_t i = 0; i < stack->bar_count; i++) {
        double sum = 0;
        for (size_t j = 0; j < parts; j++)
            sum += stack->parts[j].us[i];
        longest = fmax(longest, sum);
        names = fmax(names, canvas_words_width(stack->bar_names[i]));
    }
    struct duration_scale scale = duration_scale_for(longest, DIGITS);
    for (size_t i = 0; i < parts; i++)
        items[i] =
            (struct legend_item){.swatch = SWATCH_AREA,
                                 .mark = {.ink = part_ink(i)},
                                 .words = part_words(stack, &stack->parts[i], scale, canvas)};
    double lower = canvas_title(canvas, stack->title);
    double top = legend_draw(items, parts, (struct spot){8, 26 + lower}, canvas) + 8;
    double bottom = top + (BAR + GAP) * (double)stack->bar_count;
    struct axis axis = axis_between("us", 0, longest, canvas->width < CANVAS_WIDE ? 3 : 6);
    axis.start = names + 16;
    axis.end = canvas->width - 40;
    axis_draw_lying(&axis, top, bottom, false, canvas);
    for (size_t i = 0; i < stack->bar_count; i++) {
        double y = top + GAP / 2.0 + (BAR + GAP) * (double)i, sum = 0;
        canvas_words(canvas, "ink", (struct caption){{names + 8, y + 20}, ANCHOR_END, 0},
                     stack->bar_names[i]);
        for (size_t j = 0; j < parts; j++) {
            double from = axis_px(&axis, sum);
            sum += stack->parts[j].us[i];
            canvas_rect(canvas, part_ink(j),
                        (struct area){from, y, fmax(axis_px(&axis, sum) - from, 0), BAR},
                        items[j].words);
        }
    }
    canvas->height = bottom + 26;
}
