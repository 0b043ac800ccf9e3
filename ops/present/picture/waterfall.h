/* What a change is made of: bars that begin where the one before ended, and add up. */
#ifndef OPS_PRESENT_PICTURE_WATERFALL_H
#define OPS_PRESENT_PICTURE_WATERFALL_H

#include "ops/present/picture/canvas.h"

struct waterfall_row {
    const char *name;
    double delta_us;
    enum tone tone;
    const char *title; /* on hovering */
};

/* The last bar is the sum of all rows, from 0. */
struct waterfall {
    const char *title, *sum_name;
    const struct waterfall_row *rows;
    size_t row_count;
};

/* Draws a struct waterfall. */
void waterfall_draw(const void *what, struct canvas *canvas);

#endif
