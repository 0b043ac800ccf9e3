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

#define NO_FLOPS \
    "no op of the profile tells its operations (flops), and no program in it tells them either"
#define NO_BYTES \
    "no op of the profile tells the bytes that it moves, and no program in it tells them either"
#define NO_PEAKS \
    "no op tells its work, or nothing is known of what the devices can do at most: the profile " \
    "does not tell it, and no published figures of their kind are known"

/* No rows yet, under columns[count]. false beyond the budget. */
bool op_rows_init(struct made_rows *rows, const struct op_column *columns, size_t count,
                  struct arena *arena);

/* The numbers of the ops that keep a device busy, most own time first, equal ones by name. NULL
 * beyond the budget. */
uint32_t *ops_ranked(const struct op_table_input *input, size_t *ret_count);

/* Their own time together, and the sums of all of them. */
struct op_sums ops_total(const struct op_list *list);

/* The peaks and the time of devices, as facts of the table. */
void op_properties(const struct op_table_input *input, struct made_rows *rows);

static inline double us_of_ps(int64_t ps)
{
    return (double)ps / 1e6;
}

static inline double average(double total, int64_t count)
{
    return count > 0 ? total / (double)count : 0;
}

#endif
