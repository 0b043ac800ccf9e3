/* What other commands print of alerts. */
#ifndef OPS_CLI_ALERT_ALERT_H
#define OPS_CLI_ALERT_ALERT_H

#include "history/lease/lease.h"
#include "ops/runtime/text.h"
#include "schema/documents/record.h"

/* Destinations that take nothing. One line each, nothing when there is none. */
void failing_text(const struct destination_page *page, struct text *out);

/* One of them in a document. */
extern const struct record failing_record;

#endif
