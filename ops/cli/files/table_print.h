/* A table of a profile for people and for spreadsheets. */
#ifndef OPS_CLI_FILES_TABLE_PRINT_H
#define OPS_CLI_FILES_TABLE_PRINT_H

#include "schema/documents/data_table.h"

/* Aligned columns, cut to the terminal's width; what the rows add up to stands below. ERR_LIMIT. */
bool table_print_text(const struct data_table *table, struct text *out, struct err *err);

/* A header of the columns' ids and the rows, everything in full. ERR_LIMIT. */
bool table_print_csv(const struct data_table *table, struct text *out, struct err *err);

/* The layout of the data tables that xprof's own answers are: cols, rows of cells, p. ERR_LIMIT. */
bool table_print_xprof(const struct data_table *table, struct text *out, struct err *err);

/* Answers of xprof, each of the tables that it is made of (xprof_export.c names them). ERR_LIMIT.
 */
typedef bool table_answer(const struct data_table *const *parts, struct text *out, struct err *err);

/* framework_op_stats in that layout, with idle time among the ops (where that is known) and without
 * it; and the table roofline, with what is in doubt behind it. */
table_answer table_print_framework_ops, table_print_roofline;

/* memory and memory_timeline as xprof's memory_profile, by allocator, with what lives at its peak
 * where events tell addresses. */
table_answer table_print_memory;

/* The ops of hlo_stats as the tree that xprof's op_profile answers with. */
table_answer table_print_op_profile;

#endif
