/* What people and detectors decided, out of an export: acceptances, re-baselines, change points. */
#ifndef OPS_CLI_IMPORT_DECISIONS_H
#define OPS_CLI_IMPORT_DECISIONS_H

#include "ops/cli/import_line.h"

/* *ret_known: the ledger has what is said (held times) as often as the export up to here; counts it
 * as known then. */
bool import_is_known(struct import *import, const char *what, int64_t held, bool *ret_known,
                     struct err *err);

/* Frees what import_is_known keeps. */
void import_done(struct import *import);

/* Each takes a line of that type; what the ledger holds as often as the export says it is known. */
bool import_acceptance(struct import *import, const json_t *line, const char *name,
                       struct err *err);
bool import_rebaseline(struct import *import, const json_t *line, const char *name,
                       struct err *err);
bool import_change_point(struct import *import, const json_t *line, const char *name,
                         struct err *err);

#endif
