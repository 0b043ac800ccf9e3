/* What the marks of a picture mean, in as few lines as fit. */
#ifndef OPS_PRESENT_PICTURE_LEGEND_H
#define OPS_PRESENT_PICTURE_LEGEND_H

#include "ops/present/picture/canvas.h"

enum swatch { SWATCH_MARK, SWATCH_LINE, SWATCH_AREA };

struct legend_item {
    enum swatch swatch;
    struct mark mark; /* SWATCH_MARK; of the others its ink alone */
    const char *words;
    bool absent; /* there is none of it in this picture */
};

/* Draws those that are there, from y on, between x and the right edge. Returns the y below. */
double legend_draw(const struct legend_item *items, size_t count, struct spot at,
                   struct canvas *canvas);

#endif
