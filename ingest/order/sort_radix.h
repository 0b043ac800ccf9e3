/* Sorts events that are in no order at all: by the bytes of their starts, least significant first,
 * skipping those that are the same everywhere, then what starts together.
 */
#ifndef INGEST_ORDER_SORT_RADIX_H
#define INGEST_ORDER_SORT_RADIX_H

#include "ingest/order/sort_merge.h"

/* Sorts items[count] by record_before, equal ones by place; spare has room for as many. */
void sort_radix(struct sort_record *items, size_t count, struct sort_record *spare);

#endif
