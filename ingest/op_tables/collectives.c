/* Collectives by kind and program: how long they are in flight, how much of that the devices wait,
 * what they move, and how devices differ.
 *
 * What one op starts and another ends is one collective: it flies as long as its event on the
 * asynchronous line says, where there is one, and devices wait in its two ends.
 */
#include "ingest/hlo_proto/hlo_proto.h"
#include "ingest/op_tables/op_rows.h"

#include "ingest/intervals/intervals.h"

#include <stdlib.h>
#include <string.h>

enum {
    KIND,
    PROGRAM,
    GROUP_SIZE,
    GROUPS,
    OCCURRENCES,
    PAYLOAD,
    FLIGHT,
    AVERAGE_FLIGHT,
    EXPOSED,
    EXPOSED_SHARE,
    BANDWIDTH,
    BUS_BANDWIDTH,
    SKEW,
    COLUMNS
};

#define NO_GROUPS \
    "no program tells which devices exchange, or those that do name no group: then all do"

static const struct op_column columns[COLUMNS] = {
    [KIND] = {{"collective", "collective", "", DATA_TEXT}, NULL},
    [PROGRAM] = {{"program", "program", "", DATA_TEXT},
                 "the source does not tell of which program its ops are"},
    [GROUP_SIZE] = {{"group_size", "devices", "count", DATA_INTEGER}, NO_GROUPS},
    [GROUPS] = {{"group_count", "groups", "count", DATA_INTEGER}, NO_GROUPS},
    [OCCURRENCES] = {{"occurrences", "occurrences", "count", DATA_INTEGER}, NULL},
    [PAYLOAD] = {{"payload_bytes", "payload", "bytes", DATA_INTEGER},
                 "no collective of the profile tells its shapes"},
    [FLIGHT] = {{"flight_time", "in flight", "us", DATA_REAL},
                "collectives have a start and an end, and no line says how long they fly"},
    [AVERAGE_FLIGHT] = {{"avg_flight_time", "average", "us", DATA_REAL},
                        "collectives have a start and an end, and no line says how long they fly"},
    [EXPOSED] = {{"exposed_time", "exposed", "us", DATA_REAL},
                 "kernels of several kinds run beside others: of all of them together "
                 "exposed_communication_us tells"},
    [EXPOSED_SHARE] = {{"exposed_share", "of flight", "ratio", DATA_REAL},
                       "exposed or flight time is not known"},
    [BANDWIDTH] = {{"effective_bandwidth", "GiB/s", "gib_per_s", DATA_REAL},
                   "payload or flight time is not known"},
    [BUS_BANDWIDTH] = {{"bus_bandwidth", "bus GiB/s", "gib_per_s", DATA_REAL},
                       "group, payload or flight time is not known"},
    [SKEW] = {{"device_skew", "skew", "us", DATA_REAL}, "one device alone has collectives"},
};

/* Ops of one kind, program and size of groups. */
struct collective {
    const char *kind, *program;
    int64_t group_size, group_count;
    int64_t runs, halves; /* whole ones; ends of asynchronous ones */
    int64_t flying;       /* events of an asynchronous line */
    int64_t whole_ps, wait_ps, flight_ps;
    bool of_kernels;
    struct opt_f64 payload;
};

static bool is_of(const struct op_item *op, const struct collective *collective)
{
    return op->collective != NULL && strcmp(op->collective, collective->kind) == 0 &&
           strcmp(op->program == NULL ? "" : op->program, collective->program) == 0 &&
           op->run->group_size == collective->group_size &&
           op->run->group_count == collective->group_count;
}

static struct collective *collective_of(const struct op_item *op, struct collective *list,
                                        size_t *count)
{
    size_t i = 0;
    while (i < *count && !is_of(op, &list[i]))
        i++;
    if (i == *count)
        list[(*count)++] = (struct collective){.kind = op->collective,
                                               .program = op->program == NULL ? "" : op->program,
                                               .group_size = op->run->group_size,
                                               .group_count = op->run->group_count};
    return &list[i];
}

static void op_add(const struct op_item *op, struct collective *into)
{
    const struct op_sums *sums = &op->sums;
    into->of_kernels = into->of_kernels || op->is_kernel;
    if (op->asynchronous) {
        into->flying += sums->count;
        ps_add(&into->flight_ps, sums->total_ps);
        return;
    }
    ps_add(&into->wait_ps, sums->self_ps);
    if (!opcode_is_half(op->opcode) || op->is_kernel) {
        into->runs += sums->count;
        ps_add(&into->whole_ps, sums->total_ps);
    } else if (opcode_ends(op->opcode, "-done")) {
        into->halves += sums->count;
    }
    const struct opt_f64 payload = hlo_result_bytes(op->shapes);
    if (payload.set && (!opcode_is_half(op->opcode) || opcode_ends(op->opcode, "-done")))
        into->payload = some_f64(into->payload.value + payload.value * (double)sums->count);
}

