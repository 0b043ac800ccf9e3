/* The table `input_ops`: what the host does to bring input, under the columns of xprof's input
 * pipeline analyzer, and what of it to look at first. */
#include "ingest/breakdown/breakdown.h"
#include "ingest/made_tables.h"

#include <string.h>

static const double ps_per_ms = 1e9, ps_per_us = 1e6;

enum { OP_NAME, OP_COUNT, OP_TIME, OP_SHARE, OP_SELF, OP_SELF_SHARE, OP_KIND, OP_COLUMNS };

static const struct data_column columns[OP_COLUMNS] = {
    [OP_NAME] = {"opName", "stage", "", DATA_TEXT},
    [OP_COUNT] = {"count", "how often", "count", DATA_INTEGER},
    [OP_TIME] = {"timeInMs", "total", "ms", DATA_REAL},
    [OP_SHARE] = {"timeInPercent", "of all", "percent", DATA_REAL},
    [OP_SELF] = {"selfTimeInMs", "own", "ms", DATA_REAL},
    [OP_SELF_SHARE] = {"selfTimeInPercent", "own of all", "percent", DATA_REAL},
    [OP_KIND] = {"category", "what it is", "", DATA_TEXT},
};

/* What xprof counts as input: stages of tf.data, and what feeds a TPU. Shares are of their time, as
 * there; of all where there are none. */
static void rows_fill(const struct input_ops *ops, double all_ps, struct made_rows *rows)
{
    static const char *const known[] = {"Iterator::", "InfeedEnqueue"};
    double whole_ps = 0;
    for (size_t i = 0; i < ops->count; i++)
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            if (strncmp(ops->items[i].name, known[k], strlen(known[k])) == 0)
                whole_ps += (double)ops->items[i].self_ps;
    whole_ps = whole_ps > 0 ? whole_ps : all_ps;
    for (size_t i = 0; i < ops->count; i++) {
        const struct input_op *op = &ops->items[i];
        if (op->count == 0)
            continue;
        struct data_value *row = made_row(rows);
        row[OP_NAME] = data_text(op->name);
        row[OP_COUNT] = data_integer(op->count);
        row[OP_TIME] = data_real((double)op->total_ps / ps_per_ms);
        row[OP_SELF] = data_real((double)op->self_ps / ps_per_ms);
        row[OP_KIND] = data_text(input_kind_names[op->kind]);
        row[OP_SHARE] = data_real(100 * (double)op->total_ps / whole_ps);
        row[OP_SELF_SHARE] = data_real(100 * (double)op->self_ps / whole_ps);
    }
}

/* Where steps wait for input: for sending it, or for reading and making it. */
static const char *suggestion_of(struct opt_f64 input_share, double enqueue_share)
{
    static const double waits_least = .10, sends_least = .30, works_least = .50;
    if (!input_share.set || input_share.value <= waits_least)
        return NULL;
    if (1 - enqueue_share >= works_least)
        return "steps wait for the host to read and prepare input: read ahead (prefetch, more "
               "readers and workers), prepare it in parallel, or beforehand";
    return enqueue_share >= sends_least
               ? "steps wait for input on its way to the device: send it earlier (prefetch to the "
                 "device), in larger pieces, or in smaller dtypes"
               : NULL;
}

static void properties_fill(const struct table_reading *reading, const double own_ps[],
                            double all_ps, struct made_rows *rows)
{
    static const char *const names[INPUT_KIND_COUNT] = {
        [INPUT_ENQUEUE] = "enqueue_us",
        [INPUT_DEMANDED_READ] = "demanded_file_read_us",
        [INPUT_ADVANCED_READ] = "advanced_file_read_us",
        [INPUT_PREPROCESSING] = "preprocessing_us",
        [INPUT_OTHER] = "unclassified_us",
    };
    const struct opt_f64 share = step_list_waits(&reading->steps).input_share;
    for (int kind = 0; kind < INPUT_KIND_COUNT; kind++)
        made_property(rows, names[kind], "us", data_real(own_ps[kind] / ps_per_us));
    made_property(rows, "input_wait_share", "ratio", data_opt_real(share));
    made_property(
        rows, "input_statement", "",
        data_text(all_ps > 0 ? suggestion_of(share, own_ps[INPUT_ENQUEUE] / all_ps) : NULL));
}

bool input_ops_table_make(const struct table_making *making, struct data_table *ret_table,
                          struct err *err)
{
    const struct table_reading *reading = making->reading;
    const struct input_ops *ops = &reading->input_ops;
    struct made_rows rows;
    double own_ps[INPUT_KIND_COUNT] = {0}, all_ps = 0;
    made_rows_init(&rows, columns, OP_COLUMNS, making->arena);
    for (size_t i = 0; i < ops->count; i++) {
        own_ps[ops->items[i].kind] += (double)ops->items[i].self_ps;
        all_ps += (double)ops->items[i].self_ps;
    }
    if (all_ps <= 0)
        return err_set(err, ERR_INPUT,
                       "no table '%s': '%s' names nothing that reads, prepares or sends input: the "
                       "host was not traced, or its loader has no name (annotate it as "
                       "\"data_load\"; tf.data names its iterators)",
                       making->request->name, making->profile->path);
    rows_fill(ops, all_ps, &rows);
    properties_fill(reading, own_ps, all_ps, &rows);
    return made_table(&rows, making->request->name, making->request->limit, reading->format,
                      ret_table, err);
}
