/* Tracked measures: their names, and how they are taken from a summary when it is appended, for the
 * files of history/ only. */
#ifndef HISTORY_MEASURES_H
#define HISTORY_MEASURES_H

#include "history/measure_table.h"
#include "schema/summary.h"

struct measure_info {
    int number;
    const char *name, *unit;
};

/* The measure of that name. ERR_USAGE: none is tracked under it; suggests one and lists them all.
 */
bool measure_find(const char *name, const struct measure_info **ret_measure, struct err *err);

/* The measure of that number; NULL when this program knows none. */
const struct measure_info *measure_of_number(int number);

/* values[MEASURE_LIMIT], by number; what a summary does not tell is not set. */
void measures_take(const struct summary *summary, struct opt_f64 *values);

#endif
