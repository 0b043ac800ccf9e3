/* What people and detectors decided, and what was reported of it, as lines of an export. */
#ifndef OPS_CLI_ARCHIVE_EXPORT_DECISIONS_H
#define OPS_CLI_ARCHIVE_EXPORT_DECISIONS_H

#include "ops/cli/archive/export.h"

/* Writes acceptances, re-baselines, change points and reports, each in the order in which they were
 * appended: the last about a thing decides. */
bool export_decisions(struct export *export, struct err *err);

#endif
