/* The rule on step time, and what explains it. */
#ifndef COMPARE_STEPS_STEPS_H
#define COMPARE_STEPS_STEPS_H

#include "compare/steps/mixed_runs.h"
#include "compare/steps/slow_devices.h"
#include "compare/steps/slow_steps.h"
#include "compare/steps/step_growth.h"
#include "compare/steps/step_rule.h"
#include "compare/steps/step_spread.h"
#include "compare/steps/waited_steps.h"

#endif
