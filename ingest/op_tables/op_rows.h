/* What the tables of ops have in common: columns with the reason why one may be missing, ops in
 * their order, and the facts beside the rows.
 */
#ifndef INGEST_OP_TABLES_OP_ROWS_H
#define INGEST_OP_TABLES_OP_ROWS_H

#include "ingest/op_tables/op_figures.h"
#include "ingest/op_tables/op_tables.h"

/* A column, and why a source may not give it; NULL: it always does. */
struct op_column {
    struct data_column column;
    const char *reason;
};

/* Those of the tables that xprof has, too. */
struct op_columns {
    const struct op_column *items;
    size_t count;
};
extern const struct op_columns hlo_stats_columns, framework_op_stats_columns, roofline_columns,
    top_ops_columns;

#define NO_FLOPS \
    "no op of the profile tells its operations (flops), and no program in it tells them either"
#define NO_MODEL_FLOPS \
    "no op of the profile tells the operations that the model asks for (model_flops), and no " \
    "program in it tells any"
#define NO_BYTES \
    "no op of the profile tells the bytes that it moves, and no program in it tells them either"
/* Rates are those of rows whose ops tell it of half of their time. */
#define NO_FLOP_RATE \
    "no op of the profile tells its operations (flops), nor does a program in it, or those of " \
    "more than half of the time do not (work_untold_share)"
#define NO_BANDWIDTH \
    "no op of the profile tells the bytes that it moves, nor does a program in it, or those of " \
    "more than half of the time do not (bytes_untold_share)"
#define NO_INTENSITY "no op tells both operations and bytes, or most do not"
/* … of the two reasons the one that holds. */
#define NO_PEAKS "no op tells its work, or most do not"

/* No rows yet, under columns[count]. */
void op_rows_init(struct made_rows *rows, const struct op_column *columns, size_t count,
                  const struct op_table_input *input);

/* The numbers of the ops that keep a device busy, most own time first, equal ones by name. */
uint32_t *ops_ranked(const struct op_table_input *input, size_t *ret_count);

/* The peaks and the time of devices, as facts of the table. */
void op_properties(const struct op_table_input *input, struct made_rows *rows);

/* Columns that tables of ops share, under places of the table's own: TIMES and those behind it … */
enum { OP_OCCURRENCES, OP_TOTAL, OP_AVERAGE, OP_SELF, OP_AVERAGE_SELF, OP_TIMES };
#define OP_TIME_COLUMNS(TIMES) \
    [(TIMES) + OP_OCCURRENCES] = {{"occurrences", "occurrences", "count", DATA_INTEGER}, NULL}, \
              [(TIMES) + OP_TOTAL] = {{"total_time", "total", "us", DATA_REAL}, NULL}, \
              [(TIMES) + OP_AVERAGE] = {{"avg_time", "average", "us", DATA_REAL}, NULL}, \
              [(TIMES) + OP_SELF] = {{"total_self_time", "own", "us", DATA_REAL}, NULL}, \
              [(TIMES) + OP_AVERAGE_SELF] = {{"avg_self_time", "own average", "us", DATA_REAL}, \
                                             NULL}

/* … RATES and those behind it … */
enum { OP_FLOP_RATE, OP_MODEL_RATE, OP_BANDWIDTH, OP_INTENSITY, OP_RATES };
#define OP_RATE_COLUMNS(RATES, flop_rate, bandwidth) \
    [(RATES) + OP_FLOP_RATE] = {{flop_rate, "GFLOP/s", "gflops_per_s", DATA_REAL}, \
                                NO_FLOP_RATE}, \
              [(RATES) + OP_MODEL_RATE] = {{"model_flop_rate", "model GFLOP/s", "gflops_per_s", \
                                            DATA_REAL}, \
                                           NO_MODEL_FLOPS}, \
              [(RATES) + OP_BANDWIDTH] = {{bandwidth, "GiB/s", "gib_per_s", DATA_REAL}, \
                                          NO_BANDWIDTH}, \
              [(RATES) + OP_INTENSITY] = {{"operational_intensity", "flop/byte", "flops_per_byte", \
                                           DATA_REAL}, \
                                          NO_INTENSITY}

/* … MEMORIES and those behind it, by memory_kind … */
#define NO_TRAFFIC "no op of the profile tells bytes that go through this memory"
#define OP_MEMORY_COLUMNS(MEMORIES) \
    [(MEMORIES) + MEMORY_HBM] = {{"hbm_bw", "HBM GiB/s", "gib_per_s", DATA_REAL}, NO_BANDWIDTH}, \
                [(MEMORIES) + MEMORY_CMEM_READ] = {{"cmem_read_bw", "CMEM read GiB/s", \
                                                    "gib_per_s", DATA_REAL}, \
                                                   NO_TRAFFIC}, \
                [(MEMORIES) + MEMORY_CMEM_WRITE] = {{"cmem_write_bw", "CMEM write GiB/s", \
                                                     "gib_per_s", DATA_REAL}, \
                                                    NO_TRAFFIC}, \
                [(MEMORIES) + MEMORY_VMEM_READ] = {{"vmem_read_bw", "VMEM read GiB/s", \
                                                    "gib_per_s", DATA_REAL}, \
                                                   NO_TRAFFIC}, \
                [(MEMORIES) + MEMORY_VMEM_WRITE] = {{"vmem_write_bw", "VMEM write GiB/s", \
                                                     "gib_per_s", DATA_REAL}, \
                                                    NO_TRAFFIC}

/* … and single ones. */
#define OP_BOUND_COLUMN {{"bound_by", "bound by", "", DATA_TEXT}, NULL}
#define OP_PROGRAM_ID_COLUMN(id) \
    {{id, "program id", "", DATA_TEXT}, \
     "the source names programs without their ids, or keeps none"}
#define OP_SOURCE_COLUMN \
    {{"source_info", "source", "", DATA_TEXT}, \
     "no op of the source tells its line of the program"}

/* Fill the values of those columns; the id is absent where the source names none. */
void op_times_fill(const struct op_sums *sums, struct data_value times[OP_TIMES]);
void op_rates_fill(const struct op_figures *figures, struct data_value rates[OP_RATES]);
void op_memories_fill(const struct op_figures *figures, struct data_value memories[MEMORY_KINDS]);
struct data_value op_program_id(const struct op_item *op, struct arena *arena);

/* A part of the own time of all ops, of `whole`. */
static inline struct data_value op_time_share(const struct op_table_input *input, double part_ps,
                                              double whole)
{
    const double all = (double)input->total.self_ps;
    return data_real(all > 0 ? whole * part_ps / all : 0);
}

static inline double us_of_ps(int64_t ps)
{
    return (double)ps / 1e6;
}

static inline double average(double total, int64_t count)
{
    return count > 0 ? total / (double)count : 0;
}

#endif
