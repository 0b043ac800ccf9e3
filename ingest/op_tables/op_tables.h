/* Tables of the ops of a profile: where the devices' time went, at which rates, bounded by what.
 */
#ifndef INGEST_OP_TABLES_OP_TABLES_H
#define INGEST_OP_TABLES_OP_TABLES_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/ingest.h"
#include "ingest/op_tables/framework_ops.h"
#include "ingest/op_tables/op_figures.h"
#include "ingest/op_tables/op_list.h"
#include "ingest/op_tables/program_ops.h"
#include "schema/documents/chip_peaks.h"

/* What a table is made of. */
struct op_table_input {
    const struct op_list *ops;
    const struct summary *summary; /* of the capture */
    struct op_sums total;          /* own time of all ops, and their work */
    int64_t window_ps;             /* from the first to the last op, of all devices */
    struct device_limits limits;
    const struct table_request *request;
    struct arena *arena;
};

/* MFU and throughput as the summary tells them, of these ops (NULL: of what is stated alone) and of
 * what the request states, as facts of a table. */
void op_figure_properties(const struct op_table_input *input, struct made_rows *rows);

/* The column of a table that xprof has under the same ids, which differ in nothing from ours; NULL:
 * there is none. */
const struct data_column *op_table_column(const char *table, const char *id);

/* ERR_INPUT where the profile has no row of it; ERR_LIMIT. */
typedef bool op_table_fn(const struct op_table_input *input, struct data_table *ret_table,
                         struct err *err);
#define OP_TABLE_DECLARE(name, subject, help) op_table_fn name##_table;
OP_TABLES(OP_TABLE_DECLARE)
#undef OP_TABLE_DECLARE

#endif
