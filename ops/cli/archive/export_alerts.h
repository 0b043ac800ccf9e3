/* What alerts went through, and what became of messages, as lines of an export. */
#ifndef OPS_CLI_ARCHIVE_EXPORT_ALERTS_H
#define OPS_CLI_ARCHIVE_EXPORT_ALERTS_H

#include "ops/cli/archive/export.h"

/* Writes moves of alerts and receipts of messages, each in the order in which they were appended.
 */
bool export_alerts(struct export *export, struct err *err);

#endif
