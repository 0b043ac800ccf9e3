/* The changes of a series for a terminal. */
#ifndef OPS_PRESENT_TREND_CHANGE_POINTS_TEXT_H
#define OPS_PRESENT_TREND_CHANGE_POINTS_TEXT_H

#include "ops/present/page/page.h"
#include "schema/documents/change_points.h"

/* One sentence with how many changes are confirmed, then a row per change. No line break at the
 * end. ERR_LIMIT. */
bool change_points_text(const struct change_report *report, const struct text_style *style,
                        struct text *out, struct err *err);

#endif
