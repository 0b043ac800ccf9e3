/* The monthly partitions of the tables that grow with ops, steps and devices
 * (schema/migrations/0042_months.sql): there when an append needs them, whoever was asleep. */
#ifndef HISTORY_PROFILES_MONTHS_H
#define HISTORY_PROFILES_MONTHS_H

#include "history/db.h"

#include <stdint.h>

/* For an append, in its transaction and before its rows: the partitions of the month in which the
 * profile was recorded (recorded_us: since 1970). Asks the server once per connection and month.
 * Who makes them holds others up until the end of its transaction. */
bool months_ensure(struct db *db, int64_t recorded_us, struct err *err);

/* Ahead of time: the partitions of this month and the next one. *ret_new: some were missing. */
bool months_prepare(struct db *db, bool *ret_new, struct err *err);

#endif
