/* How step times spread on both sides: how many of a hundred steps took how long. */
#ifndef OPS_PRESENT_PICTURE_SPREAD_PICTURE_H
#define OPS_PRESENT_PICTURE_SPREAD_PICTURE_H

#include "ops/present/picture/canvas.h"

#include "schema/documents/optional.h"

enum { SPREAD_SIDES = 2 };

/* Bins follow each other without a hole. */
struct spread_bin {
    double from_us, until_us;
    double count[SPREAD_SIDES]; /* steps */
};

struct spread {
    const char *title;
    const char *side_names[SPREAD_SIDES];
    double median_us[SPREAD_SIDES]; /* 0 = not known */
    const char *median_words;       /* what they are; NULL = medians of these steps */
    const struct spread_bin *bins;
    size_t bin_count;
    double beyond[SPREAD_SIDES]; /* steps that took longer than the last bin has them */
};

/* Counts the steps of each side that took from_us to until_us: in a bin behind the others, for
 * which spread->bins, given as bins, has room, or beyond all where no end is known. */
void spread_add(struct spread *spread, struct spread_bin *bins, double from_us,
                struct opt_f64 until_us, const double counts[SPREAD_SIDES]);

/* Draws a struct spread with a bin at least. */
void spread_draw(const void *what, struct canvas *canvas);

#endif
