/* The memory of JSON trees counts against a budget.
 *
 * A tree takes up to twenty times what its text does (`[0,0,…]`), so that a bound of the text alone
 * bounds nothing. jansson has one allocator for the whole process: it asks the owner's budget here,
 * whatever thread it is called from. Only reading a text is refused beyond the budget (json_parse,
 * ERR_LIMIT); what a program builds by itself, of values that its arenas hold, is counted and
 * given.
 */
#ifndef OPS_RUNTIME_JSON_MEMORY_H
#define OPS_RUNTIME_JSON_MEMORY_H

#include "ops/runtime/arena.h"

#include <jansson.h>

/* From here on trees count against `owner`, which outlives them all. Called once, before there is
 * any tree. Without it trees are bounded by nothing. */
void json_memory_within(struct arena *owner);

/* Prepares an arena within the same budget where there is one, of `most` bytes where there is
 * none. */
void json_memory_arena(struct arena *arena, size_t most);

/* json_loadb under the budget; *ret_refused tells that it is why there is no tree. */
json_t *json_memory_load(const char *data, size_t length, json_error_t *ret_where,
                         bool *ret_refused);

/* Whether the machine had no memory for a tree of this thread since this was asked last: such a
 * tree may lack members. */
bool json_memory_lacked(void);

/* ERR_LIMIT with the budget and what the tree was of; returns false. */
bool json_memory_failed(const char *what, struct err *err);

#endif
