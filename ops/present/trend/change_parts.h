/* What a change of the step time is made of, for trends and reports. */
#ifndef OPS_PRESENT_TREND_CHANGE_PARTS_H
#define OPS_PRESENT_TREND_CHANGE_PARTS_H

#include "ops/present/page/page.h"
#include "schema/documents/trend_report.h"

/* The parts that the step is longer or shorter by, which add up to the change. false: there are
 * none to draw. */
bool change_parts_drawing(const struct report_change *change, struct arena *arena,
                          struct drawing *ret_drawing);

/* Its ops as a table and as a picture, where the time of a step goes on both sides, and how long
 * steps took; what is not told is left out. */
void change_parts_add(const struct report_change *change, struct page *page);

#endif
