/* The tables of a profile as files, under the names and in the layout of xprof's own. */
#ifndef OPS_CLI_FILES_XPROF_EXPORT_H
#define OPS_CLI_FILES_XPROF_EXPORT_H

#include "ingest/ingest.h"
#include "ops/runtime/text.h"

/* X(what xprof calls a tool, our table of it), where the two differ. */
#define XPROF_NAMES(X) \
    X(kernel_stats, kernels) \
    X(input_pipeline_analyzer, input_pipeline) \
    X(memory_profile, memory) \
    X(roofline_model, roofline) \
    X(tensorflow_stats, framework_op_stats) \
    X(memory_viewer, program_memory) \
    X(smart_suggestion, findings)

enum { XPROF_TABLES_MOST = 5 }; /* of one answer */

/* Our name of a table that goes by one of xprof's; else the name. */
const char *xprof_table_of(const char *name);

/* Makes a table that an answer is made of. */
typedef bool xprof_part_fn(void *context, const struct table_request *request,
                           struct data_table *ret_table, struct err *err);

/* Prints a table as xprof answers with it: one table, a list of them (of which those that the
 * profile cannot give are left out) or a tree. ERR_INPUT: it gives none; ERR_USAGE: a limit on what
 * has no rows; ERR_LIMIT; else what part_make says. */
bool xprof_answer(const struct table_request *request, xprof_part_fn *part_make, void *context,
                  struct text *out, struct err *err);

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
