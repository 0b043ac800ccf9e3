/* The report of a profile: the reference tool's markdown to the letter, and our own page as text or
 * HTML. */
#ifndef OPS_PRESENT_REPORT_REPORT_H
#define OPS_PRESENT_REPORT_REPORT_H

#include "ops/present/page/page.h"
#include "ops/present/report/history_report.h"
#include "schema/documents/summary.h"

#include <stdint.h>

/* Appends the report (README.md, Report), ended by one line break. top_k cuts lists
 * as a Python slice. ERR_LIMIT. */
bool report_markdown(const struct summary *summary, int64_t top_k, struct text *out,
                     struct err *err);

/* Append the page of ours with lists cut to top_k rows. No line break at the end.
 * ERR_LIMIT. */
bool report_text(const struct summary *summary, int64_t top_k, const struct text_style *style,
                 struct text *out, struct err *err);
bool report_html(const struct summary *summary, int64_t top_k, struct text *out, struct err *err);

#endif
