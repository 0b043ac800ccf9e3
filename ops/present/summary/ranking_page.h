/* The page of a ranking.
 */
#ifndef OPS_PRESENT_SUMMARY_RANKING_PAGE_H
#define OPS_PRESENT_SUMMARY_RANKING_PAGE_H

#include "ops/present/page/page.h"
#include "schema/documents/ranking.h"

/* Adds a table of each group, what is not known of its runs and why, what takes no part. */
void ranking_page_add(const struct ranking *ranking, struct page *page);

#endif
