/* Courses on the page of a trend, and as CSV. Stays in its room. */
#ifndef OPS_PRESENT_TREND_COURSES_PAGE_H
#define OPS_PRESENT_TREND_COURSES_PAGE_H

#include "ops/present/page/page.h"
#include "schema/documents/trend.h"

/* What moved in the runs of a trend that is not grouped: a sentence a change. */
void courses_moved_add(const struct trend *trend, struct page *page);

/* The whole page of a grouped one: a sentence, what moved, a row for each course. */
void courses_page_fill(const struct trend *trend, struct page *page);

/* A line for each course, change and drift; no line break at the end. ERR_LIMIT. */
bool courses_csv(const struct trend *trend, struct text *out, struct err *err);

#endif
