/* Two threads that hand over parts of work in order: one makes them, some ahead, the other takes.
 *
 * Whoever waits is woken when half of the parts are there for it, not for each: waking costs more
 * than a part.
 */
#ifndef INGEST_WIRE_RELAY_H
#define INGEST_WIRE_RELAY_H

#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>

struct relay;

/* Makes the next part in `part`, whose content is that of an earlier one; *ret_more is false for
 * the last. */
typedef bool relay_make(struct relay *relay, void *context, void *part, bool *ret_more,
                        struct err *err);

/* Begins with a thread of its own that makes parts of so many bytes, zeroed at first. NULL where
 * none can be started. */
struct relay *relay_begin(size_t part_bytes, relay_make *make, void *context);

/* The next part, which is the taker's until it takes another; none is taken after the last. NULL
 * with *err of whoever made it, after all parts before. */
void *relay_take(struct relay *relay, struct err *err);

/* For the maker, before it changes what the taker looks at: waits until all that was made is taken
 * and the taker waits for more, as it then does until the next part is made. */
void relay_settle(struct relay *relay);

/* Has no more made, and ends the thread; accepts NULL. What it did is seen by the caller then. */
void relay_end(struct relay *relay);

#endif
