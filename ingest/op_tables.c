/* The tables of ops: which there are, and how they are made of files or of a summary. */
#include "ingest/op_tables/op_tables.h"
#include "ingest/made_tables.h"

#include <string.h>

static const struct op_table {
    const char *name;
    op_table_fn *make;
} tables[] = {
#define OP_TABLE_ROW(name, subject, help) {#name, name##_table},
    OP_TABLES(OP_TABLE_ROW)
#undef OP_TABLE_ROW
};

static const struct op_table *table_find(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    }
    return NULL;
}

bool op_table_is(const char *table)
{
    return table_find(table) != NULL;
}

/* The profile's, where nothing else is stated. */
static struct device_limits limits_of(const struct table_request *request,
                                      const struct summary *summary, const struct op_list *ops)
{
    struct device_limits limits = device_limits_of(&summary->environment);
    for (int i = 0; i < ON_CHIP_MEMORIES; i++)
        limits.on_chip_bytes_per_s[i] = ops->memory_peaks[MEMORY_HBM + 1 + i];
    device_limits_state(&limits, &request->peaks);
    return limits;
}

bool op_table_show(const struct table_making *making, const struct op_list *ops,
                   const struct summary *summary, struct data_table *ret_table, struct err *err)
{
    const struct op_table_input input = {
        .ops = ops,
        .summary = summary,
        .total = op_list_total(ops),
        .window_ps = summary_window_ps(summary),
        .limits = limits_of(making->request, summary, ops),
        .request = making->request,
        .arena = making->arena,
    };
    if (ops->count == 0)
        return err_set(err, ERR_INPUT,
                       "no table '%s': '%s' holds no op that ran on a device (of the host's own "
                       "work `summarize` tells)",
                       making->request->name, summary->source_path);
    return table_find(making->request->name)->make(&input, ret_table, err);
}

#define OP_TABLE_MAKE(name, subject, help) \
    bool name##_table_make(const struct table_making *making, struct data_table *ret_table, \
                           struct err *err) \
    { \
        return op_table_show(making, &making->reading->ops, &making->reading->summary, ret_table, \
                             err); \
    }
OP_TABLES(OP_TABLE_MAKE)

void stated_figures_add(const struct table_making *making, struct made_rows *rows)
{
    const struct summary *summary = &making->reading->summary;
    const struct op_table_input input = {
        .summary = summary,
        .limits = limits_of(making->request, summary, &making->reading->ops),
        .request = making->request,
        .arena = making->arena,
    };
    op_figure_properties(&input, rows);
}

bool op_table_of_summary(const struct table_making *making, const struct summary *summary,
                         const char *name, struct data_table *ret_table, struct err *err)
{
    struct op_list ops;
    if (!summary->has_ours)
        return err_set(err, ERR_INPUT,
                       "no table '%s': '%s' was written by another tool, which keeps no table of "
                       "all ops; give the files of the profile",
                       making->request->name, name);
    op_list_init(&ops, NULL, making->arena);
    op_list_of_summary(&ops, summary);
    return op_table_show(making, &ops, summary, ret_table, err);
}
