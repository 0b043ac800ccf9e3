/* `export --month`: a month of the ledger into an archive, and out of the ledger. */
#ifndef OPS_CLI_ARCHIVE_EXPORT_MONTH_H
#define OPS_CLI_ARCHIVE_EXPORT_MONTH_H

#include "ops/cli/cli.h"
#include "ops/runtime/err.h"

/* Writes the file of --output, with --detach takes the month out, and prints what was done. */
bool export_month(struct cli *cli, struct err *err);

#endif
