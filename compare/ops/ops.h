/* Ops that moved, and what that tells. */
#ifndef COMPARE_OPS_OPS_H
#define COMPARE_OPS_OPS_H

#include "compare/ops/cause.h"
#include "compare/ops/op_rows.h"

#endif
