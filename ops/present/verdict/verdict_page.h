/* What a verdict says to people, independent of where it is shown. */
#ifndef OPS_PRESENT_VERDICT_VERDICT_PAGE_H
#define OPS_PRESENT_VERDICT_VERDICT_PAGE_H

#include "ops/present/page/page.h"
#include "schema/documents/verdict.h"

enum { VERDICT_HTML_OPS = 50 }; /* listed where there is room for many */

/* Adds the headline and all sections. At most op_limit ops are listed; what is left out is counted.
 */
void verdict_page_fill(const struct verdict *verdict, size_t op_limit, struct page *page);

#endif
