/* A profile's summary for a terminal. */
#ifndef OPS_PRESENT_SUMMARY_TEXT_H
#define OPS_PRESENT_SUMMARY_TEXT_H

#include "ops/present/page.h"
#include "schema/summary.h"

/* Appends the summary: one line that says it all, what was not recognised, then steps, devices and
 * the ten ops that take most. No line break at the end. ERR_LIMIT. */
bool summary_text(const struct summary *summary, const struct text_style *style, struct text *out,
                  struct err *err);

#endif
