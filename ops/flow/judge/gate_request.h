/* A gate's input as the document that stands beside its verdict, and back. */
#ifndef OPS_FLOW_JUDGE_GATE_REQUEST_H
#define OPS_FLOW_JUDGE_GATE_REQUEST_H

#include "compare/gate/gate.h"
#include "history/profiles/profiles.h"
#include "ops/runtime/text.h"

/* Appends gate_request.v1 of the input. ERR_LIMIT. */
bool gate_request_write(const struct gate_input *input, struct text *out, struct arena *arena,
                        struct err *err);

/* The input of that document, its summaries loaded from the ledger; its policy is left to the
 * caller. ERR_INPUT, ERR_MISSING, ERR_LIMIT. */
bool gate_request_read(const char *document, struct db *db, struct arena *arena,
                       struct gate_input *ret_input, struct err *err);

#endif
