/* The section of a verdict on what is more than one op. */
#ifndef OPS_PRESENT_VERDICT_GROUPS_H
#define OPS_PRESENT_VERDICT_GROUPS_H

#include "ops/present/page.h"
#include "schema/verdict.h"

/* Adds a folded table of phases, categories, collectives, gaps, regions, hosts and devices, a few
 * of each kind; nothing when none changed. */
void verdict_groups_add(const struct verdict *verdict, struct page *page);

#endif
