/* The pictures of a report. Stays in its room. */
#ifndef OPS_PRESENT_TREND_REPORT_REPORT_DRAWINGS_H
#define OPS_PRESENT_TREND_REPORT_REPORT_DRAWINGS_H

#include "ops/present/picture/picture.h"
#include "schema/documents/trend_report.h"

/* No finding before the one that `course` is a member of names the same course. */
bool report_course_is_new(const struct trend_report *report, const struct opt_i64 *course);

/* The course that a finding names: its runs, levels, and every change that the report tells of it.
 * false: there is none to draw. */
bool report_course_drawing(const struct trend_report *report, struct opt_i64 course,
                           struct arena *arena, struct drawing *ret_drawing);

#endif
