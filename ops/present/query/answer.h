/* An answer while it is made. Inside ops/present/query. */
#ifndef OPS_PRESENT_QUERY_ANSWER_H
#define OPS_PRESENT_QUERY_ANSWER_H

#include "ops/runtime/arena.h"
#include "schema/documents/record.h"

#include <jansson.h>
#include <stdint.h>

struct query;

/* An object whose members are added one after the other. */
struct answer {
    json_t *object;
};
struct answer answer_new(const char *query_type);
void answer_add(struct answer *answer, const char *name, json_t *value); /* takes the value */
void answer_add_rows(struct answer *answer, const char *name, const struct record *record,
                     const void *rows, size_t count);
/* Cuts a list as a Python slice does. */
void answer_cut(json_t *list, int64_t top_k);

/* "answer", a sentence. */
void answer_say(struct answer *answer, const char *sentence);

/* "result": a file cannot tell it; details say what it lacks. The object. */
json_t *answer_unknown(struct answer *answer, const char *details);
extern const char answer_of_other_tool[]; /* details of a summary without our members */

/* Says why what is asked for is not there; `found` says that it is. */
void answer_add_absence(struct answer *answer, const struct query *query, bool found);

/* The number, or null. */
json_t *optional_number(struct opt_f64 value);

/* Says of an answer about steps which hosts' steps it knows nothing of; nothing where it knows all.
 */
void answer_add_steps_left(struct answer *answer, const struct query *query);

#endif
