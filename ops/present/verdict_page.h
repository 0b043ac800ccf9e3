/* What a verdict says to people, independent of where it is shown. */
#ifndef OPS_PRESENT_VERDICT_PAGE_H
#define OPS_PRESENT_VERDICT_PAGE_H

#include "ops/present/page.h"
#include "schema/verdict.h"

/* The one sentence that a person can act on, without the status: "step time 412.3 ms -> 431.9 ms
 * (+4.8 %): fusion.7 (attention/softmax) +18.9 ms/step". NULL beyond the budget. */
const char *verdict_sentence(const struct verdict *verdict, struct arena *arena);

/* Adds the headline and all sections. At most op_limit ops are listed; what is left out is counted.
 */
void verdict_page_fill(const struct verdict *verdict, size_t op_limit, struct page *page);

#endif
