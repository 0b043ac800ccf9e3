/* What a capture must be before it counts as a sample of a run. */
#ifndef OPS_SERVE_CAPTURE_H
#define OPS_SERVE_CAPTURE_H

#include "schema/summary.h"

/* ERR_INPUT when it holds no timeline event: a valid summary, but no sample of any run. */
bool capture_check(const struct summary *summary, struct err *err);

#endif
