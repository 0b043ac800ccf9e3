/* Ops by the framework's path: the columns of xprof's framework_op_stats, under its names. Only
 * what ran on devices: host time of a compiled program is no op's. */
#include "ingest/op_tables/framework_ops.h"
#include "ingest/op_tables/op_rows.h"

#include <stdlib.h>
#include <string.h>

#define NO_HOST_OPS "host time is not kept by op"

enum {
    RANK,
    SIDE,
    TYPE,
    OPERATION,
    TIMES,
    SHARE = TIMES + OP_TIMES,
    CUMULATIVE,
    HOST_SHARE,
    HOST_CUMULATIVE,
    RATES,
    BOUND = RATES + OP_RATES,
    EAGER,
    COLUMNS
};

static const struct op_column columns[COLUMNS] = {
    [RANK] = {{"rank", "rank", "count", DATA_INTEGER}, NULL},
    [SIDE] = {{"host_or_device", "side", "", DATA_TEXT}, NULL},
    [TYPE] = {{"type", "type", "", DATA_TEXT}, NULL},
    [OPERATION] = {{"operation", "operation", "", DATA_TEXT}, NULL},
    OP_TIME_COLUMNS(TIMES),
    [SHARE] = {{"device_total_self_time_percent", "of device", "ratio", DATA_REAL}, NULL},
    [CUMULATIVE] = {{"device_cumulative_total_self_time_percent", "so far", "ratio", DATA_REAL},
                    NULL},
    [HOST_SHARE] = {{"host_total_self_time_percent", "of host", "ratio", DATA_REAL}, NO_HOST_OPS},
    [HOST_CUMULATIVE] = {{"Host_cumulative_total_self_time_percent", "so far", "ratio", DATA_REAL},
                         NO_HOST_OPS},
    OP_RATE_COLUMNS(RATES, "measured_flop_rate", "measured_memory_bw"),
    [BOUND] = OP_BOUND_COLUMN,
    [EAGER] = {{"eager", "mode", "", DATA_TEXT}, "whether an op ran eagerly is not kept"},
};
const struct op_columns framework_op_stats_columns = {columns, COLUMNS};

/* ---- names ----------------------------------------------------------------------------------- */

/* Where `:Type` begins outside of brackets; NULL: it has none. */
static const char *type_mark(const char *path)
{
    const char *mark = NULL;
    int depth = 0;
    for (const char *at = path; *at != '\0'; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (*at == ':' && depth == 0)
            mark = at;
    }
    return mark;
}

/* The primitive: the last part of the path without the number that makes it another one. */
static const char *primitive_of(const char *operation, struct arena *arena)
{
    const char *last = operation;
    int depth = 0;
    for (const char *at = operation; *at != '\0'; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (*at == '/' && depth == 0)
            last = at + 1;
    }
    size_t length = strlen(last), end = length;
    while (end > 0 && last[end - 1] >= '0' && last[end - 1] <= '9')
        end--;
    if (end > 1 && end < length && last[end - 1] == '_')
        length = end - 1;
    return arena_strndup(arena, last, length);
}

/* An op without a path is the instruction, of a type that nobody knows. false beyond the budget. */
static bool op_named(const struct op_item *op, struct arena *arena, struct framework_op *ret_op)
{
    *ret_op = (struct framework_op){.operation = op->name,
                                    .type = "Unknown",
                                    .opcode = op->opcode,
                                    .unnamed = op->is_kernel && op->instruction == NULL,
                                    .sums = op_timed_sums(op)};
    if (op->op_path == NULL || op->op_path[0] == '\0')
        return true;
    ret_op->unnamed = false;
    const char *mark = type_mark(op->op_path);
    ret_op->operation = mark == NULL
                            ? op->op_path
                            : arena_strndup(arena, op->op_path, (size_t)(mark - op->op_path));
    if (ret_op->operation == NULL)
        return false;
    ret_op->type = mark != NULL && mark[1] != '\0' ? arena_strdup(arena, mark + 1)
                                                   : primitive_of(ret_op->operation, arena);
    return ret_op->type != NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    const struct framework_op *left = a, *right = b;
    int order = strcmp(left->operation, right->operation);
    return order != 0 ? order : strcmp(left->type, right->type);
}

static int by_time(const void *a, const void *b)
{
    const struct framework_op *left = a, *right = b;
    if (left->sums.self_ps != right->sums.self_ps)
        return left->sums.self_ps > right->sums.self_ps ? -1 : 1;
    return by_name(a, b);
}

/* Several instructions of one framework op run as often as the most frequent of them. */
static void op_join(struct framework_op *op, const struct framework_op *more)
{
    const int64_t most = op->sums.count > more->sums.count ? op->sums.count : more->sums.count;
    op_sums_add(&op->sums, &more->sums);
    op->sums.count = most;
}

bool framework_ops_join(const struct op_list *list, struct arena *arena,
                        struct framework_op **ret_ops, size_t *ret_count)
{
    struct framework_op *ops = arena_array(arena, struct framework_op, list->count);
    size_t count = 0, last = 0;
    if (ops == NULL)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i].asynchronous && !op_named(&list->items[i], arena, &ops[count++]))
            return false;
    }
    *ret_ops = ops;
    *ret_count = 0;
    if (count == 0)
        return true;
    qsort(ops, count, sizeof *ops, by_name);
    for (size_t i = 1; i < count; i++) {
        if (by_name(&ops[last], &ops[i]) == 0)
            op_join(&ops[last], &ops[i]);
        else
            ops[++last] = ops[i];
    }
    *ret_count = last + 1;
    qsort(ops, *ret_count, sizeof *ops, by_time);
    return true;
}

static void row_fill(const struct op_table_input *input, const struct framework_op *op,
                     struct data_value *row)
{
    const struct op_sums *sums = &op->sums;
    const struct op_figures figures =
        op_figures_of(sums, sums->total_ps, op->opcode, &input->limits);
    row[SIDE] = data_text("Device");
    row[TYPE] = data_text(op->type);
    row[OPERATION] = data_text(op->operation);
    op_times_fill(sums, row + TIMES);
    op_rates_fill(&figures, row + RATES);
    row[BOUND] = data_text(figures.bound_by);
}

bool framework_op_stats_table(const struct op_table_input *input, struct data_table *ret_table,
                              struct err *err)
{
    struct made_rows rows;
    struct framework_op *ops;
    size_t count;
    if (!framework_ops_join(input->ops, input->arena, &ops, &count) ||
        !op_rows_init(&rows, columns, COLUMNS, input))
        return arena_failed(input->arena, "the rows of a table", err);
    double so_far = 0;
    for (size_t i = 0; i < count; i++) {
        struct data_value *row = made_row(&rows);
        if (row == NULL)
            break;
        row_fill(input, &ops[i], row);
        so_far += (double)ops[i].sums.self_ps;
        row[RANK] = data_integer((int64_t)i + 1);
        row[SHARE] = op_time_share(input, (double)ops[i].sums.self_ps, 1);
        row[CUMULATIVE] = op_time_share(input, so_far, 1);
    }
    op_properties(input, &rows);
    return made_table(&rows, "framework_op_stats", input->request->limit,
                      input->summary->source_format, ret_table, err);
}
