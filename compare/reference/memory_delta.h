/* What is in use on devices, of two summaries side by side. */
#ifndef COMPARE_REFERENCE_MEMORY_DELTA_H
#define COMPARE_REFERENCE_MEMORY_DELTA_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/comparison.h"
#include "schema/documents/summary.h"

/* Compares two memory profiles. Lines are joined by kind, source and function over all devices;
 * what has no such partner, as lines move when code is edited, by kind, file name and function. */
struct memory_delta memory_delta_make(const struct memory_summary *before,
                                      const struct memory_summary *after, struct arena *arena);

#endif
