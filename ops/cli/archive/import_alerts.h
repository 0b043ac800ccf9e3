/* What alerts went through, and what became of messages, out of an export. */
#ifndef OPS_CLI_ARCHIVE_IMPORT_ALERTS_H
#define OPS_CLI_ARCHIVE_IMPORT_ALERTS_H

#include "ops/cli/archive/import.h"

/* Each takes a line of that type. A move that does not fit the alert of this ledger is left out,
 * and said. */
bool import_alert_move(struct import *import, const json_t *line, const char *name,
                       struct err *err);
bool import_delivery(struct import *import, const json_t *line, const char *name, struct err *err);

#endif
