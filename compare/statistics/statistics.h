/* Distributions, tests, and the model of how runs vary. */
#ifndef COMPARE_STATISTICS_STATISTICS_H
#define COMPARE_STATISTICS_STATISTICS_H

#include "compare/statistics/rank_test.h"
#include "compare/statistics/run_model.h"
#include "compare/statistics/run_test.h"
#include "compare/statistics/stats.h"
#include "compare/statistics/step_bins.h"

#endif
