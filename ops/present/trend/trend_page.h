/* A trend for people and programs: a table with a sparkline, CSV, one SVG. */
#ifndef OPS_PRESENT_TREND_TREND_PAGE_H
#define OPS_PRESENT_TREND_TREND_PAGE_H

#include "ops/present/words/words.h"
#include "ops/present/page/page.h"
#include "schema/documents/trend.h"

/* For a terminal. No line break at the end. ERR_LIMIT. */
bool trend_text(const struct trend *trend, const struct text_style *style, struct text *out,
                struct err *err);

/* For a pull request or a wiki. No line break at the end. ERR_LIMIT. */
bool trend_markdown(const struct trend *trend, struct text *out, struct err *err);

/* RFC 4180 with a header line; numbers as in the JSON form. A text that a spreadsheet would take
 * for a formula is written behind an apostrophe. No line break at the end. ERR_LIMIT. */
bool trend_csv(const struct trend *trend, struct text *out, struct err *err);

/* The same with its picture, self-contained. ERR_LIMIT. */
bool trend_html(const struct trend *trend, struct text *out, struct err *err);

/* What a run is called on hovering, in the arena: its name, value, verdict, day and commit. */
const char *trend_point_title(const char *unit, const struct trend_point *point,
                              struct arena *arena);

/* Its runs, levels, changes and breaks as a picture has them, in the arena; of a trend with points.
 */
void trend_series(const struct trend *trend, struct arena *arena,
                  struct series_picture *ret_picture);

/* Its picture: a mark for each run, a line for each level, a band where a change lies. Of a trend
 * with points; in the arena. */
struct drawing trend_drawing(const struct trend *trend, struct arena *arena);

/* The same as one self-contained SVG, without line break at the end, and as PNG. ERR_LIMIT;
 * ERR_USAGE: a trend without points; ERR_UNAVAILABLE of picture_png. */
bool trend_svg(const struct trend *trend, struct text *out, struct err *err);
bool trend_png(const struct trend *trend, struct text *out, struct err *err);

#endif
