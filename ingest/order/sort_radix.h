/* Sorts events that are in no order at all: by the bytes of their starts, least significant first,
 * skipping those that are the same everywhere, then what starts together.
 */
#ifndef INGEST_ORDER_SORT_RADIX_H
#define INGEST_ORDER_SORT_RADIX_H

#include "ingest/order/sort_merge.h"

/* Sorts items[count], which are few for the most part, by a comparison that leaves none equal. */
typedef int record_compare(const void *a, const void *b, void *context);
void sort_few(struct sort_record *items, size_t count, record_compare *compare, void *context);

/* Sorts items[count] by record_before, equal ones by place; spare has room for as many. */
void sort_radix(struct sort_record *items, size_t count, struct sort_record *spare);

#endif
