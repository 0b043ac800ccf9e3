/* The pictures of a verdict. */
#ifndef OPS_PRESENT_VERDICT_VERDICT_PICTURE_H
#define OPS_PRESENT_VERDICT_VERDICT_PICTURE_H

#include "ops/present/page/page.h"
#include "schema/documents/verdict.h"
#include "schema/documents/verdict_course.h"

/* A section with the step time of the runs behind the verdict, each marked by its part in it; where
 * there is none (course is NULL, or says why), that. */
void verdict_course_add(const struct verdict *verdict, const struct verdict_course *course,
                        struct page *page);

/* What the step gained or lost, op by op: those that moved, the others together, idle time and what
 * none of them explains add up to it. Nothing where the balance is not known. */
void verdict_waterfall_add(const struct verdict *verdict, struct page *page);

/* Where the time of a step goes, by category of op and idle, before and after. Nothing where
 * neither is known. */
void verdict_stack_add(const struct verdict *verdict, struct page *page);

/* How steps spread on both sides. Nothing where the verdict does not tell it. */
void verdict_spread_add(const struct verdict *verdict, struct page *page);

/* The first of these as one self-contained SVG or as PNG. ERR_USAGE: the verdict has no balance;
 * ERR_LIMIT, ERR_UNAVAILABLE of picture_png. */
bool verdict_svg(const struct verdict *verdict, struct text *out, struct err *err);
bool verdict_png(const struct verdict *verdict, struct text *out, struct err *err);

#endif
