/* Tracked measures: taken from a summary when it is appended, for the files of history/ only. */
#ifndef HISTORY_MEASURES_H
#define HISTORY_MEASURES_H

#include "history/measure_table.h"
#include "schema/summary.h"

/* values[MEASURE_LIMIT], by number; what a summary does not tell is not set. */
void measures_take(const struct summary *summary, struct opt_f64 *values);

#endif
