/* The tables of a profile as files, under the names and in the layout of xprof's own. */
#ifndef OPS_CLI_FILES_XPROF_EXPORT_H
#define OPS_CLI_FILES_XPROF_EXPORT_H

#include "ingest/ingest.h"

/* Makes those that the profile gives and writes them to <folder>/<tool>.json, which is made if need
 * be; they become the tables that are read with the profile. Errors as of ingest_table,
 * file_write_atomic and ingest_tables. */
bool xprof_export(const char *folder, const struct ingest_options *options, struct arena *arena,
                  struct profile_files *profile, struct err *err);

#endif
