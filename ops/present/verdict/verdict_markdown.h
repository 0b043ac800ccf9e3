/* A verdict as the comment on a pull request. */
#ifndef OPS_PRESENT_VERDICT_VERDICT_MARKDOWN_H
#define OPS_PRESENT_VERDICT_VERDICT_MARKDOWN_H

#include "ops/runtime/text.h"
#include "schema/documents/verdict.h"

/* Appends the verdict in GitHub's markdown: headline, step time and the ops that moved; the rest is
 * folded. Names cannot make links, mentions or markup. No line break at the end. ERR_LIMIT. */
bool verdict_markdown(const struct verdict *verdict, struct text *out, struct err *err);

#endif
