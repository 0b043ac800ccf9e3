/* Charts as characters: bars and sparklines of block elements (U+2581 to U+258F). */
#ifndef OPS_PRESENT_PAGE_CHART_H
#define OPS_PRESENT_PAGE_CHART_H

#include "ops/present/page/page_blocks.h"

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

#endif
