/* Whether the parts of a summary fit together, whatever it was made of: for fuzz targets. */
#ifndef TESTS_SUPPORT_SUMMARY_PARTS_H
#define TESTS_SUPPORT_SUMMARY_PARTS_H

#include "schema/documents/summary.h"

/* false: a sum is larger than what it is part of, a list is out of order, or the like. */
bool summary_parts_fit(const struct summary *summary);

#endif
