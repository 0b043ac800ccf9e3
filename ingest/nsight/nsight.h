/* Exports of Nsight Systems: the tables of a capture in an SQLite database, made into planes, lines
 * and ops (ingest/README.md has the format).
 */
#ifndef INGEST_NSIGHT_NSIGHT_H
#define INGEST_NSIGHT_NSIGHT_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/xplane/xplane.h"

/* Opens and reads an export: its events lie in the space's store. ERR_MISSING, ERR_INPUT (not
 * readable, no database, no export), ERR_LIMIT (budget, bounds), ERR_FULL, ERR_IO. Rows that make
 * no sense are left out and told in the space's notes, and so is what is missing of a table that
 * ends in the middle, unless strict. */
space_open_fn nsight_open;

/* The same of a report (*.nsys-rep), which `nsys export` makes an export of first. ERR_INPUT also
 * where there is no nsys, with the command. */
space_open_fn nsight_report_open;

/* Whether a database may be an export, of all that a folder holds: it has a table of the format, or
 * is broken, which whoever reads it tells. */
bool nsight_may_be_export(const char *path);

/* Adds the kernels, copies or ranges of an export to the rows, whichever table they are of.
 * ERR_INPUT also where a table breaks in the middle. */
bool nsight_table_read(const char *path, const struct ingest_options *options,
                       struct grouped_rows *rows, struct err *err);
bool nsight_report_table_read(const char *path, const struct ingest_options *options,
                              struct grouped_rows *rows, struct err *err);

/* Whether the expression can tell which ranges are steps. ERR_USAGE with what is wrong. */
bool nsight_step_range_check(const char *expression, struct err *err);

#endif
