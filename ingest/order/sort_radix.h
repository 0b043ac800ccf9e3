/* Sorts events that are in no order at all: least significant byte first, on keys of their own,
 * skipping bytes that are the same everywhere. Stable.
 */
#ifndef INGEST_ORDER_SORT_RADIX_H
#define INGEST_ORDER_SORT_RADIX_H

#include "ingest/order/sort_merge.h"

/* Sorts items[count] by record_before; spare has room for as many. */
void sort_radix(struct sort_record *items, size_t count, struct sort_record *spare);

#endif
