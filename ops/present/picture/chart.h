/* Charts of bars: as characters (block elements, U+2581 to U+258F) and drawn. */
#ifndef OPS_PRESENT_PICTURE_CHART_H
#define OPS_PRESENT_PICTURE_CHART_H

#include "ops/present/picture/canvas.h"

/* One bar of a chart. */
struct bar {
    const char *label; /* "step 12" */
    double value;
    enum tone tone;
};

struct chart {
    const char *title; /* "Step time" */
    struct bar *bars;
    size_t bar_count;
    bool share; /* values are shares of a whole (0..1) that stand below each other; else µs in a row
                 */
    double reference; /* a line at this value; 0 = none */
};

/* Least and greatest value of a series. Dimmed bars (the warm-up) do not count where there are
 * others: they are cut at the greatest instead of flattening what matters. */
struct chart_range {
    double low, high;
};
struct chart_range chart_range_of(const struct chart *chart);

/* The slowest bar of those that share column `column` of `columns`. */
const struct bar *chart_column(const struct chart *chart, size_t column, size_t columns);

/* A bar of share (clipped to 0..1) of `columns` columns, in eighths of a column. */
void chart_bar(double share, int columns, struct text *out);

/* A series in one line without words: at most `columns` bars from its least to its greatest value,
 * each the greatest of the neighbours that share a column. */
void chart_sparkline_bars(const struct chart *chart, size_t columns, struct text *out);

/* A series of durations in one line: at most `columns` bars from its least to its greatest value (a
 * bar stands for the slowest of the neighbours that share a column), then the range that it spans.
 */
void chart_sparkline(const struct chart *chart, size_t columns, struct text *out);

/* Draws a struct chart with a bar at least: shares as lying bars, a series as standing ones over an
 * axis. A series starts at zero, as bars must, unless all of it lies so near together that steps
 * would look alike: then its axis shows where it starts. */
void chart_draw(const void *what, struct canvas *canvas);

#endif
