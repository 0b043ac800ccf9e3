/* A canary's report for a terminal. */
#ifndef OPS_PRESENT_TREND_CANARY_TEXT_H
#define OPS_PRESENT_TREND_CANARY_TEXT_H

#include "ops/present/page/page.h"
#include "schema/documents/canary.h"

/* One sentence with the false-alarm rate, then a row per change. No line break at the end.
 * ERR_LIMIT. */
bool canary_text(const struct canary_report *report, const struct text_style *style,
                 struct text *out, struct err *err);

#endif
