/* Questions about a profile, answered from its summary alone, always the same way.
 *
 * The forms of a question are two tables: the reference tool's (README.md, Questions) and,
 * tried after its first eight, ours. No model, no guess: a question that fits
 * no form says so and lists the forms.
 */
#ifndef OPS_PRESENT_QUERY_QUERY_H
#define OPS_PRESENT_QUERY_QUERY_H

#include "ops/present/query/query_verdict.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/summary.h"

#include <jansson.h>
#include <stdint.h>

/* The answer, an object with `query_type`; a new reference. baseline may be NULL: it serves "what
 * changed". top_k cuts lists as a Python slice. NULL with ERR_LIMIT. */
json_t *query_answer(const struct summary *summary, const struct summary *baseline,
                     const char *question, int64_t top_k, struct arena *arena, struct err *err);

/* The known forms, in the order in which they are tried: [{question, query_type, answer}]. */
json_t *query_forms(void);

#endif
