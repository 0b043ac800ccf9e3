/* The page of a ranking, and its rows as CSV.
 */
#ifndef OPS_PRESENT_SUMMARY_RANKING_PAGE_H
#define OPS_PRESENT_SUMMARY_RANKING_PAGE_H

#include "ops/present/page/page.h"
#include "schema/documents/ranking.h"

/* Adds a table of each group, what is not known of its runs and why, what takes no part. */
void ranking_page_add(const struct ranking *ranking, struct page *page);

/* A row a run, in their order. ERR_LIMIT. */
bool ranking_csv(const struct ranking *ranking, struct arena *arena, struct text *out,
                 struct err *err);

#endif