static int by_time(const void *a, const void *b)
{
    const struct collective *left = a, *right = b;
    if (left->wait_ps != right->wait_ps)
        return left->wait_ps > right->wait_ps ? -1 : 1;
    int order = strcmp(left->kind, right->kind);
    if (order == 0)
        order = strcmp(left->program, right->program);
    if (order == 0)
        order = (left->group_size > right->group_size) - (left->group_size < right->group_size);
    return order != 0 ? order
                      : (left->group_count > right->group_count) -
                            (left->group_count < right->group_count);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* How much longer one takes on the device that is longest in it: on average, by the devices' own
 * clocks. Ends and whole ones alike; absent where one device alone has them. */
static struct opt_f64 skew_of(const struct op_list *ops, const struct collective *collective,
                              int64_t *device_ps, int64_t *device_runs)
{
    double least = 0, most = 0;
    size_t devices = 0;
    memset(device_ps, 0, ops->device_count * sizeof *device_ps);
    memset(device_runs, 0, ops->device_count * sizeof *device_runs);
    for (size_t i = 0; i < ops->share_count; i++) {
        const struct op_share *share = &ops->shares[i];
        const struct op_item *op = &ops->items[share->item];
        if (op->asynchronous || !is_of(op, collective))
            continue;
        ps_add(&device_ps[share->device], share->total_ps);
        if (!opcode_is_half(op->opcode) || opcode_ends(op->opcode, "-done") || op->is_kernel)
            device_runs[share->device] += share->count;
    }
    for (size_t i = 0; i < ops->device_count; i++) {
        if (device_runs[i] == 0)
            continue;
        const double mean = us_of_ps(device_ps[i]) / (double)device_runs[i];
        least = devices == 0 || mean < least ? mean : least;
        most = devices == 0 || mean > most ? mean : most;
        devices++;
    }
    return (struct opt_f64){devices > 1, most - least};
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Of several kinds of kernels it is not known which of them what runs beside them hides. */
static struct opt_f64 exposed_of(const struct op_table_input *input,
                                 const struct collective *collective, size_t kinds)
{
    int64_t exposed = 0;
    if (!collective->of_kernels)
        return some_f64((double)collective->wait_ps);
    for (size_t i = 0; i < input->summary->device_count; i++)
        ps_add(&exposed, input->summary->devices[i].exposed_comm_ps);
    return (struct opt_f64){kinds == 1, (double)exposed};
}

/* What goes over each link of a ring, as part of the result; absent of other kinds. */
static struct opt_f64 link_share(const struct collective *collective)
{
    const double n = (double)collective->group_size;
    const char *kind = collective->kind;
    if (n < 2)
        return (struct opt_f64){0};
    if (strcmp(kind, "all-reduce") == 0)
        return some_f64(2 * (n - 1) / n);
    if (strcmp(kind, "reduce-scatter") == 0) /* the result is one of n parts */
        return some_f64(n - 1);
    return (struct opt_f64){strcmp(kind, "all-gather") == 0 || strcmp(kind, "all-to-all") == 0,
                            (n - 1) / n};
}

static void row_fill(const struct collective *collective, struct opt_f64 exposed,
                     struct data_value *row)
{
    const int64_t runs = collective->runs + collective->halves;
    const bool flies = collective->halves == 0 || collective->flying > 0;
    const double flight = us_of_ps(collective->whole_ps) + us_of_ps(collective->flight_ps);
    const int64_t flown = collective->runs + collective->flying;
    row[KIND] = data_text(collective->kind);
    if (collective->program[0] != '\0')
        row[PROGRAM] = data_text(collective->program);
    if (collective->group_size > 0) {
        row[GROUP_SIZE] = data_integer(collective->group_size);
        row[GROUPS] = data_integer(collective->group_count);
    }
    row[OCCURRENCES] = data_integer(runs > 0 ? runs : collective->flying);
    if (collective->payload.set && collective->payload.value < (double)INT64_MAX)
        row[PAYLOAD] = data_integer((int64_t)collective->payload.value);
    if (exposed.set)
        row[EXPOSED] = data_real(exposed.value / 1e6);
    if (!flies || !(flight > 0))
        return;
    row[FLIGHT] = data_real(flight);
    row[AVERAGE_FLIGHT] = data_real(average(flight, flown));
    if (exposed.set && flown == runs)
        row[EXPOSED_SHARE] = data_real(exposed.value / 1e6 / flight);
    if (!collective->payload.set || flown != runs)
        return;
    const struct opt_f64 link = link_share(collective);
    const double rate = collective->payload.value / flight * 1e6 / (1024.0 * 1024.0 * 1024.0);
    row[BANDWIDTH] = data_real(rate);
    row[BUS_BANDWIDTH] = data_opt_real((struct opt_f64){link.set, rate * link.value});
}

bool collectives_table(const struct op_table_input *input, struct data_table *ret_table,
                       struct err *err)
{
    const struct op_list *ops = input->ops;
    struct made_rows rows;
    size_t count = 0;
    int64_t exposed = 0;
    struct collective *list = arena_array(input->arena, struct collective, ops->count);
    int64_t *device_ps = arena_array(input->arena, int64_t, ops->device_count);
    int64_t *device_runs = arena_array(input->arena, int64_t, ops->device_count);
    op_rows_init(&rows, columns, COLUMNS, input);
    for (size_t i = 0; i < ops->count; i++) {
        if (ops->items[i].collective != NULL)
            op_add(&ops->items[i], collective_of(&ops->items[i], list, &count));
    }
    if (count == 0)
        return err_set(err, ERR_INPUT,
                       "no table 'collectives': no op of '%s' exchanges data with other devices",
                       input->summary->source_path);
    qsort(list, count, sizeof *list, by_time);
    for (size_t i = 0; i < count; i++) {
        struct data_value *row = made_row(&rows);
        row_fill(&list[i], exposed_of(input, &list[i], count), row);
        row[SKEW] = data_opt_real(skew_of(ops, &list[i], device_ps, device_runs));
    }
    for (size_t i = 0; i < input->summary->device_count; i++)
        ps_add(&exposed, input->summary->devices[i].exposed_comm_ps);
    made_property(&rows, "exposed_communication_us", "us", data_real(us_of_ps(exposed)));
    op_properties(input, &rows);
    return made_table(&rows, "collectives", input->request->limit, input->summary->source_format,
                      ret_table, err);
}
