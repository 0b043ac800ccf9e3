/* Events in order, however they were written.
 */
#ifndef INGEST_ORDER_ORDER_H
#define INGEST_ORDER_ORDER_H

#include "ingest/order/device_clock.h"
#include "ingest/order/event.h"
#include "ingest/order/event_store.h"
#include "ingest/order/sorter.h"
#include "ingest/order/ties.h"

#endif
