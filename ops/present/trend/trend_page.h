/* A trend for people and programs: a table with a sparkline, CSV, one SVG. */
#ifndef OPS_PRESENT_TREND_TREND_PAGE_H
#define OPS_PRESENT_TREND_TREND_PAGE_H

#include "ops/present/words/words.h"
#include "ops/present/page/page.h"
#include "schema/documents/trend.h"

/* Its blocks: a sentence, what moved, a row for each run or course. */
void trend_page_fill(const struct trend *trend, struct page *page);

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

/* One self-contained SVG: a line per level, a dot per run in the colour of its verdict. No line
 * break at the end. ERR_LIMIT; ERR_USAGE: a trend without points. */
bool trend_svg(const struct trend *trend, struct text *out, struct err *err);

/* A value of the trend with its unit: "412.3 ms", "12.3 %". Writes FORMAT_BYTES at most; returns
 * buffer. */
const char *trend_value(const struct trend *trend, double value, char *buffer);

/* The tone of a point's verdict; an accepted one is good. */
enum tone trend_tone(const struct trend_point *point);

#endif
