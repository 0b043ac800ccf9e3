/* Axes: from a range of values to pixels, with few ticks at round numbers in one unit. */
#ifndef OPS_PRESENT_PICTURE_AXIS_H
#define OPS_PRESENT_PICTURE_AXIS_H

#include "ops/present/picture/canvas.h"
#include "ops/runtime/text.h"

struct axis {
    double low, high;            /* values at its ends, round ones */
    double step;                 /* from a tick to the next */
    double start, end;           /* px at its ends */
    struct duration_scale scale; /* of its labels; of a share .01 per %, of a count without unit */
};

/* An axis over the range in about so many steps; unit as measures have it (us, share, ratio,
 * count). It begins at 0 unless values lie so near each other that a change would not be seen. */
struct axis axis_over(const char *unit, double low, double high, int steps);

/* The same with both ends as they are, rounded outwards; for changes around 0. */
struct axis axis_between(const char *unit, double low, double high, int steps);

/* px of a value, within the axis. */
double axis_px(const struct axis *axis, double value);

/* "412.5 ms" of a tick; with a sign for a change. Returns buffer[FORMAT_BYTES]. */
const char *axis_words(const struct axis *axis, double value, bool with_sign, char *buffer);

/* The pixels that the widest of its labels takes. */
double axis_words_width(const struct axis *axis, bool with_sign);

/* Ticks of a standing axis: a line across from x to x + width for each, its label before. */
void axis_draw_standing(const struct axis *axis, double x, double width, struct canvas *canvas);

/* Ticks of a lying axis: a line from top to bottom for each, its label below. */
void axis_draw_lying(const struct axis *axis, double top, double bottom, bool with_sign,
                     struct canvas *canvas);

#endif
