/* How well the devices of a trend were used. Stays in its room. */
#ifndef OPS_FLOW_TRENDS_TREND_MFU_H
#define OPS_FLOW_TRENDS_TREND_MFU_H

#include "schema/documents/trend.h"

/* Sets the trend's mfu, and has_mfu, by its runs that tell it: now, and before the newest change.
 */
void trend_mfu_fill(const struct trend *used, struct trend *trend);

#endif
