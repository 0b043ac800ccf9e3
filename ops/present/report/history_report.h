/* What a history of `track` holds in all. */
#ifndef OPS_PRESENT_REPORT_HISTORY_REPORT_H
#define OPS_PRESENT_REPORT_HISTORY_REPORT_H

#include "ops/runtime/err.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file of JSON lines; no bytes at all are a history without records, which is also what a
 * missing file is. path is only shown: in the answer as history_path, and in messages. The last
 * `tail` records are listed, none when it is not above 0. A new reference; NULL with ERR_INPUT
 * naming line and column of a line that is no JSON, or ERR_LIMIT. */
json_t *history_summary(const char *jsonl, size_t length, const char *path, int64_t tail,
                        struct err *err);

#endif
