/* Charts as SVG, and the classes that HTML and SVG share. */
#ifndef OPS_PRESENT_PAGE_PAGE_SVG_H
#define OPS_PRESENT_PAGE_PAGE_SVG_H

#include "ops/present/page/page_blocks.h"

/* The class of a tone in the page's style sheet; "" for plain. */
const char *html_tone_class(enum tone tone);

/* Appends one <svg>; nothing for a chart without bars. */
void svg_chart(const struct chart *chart, struct text *out);

#endif
