/* "Why did it fail?", "which op got slower?": what the ledger's verdict on a profile says. Inside
 * of commands, since a summary alone has no verdict. A verdict has its own baseline, so that no
 * other one is asked for.
 */
#ifndef OPS_PRESENT_QUERY_QUERY_VERDICT_H
#define OPS_PRESENT_QUERY_QUERY_VERDICT_H

#include "schema/documents/verdict.h"

#include <jansson.h>

/* Whether a question asks why a candidate was judged as it was, or whether it is slower than what
 * it is compared with. */
bool query_asks_for_verdict(const char *question);

/* Whether it asks what is otherwise than before: "what changed", "which op got slower". */
bool query_asks_for_change(const char *question);

/* The answer, which says first what people said of the verdict (accepted, beyond); id: "v4". New
 * reference. */
json_t *query_verdict(const struct verdict *verdict, const char *id, struct arena *arena);

/* What changed, by the verdict: the step, ops that moved (those that the question is about, at most
 * top_k), the hosts, devices, phases ... that it names, and facts that differ. The same. */
json_t *query_verdict_changes(const struct verdict *verdict, const char *id, const char *question,
                              int64_t top_k, struct arena *arena);

#endif
