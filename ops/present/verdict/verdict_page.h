/* What a verdict says to people, independent of where it is shown. */
#ifndef OPS_PRESENT_VERDICT_VERDICT_PAGE_H
#define OPS_PRESENT_VERDICT_VERDICT_PAGE_H

#include "ops/present/page/page.h"
#include "schema/documents/verdict.h"
#include "schema/documents/verdict_course.h"

/* Adds the headline and all sections. At most op_limit ops are listed; what is left out is counted.
 */
void verdict_page_fill(const struct verdict *verdict, size_t op_limit, struct page *page);

/* The same for a browser, where there is room for many ops, and with a section on the course of the
 * runs behind the verdict; course: NULL = there is no ledger that tells it. */
void verdict_html_fill(const struct verdict *verdict, const struct verdict_course *course,
                       struct page *page);

/* Appends the verdict for a terminal: first one line that a person can act on, then the tables
 * behind it. No line break at the end. ERR_LIMIT. */
bool verdict_text(const struct verdict *verdict, const struct text_style *style, struct text *out,
                  struct err *err);

/* The same as the comment on a pull request, in GitHub's markdown: headline, step time and the ops
 * that moved; the rest is folded. Names cannot make links, mentions or markup. */
bool verdict_markdown(const struct verdict *verdict, struct text *out, struct err *err);

#endif
