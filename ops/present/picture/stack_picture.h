/* Where the time goes: a whole of parts, before and after, below each other. */
#ifndef OPS_PRESENT_PICTURE_STACK_PICTURE_H
#define OPS_PRESENT_PICTURE_STACK_PICTURE_H

#include "ops/present/picture/canvas.h"

enum { STACK_BARS_MAX = 2 };

struct stack_part {
    const char *name;
    double us[STACK_BARS_MAX];
};

struct stack {
    const char *title;
    const char *bar_names[STACK_BARS_MAX];
    size_t bar_count;
    const struct stack_part *parts; /* as they follow each other in each bar; INK_PARTS at most */
    size_t part_count;
};

/* Orders parts, those that take most first; beyond `room` they are one, "other". Returns how many
 * are left. */
size_t stack_parts_fold(struct stack_part *parts, size_t count, size_t room);

/* Draws a struct stack. */
void stack_draw(const void *what, struct canvas *canvas);

#endif
