/* The page of a report. Stays in its room. */
#ifndef OPS_PRESENT_TREND_REPORT_REPORT_PAGE_H
#define OPS_PRESENT_TREND_REPORT_REPORT_PAGE_H

#include "ops/present/page/page.h"
#include "schema/documents/trend_report.h"

/* All of its blocks. */
void report_page_fill(const struct trend_report *report, struct page *page);

/* How gates and series stand, behind what is new: verdicts, alerts, newcomers, noise, canaries. */
void report_state_fill(const struct trend_report *report, struct page *page);

#endif
