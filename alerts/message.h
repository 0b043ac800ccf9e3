/* Messages about verdicts: what is said to a receiver, frozen when the verdict is recorded.
 *
 * Every kind of receiver says the same facts in its own form; the facts, their order and their
 * bounds come from here. Deterministic and without a clock: the same verdict gives the same bytes
 * and the same keys.
 */
#ifndef ALERTS_MESSAGE_H
#define ALERTS_MESSAGE_H

#include "ops/runtime/arena.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/err.h"
#include "ops/runtime/text.h"
#include "schema/verdict.h"

#include <stddef.h>

/* Goes up with every change of what a message says: the same finding in new words is a new message.
 */
enum { MESSAGE_RENDERER_VERSION = 1 };

struct message {
    const char *content_type;
    const char *body;
    size_t length;
};

/* Builds the message for a kind of destination (alerts/channels.h). verdict_id ("v12") may be NULL
 * when it is not known yet. ERR_USAGE: no such kind; ERR_LIMIT: memory. */
bool message_build(const struct verdict *verdict, const char *verdict_id, const char *channel_kind,
                   struct arena *arena, struct message *ret_message, struct err *err);

/* Identity of the alert that a verdict belongs to: project, workload, series, candidate branch.
 * Messages of one alert reach a destination in order. Hex SHA-256. */
bool message_order_key(const struct verdict *verdict, char out[SHA256_HEX_BYTES], struct err *err);

/* Identity of one finding in one form: the alert, the status, the evidence, the kind of destination
 * and the renderer's version. Judging the same evidence again gives the same key. Hex SHA-256; fit
 * to be a message id. */
bool message_dedupe_key(const struct verdict *verdict, const char *channel_kind,
                        char out[SHA256_HEX_BYTES], struct err *err);

/* How much of a verdict a message holds: items of the lists, code points of a name or sentence. */
struct message_bounds {
    size_t op_count, reason_count, id_count, chars;
};

/* Appends one sentence that says it all, clean and without a line break:
 * "FAIL: llm/pretrain: step time 412.3 ms -> 431.9 ms (+4.8 %), mostly fusion.12 (+18.9 ms per
 * step)". */
void message_headline_add(const struct verdict *verdict, const struct message_bounds *bounds,
                          struct text *out);

/* Appends the same for people with a minute: headline, reasons, the ops that moved, what was
 * compared; lines ended by '\n'. */
void message_text_add(const struct verdict *verdict, const struct message_bounds *bounds,
                      struct text *out);

#endif
