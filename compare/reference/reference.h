/* The reference tool's comparison of two summaries, and its assessment. */
#ifndef COMPARE_REFERENCE_REFERENCE_H
#define COMPARE_REFERENCE_REFERENCE_H

#include "compare/reference/comparison.h"
#include "compare/reference/memory_delta.h"
#include "compare/reference/track.h"

#endif
