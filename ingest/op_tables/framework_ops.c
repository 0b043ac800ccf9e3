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

/* An op without a path is the instruction, of a type that nobody knows. */
static struct framework_op op_named(const struct op_item *op, struct arena *arena)
{
    struct framework_op named = {.operation = op->name,
                                 .type = "Unknown",
                                 .opcode = op->opcode,
                                 .unnamed = op->is_kernel && op->instruction == NULL,
                                 .sums = op_timed_sums(op)};
    if (op->op_path == NULL || op->op_path[0] == '\0')
        return named;
    named.unnamed = false;
    const char *mark = type_mark(op->op_path);
    named.operation = mark == NULL
                          ? op->op_path
                          : arena_strndup(arena, op->op_path, (size_t)(mark - op->op_path));
    named.type = mark != NULL && mark[1] != '\0' ? arena_strdup(arena, mark + 1)
                                                 : primitive_of(named.operation, arena);
    return named;
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

struct framework_op *framework_ops_join(const struct op_list *list, struct arena *arena,
                                        size_t *ret_count)
{
    struct framework_op *ops = arena_array(arena, struct framework_op, list->count);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!list->items[i].asynchronous)
            ops[count++] = op_named(&list->items[i], arena);
    if (count > 0)
        qsort(ops, count, sizeof *ops, by_name);
    for (size_t i = 0; i < count; i++) {
        struct framework_op *last = kept == 0 ? NULL : &ops[kept - 1];
        if (last == NULL || by_name(last, &ops[i]) != 0) {
            ops[kept++] = ops[i];
            continue;
        }
        /* several instructions of one run as often as the most frequent of them */
        const int64_t more = ops[i].sums.count,
                      most = last->sums.count > more ? last->sums.count : more;
        op_sums_add(&last->sums, &ops[i].sums);
        last->sums.count = most;
    }
    if (kept > 0)
        qsort(ops, kept, sizeof *ops, by_time);
    *ret_count = kept;
    return ops;
}

bool framework_op_stats_table(const struct op_table_input *input, struct data_table *ret_table,
                              struct err *err)
{
    struct made_rows rows;
    size_t count;
    double so_far = 0;
    const struct framework_op *ops = framework_ops_join(input->ops, input->arena, &count);
    op_rows_init(&rows, columns, COLUMNS, input);
    for (size_t i = 0; i < count; i++) {
        const struct op_sums *sums = &ops[i].sums;
        const struct op_figures figures =
            op_figures_of(sums, sums->total_ps, ops[i].opcode, &input->limits);
        struct data_value *row = made_row(&rows);
        so_far += (double)sums->self_ps;
        row[RANK] = data_integer((int64_t)i + 1);
        row[SIDE] = data_text("Device");
        row[TYPE] = data_text(ops[i].type);
        row[OPERATION] = data_text(ops[i].operation);
        op_times_fill(sums, row + TIMES);
        op_rates_fill(&figures, row + RATES);
        row[BOUND] = data_text(figures.bound_by);
        row[SHARE] = op_time_share(input, (double)sums->self_ps, 1);
        row[CUMULATIVE] = op_time_share(input, so_far, 1);
    }
    op_properties(input, &rows);
    return made_table(&rows, "framework_op_stats", input->request->limit,
                      input->summary->source_format, ret_table, err);
}
