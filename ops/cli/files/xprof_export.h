/* The tables of a profile as files, under the names and in the layout of xprof's own. */
#ifndef OPS_CLI_FILES_XPROF_EXPORT_H
#define OPS_CLI_FILES_XPROF_EXPORT_H

#include "ingest/ingest.h"

struct xprof_export {
    const char *folder;
    const struct profile_files *profile;
    const struct ingest_options *options;
};

/* Makes those that the profile gives and writes them to <folder>/<tool>.json, which is made if need
 * be; and the profile's summary, with those that are read put into it. The files are read once for
 * all of it. Errors as of ingest_table_set, file_write_own and ingest_tables_merge. */
bool xprof_export(const struct xprof_export *wanted, struct arena *arena,
                  struct summary *ret_summary, struct err *err);

#endif
