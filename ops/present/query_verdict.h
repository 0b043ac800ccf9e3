/* "Why did it fail?": what the ledger's verdict on a profile says. Inside of commands, since a
 * summary alone has no verdict. */
#ifndef OPS_PRESENT_QUERY_VERDICT_H
#define OPS_PRESENT_QUERY_VERDICT_H

#include "schema/verdict.h"

#include <jansson.h>

/* Whether a question asks why a candidate was judged as it was, or whether it is slower than what
 * it is compared with. */
bool query_asks_for_verdict(const char *question);

/* The answer; id: "v4". New reference, NULL with ERR_LIMIT. */
json_t *query_verdict(const struct verdict *verdict, const char *id, struct arena *arena,
                      struct err *err);

#endif
