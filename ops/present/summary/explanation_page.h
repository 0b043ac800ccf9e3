/* The page of an explanation.
 */
#ifndef OPS_PRESENT_SUMMARY_EXPLANATION_PAGE_H
#define OPS_PRESENT_SUMMARY_EXPLANATION_PAGE_H

#include "ops/present/page/page.h"
#include "schema/documents/explanation.h"

/* Adds where the step's time went, the three things most worth doing, what else was found and what
 * could not be seen. */
void explanation_page_add(const struct explanation *explanation, struct page *page);

#endif
