/* What a profile's summary says to people, independent of where it is shown. */
#ifndef OPS_PRESENT_SUMMARY_SUMMARY_PAGE_H
#define OPS_PRESENT_SUMMARY_SUMMARY_PAGE_H

#include "ops/present/page/page.h"
#include "schema/documents/summary.h"

/* Adds the headline and all sections; lists of ops and slow steps are cut to `limit` rows. */
void summary_page_fill(const struct summary *summary, size_t limit, struct page *page);

/* The sections, in files of their own. Each adds nothing when the summary holds nothing for it. */
void summary_steps_add(const struct summary *summary, size_t limit, struct page *page);
void summary_hosts_add(const struct summary *summary, struct page *page);
void summary_devices_add(const struct summary *summary, struct page *page);
void summary_memory_add(const struct summary *summary, size_t limit, struct page *page);
void summary_ops_add(const struct summary *summary, size_t limit, struct page *page);

#endif
