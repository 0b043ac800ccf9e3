/* A summary's page, and the orders and shares that its readers have in common. */
#ifndef OPS_PRESENT_SUMMARY_SUMMARY_H
#define OPS_PRESENT_SUMMARY_SUMMARY_H

#include "ops/present/summary/explanation_page.h"
#include "ops/present/summary/host_times.h"
#include "ops/present/summary/ranking_page.h"
#include "ops/present/summary/region_roots.h"
#include "ops/present/summary/slice.h"
#include "ops/present/summary/steps_order.h"
#include "ops/present/summary/summary_page.h"

#endif
