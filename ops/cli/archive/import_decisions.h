/* What people and detectors decided, out of an export: acceptances, re-baselines, change points;
 * and reports, which name entries as the ledger did that made them; moves of alerts and receipts.
 */
#ifndef OPS_CLI_ARCHIVE_IMPORT_DECISIONS_H
#define OPS_CLI_ARCHIVE_IMPORT_DECISIONS_H

#include "ops/cli/archive/import.h"

/* Each takes a line of that type; what the ledger holds as often as the export says it is known. */
bool import_acceptance(struct import *import, const json_t *line, const char *name,
                       struct err *err);
bool import_rebaseline(struct import *import, const json_t *line, const char *name,
                       struct err *err);
bool import_change_point(struct import *import, const json_t *line, const char *name,
                         struct err *err);
bool import_report(struct import *import, const json_t *line, const char *name, struct err *err);

/* Each takes a line of that type. A move that does not fit the alert of this ledger is left out,
 * and said. */
bool import_alert_move(struct import *import, const json_t *line, const char *name,
                       struct err *err);
bool import_delivery(struct import *import, const json_t *line, const char *name, struct err *err);

#endif
