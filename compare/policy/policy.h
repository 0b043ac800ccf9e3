/* What counts, from how much on, and what is done about it. */
#ifndef COMPARE_POLICY_POLICY_H
#define COMPARE_POLICY_POLICY_H

#include "compare/policy/gate_policy.h"
#include "compare/policy/policy_file.h"

#endif
