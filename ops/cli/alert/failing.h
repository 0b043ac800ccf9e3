/* Destinations that take nothing, for `alert list` and `status`. */
#ifndef OPS_CLI_ALERT_FAILING_H
#define OPS_CLI_ALERT_FAILING_H

#include "history/lease/lease.h"
#include "ops/runtime/text.h"

#include <jansson.h>

/* One line each, nothing when there is none. */
void failing_text(const struct destination_page *page, struct text *out);

/* An array; NULL without memory. */
json_t *failing_json(const struct destination_page *page);

#endif
