/* Series over time: a measure, its changes, what unchanged code shows. */
#ifndef OPS_PRESENT_TREND_TREND_H
#define OPS_PRESENT_TREND_TREND_H

#include "ops/present/trend/canary_text.h"
#include "ops/present/trend/change_parts.h"
#include "ops/present/trend/change_points_text.h"
#include "ops/present/trend/trend_page.h"
#include "ops/present/trend/trend_words.h"

#endif
