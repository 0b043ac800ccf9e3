/* A verdict for a terminal. */
#ifndef OPS_PRESENT_VERDICT_VERDICT_TEXT_H
#define OPS_PRESENT_VERDICT_VERDICT_TEXT_H

#include "ops/present/page/page.h"
#include "schema/documents/verdict.h"

/* Appends the verdict: first one line that a person can act on, then the tables behind it. No line
 * break at the end. ERR_LIMIT. */
bool verdict_text(const struct verdict *verdict, const struct text_style *style, struct text *out,
                  struct err *err);

#endif
