/* OpStats: what xprof adds up of a profile before it makes tables of it. Ops become op rows, as
 * summaries keep them; kernels and steps become tables like those that are stored beside. The
 * fields that are read stand in ingest/README.md.
 */
#include "ingest/hlo/hlo.h"
#include "ingest/intervals/intervals.h"
#include "ingest/tables/tables.h"
#include "ingest/xprof/xprof_reading.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double double_of(const struct wire_field *field)
{
    double value;
    memcpy(&value, &field->value, sizeof value);
    return isfinite(value) && value > 0 ? value : 0;
}

static int64_t count_of(const struct wire_field *field)
{
    return field->value > INT64_MAX ? INT64_MAX : (int64_t)field->value;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Names of programs by their ids. */
struct programs {
    struct id_map by_id;
    const char **names;
    size_t count, capacity;
};

struct program_of_id {
    uint64_t id;
    const char *name;
};

static bool program_field(const struct xprof_file *file, const struct wire_field *field,
                          void *context, struct err *err)
{
    struct program_of_id *entry = context;
    (void)err;
    if (field->number == 1 && field->type == WIRE_VARINT)
        entry->id = field->value;
    if (field->number == 2 && field->type == WIRE_BYTES)
        entry->name = xprof_text(file, field);
    return true;
}

static bool programs_field(const struct xprof_file *file, const struct wire_field *field,
                           void *context, struct err *err)
{
    enum { PROGRAM_NAMES = 12 };
    struct programs *programs = context;
    struct program_of_id entry = {0};
    if (field->number != PROGRAM_NAMES || field->type != WIRE_BYTES)
        return true;
    if (!xprof_walk(file, field, program_field, &entry, err))
        return false;
    id_map_set(&programs->by_id, (int64_t)entry.id, (int32_t)programs->count);
    programs->names = arena_grow(file->tables->arena, programs->names, programs->count,
                                 &programs->capacity, sizeof *programs->names);
    programs->names[programs->count++] = entry.name;
    return true;
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* One OpMetrics while it is read. */
struct op_metrics {
    struct op_row row;
    const char *expression, *source;
    int64_t line;
    uint64_t program;
    struct opt_f64 old_flops, flops;
    bool has_total;
};

static bool source_field(const struct xprof_file *file, const struct wire_field *field,
                         void *context, struct err *err)
{
    struct op_metrics *metrics = context;
    (void)err;
    if (field->number == 1 && field->type == WIRE_BYTES && field->value > 0)
        metrics->source = xprof_text(file, field);
    if (field->number == 2 && field->type == WIRE_VARINT)
        metrics->line = (int64_t)field->value;
    return true;
}

static bool metrics_text(const struct xprof_file *file, const struct wire_field *field,
                         struct op_metrics *metrics, struct err *err)
{
    enum { NAME = 6, CATEGORY = 11, PROVENANCE = 12, LONG_NAME = 20, SOURCE_INFO = 26 };
    const struct {
        uint32_t number;
        const char **text;
    } texts[] = {{NAME, &metrics->row.name},
                 {CATEGORY, &metrics->row.category},
                 {PROVENANCE, &metrics->row.op_path},
                 {LONG_NAME, &metrics->expression}};
    if (field->number == SOURCE_INFO)
        return xprof_walk(file, field, source_field, metrics, err);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (field->number == texts[i].number && field->value > 0)
            *texts[i].text = xprof_text(file, field);
    return true;
}

static bool metrics_field(const struct xprof_file *file, const struct wire_field *field,
                          void *context, struct err *err)
{
    enum { SELF = 1, FLOPS = 2, OCCURRENCES = 3, BYTES = 5, TOTAL = 7, MODULE = 13, FLOPS_2 = 29 };
    struct op_metrics *metrics = context;
    if (field->type == WIRE_BYTES)
        return metrics_text(file, field, metrics, err);
    if (field->type == WIRE_FIXED64 && field->number == FLOPS_2)
        metrics->flops = some_f64(double_of(field));
    if (field->type != WIRE_VARINT)
        return true;
    switch (field->number) {
    case SELF:
        metrics->row.self_ps = count_of(field);
        break;
    case FLOPS:
        metrics->old_flops = some_f64((double)field->value);
        break;
    case OCCURRENCES:
        metrics->row.count = count_of(field);
        break;
    case BYTES:
        metrics->row.bytes_accessed = some_f64((double)field->value);
        break;
    case TOTAL:
        metrics->row.total_ps = count_of(field);
        break;
    case MODULE:
        metrics->program = field->value;
        break;
    default:
        break;
    }
    return true;
}

static const char *or_dash(const char *text)
{
    return text == NULL ? "-" : text;
}

/* The parts of a row that follow from what the op is called. */
static void row_complete(struct op_row *row, const char *expression, struct arena *arena)
{
    struct hlo_text text = {0};
    if (expression != NULL)
        hlo_text_parse(expression, strlen(expression), arena, &text);
    row->opcode = text.opcode;
    row->shape_signature = text.shapes;
    row->category = row->category == NULL ? "unknown" : row->category;
    row->phase = phase_of(row->op_path, row->name);
    row->device_count = 1;
    row->max_device_self_ps = row->self_ps;
    row->max_device = UINT32_MAX;
    const char *canonical = phase_path_canonical(row->op_path, arena);
    row->signature =
        arena_printf(arena, "%s|%s|%s|%s|%s|%s", row->category, or_dash(row->opcode),
                     row->opcode == NULL ? row->name : "-", or_dash(row->shape_signature),
                     row->phase, *canonical == '\0' ? "-" : canonical);
}

static bool ops_field(const struct xprof_file *file, const struct wire_field *field, void *context,
                      struct err *err)
{
    enum { OP_METRICS = 10 };
    const struct programs *programs = context;
    struct xprof_tables *tables = file->tables;
    struct op_metrics metrics = {0};
    if (field->number != OP_METRICS || field->type != WIRE_BYTES)
        return true;
    if (!xprof_walk(file, field, metrics_field, &metrics, err))
        return false;
    struct op_row *row = &metrics.row;
    if (row->name == NULL || strcmp(row->name, "IDLE") == 0)
        return true;
    const int32_t program = id_map_find(&programs->by_id, (int64_t)metrics.program);
    row->program = program == ID_MAP_ABSENT ? NULL : programs->names[program];
    row->flops = metrics.flops.set ? metrics.flops : metrics.old_flops;
    row->source_file = metrics.source == NULL ? NULL
                                              : arena_printf(tables->arena, "%s:%" PRId64,
                                                             metrics.source, metrics.line);
    row_complete(row, metrics.expression, tables->arena);
    tables->ops = arena_grow(tables->arena, tables->ops, tables->op_count, &tables->op_capacity,
                             sizeof *tables->ops);
    tables->ops[tables->op_count++] =
        (struct xprof_op){*row, {metrics.program != 0, (int64_t)metrics.program}};
    return true;
}

static int signature_order(const void *a, const void *b)
{
    const struct op_row *left = a, *right = b;
    int order = strcmp(left->signature, right->signature);
    order = order != 0 ? order : strcmp(or_dash(left->program), or_dash(right->program));
    if (order != 0 || left->self_ps == right->self_ps)
        return order;
    return left->self_ps > right->self_ps ? -1 : 1;
}

static void number_join(struct opt_f64 *sum, struct opt_f64 more)
{
    sum->value += more.value;
    sum->set = sum->set || more.set;
}

static void row_join(struct op_row *row, const struct op_row *more)
{
    ps_add(&row->count, more->count);
    ps_add(&row->total_ps, more->total_ps);
    ps_add(&row->self_ps, more->self_ps);
    row->max_device_self_ps = row->self_ps;
    number_join(&row->flops, more->flops);
    number_join(&row->bytes_accessed, more->bytes_accessed);
}

void xprof_ops_sum(const struct xprof_tables *tables, struct arena *arena, struct summary *summary)
{
    const size_t count = tables->op_count;
    struct op_row *rows = arena_array(arena, struct op_row, count);
    size_t last = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        rows[i] = tables->ops[i].row;
    qsort(rows, count, sizeof *rows, signature_order);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && strcmp(rows[i].signature, rows[next].signature) == 0;)
            next++;
        if (strcmp(or_dash(rows[i].program), or_dash(rows[next - 1].program)) == 0)
            continue;
        for (size_t k = i; k < next; k++) /* of several programs each says its own */
            rows[k].signature =
                arena_printf(arena, "%s|%s", rows[k].signature, or_dash(rows[k].program));
    }
    for (size_t i = 1; i < count; i++) {
        if (strcmp(rows[last].signature, rows[i].signature) == 0)
            row_join(&rows[last], &rows[i]);
        else
            rows[++last] = rows[i];
    }
    summary->ops = rows;
    summary->op_count = last + 1;
    qsort(rows, summary->op_count, sizeof *rows, op_row_order);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool peaks_field(const struct xprof_file *file, const struct wire_field *field,
                        void *context, struct err *err)
{
    struct xprof_run *run = context;
    (void)file;
    (void)err;
    enum { TFLOPS = 1, HBM = 2, BANDWIDTHS = 5 }; /* of several memories, HBM first */
    struct wire_field first = *field;
    if (field->number == BANDWIDTHS && field->type == WIRE_BYTES && field->value >= 8) {
        memcpy(&first.value, field->bytes, sizeof first.value);
        first.number = HBM;
        first.type = WIRE_FIXED64;
    }
    if (first.type != WIRE_FIXED64 || !(double_of(&first) > 0))
        return true;
    if (first.number == TFLOPS)
        run->tflops = some_f64(double_of(&first));
    if (first.number == HBM)
        run->hbm_gb_per_s = some_f64(double_of(&first));
    return true;
}

static bool run_field(const struct xprof_file *file, const struct wire_field *field, void *context,
                      struct err *err)
{
    enum { HOSTS = 1, DEVICE_TYPE = 4, DEVICES = 5 };
    struct xprof_run *run = context;
    (void)err;
    if (field->type == WIRE_BYTES && field->number == DEVICE_TYPE && field->value > 0)
        run->device_type = xprof_text(file, field);
    if (field->type == WIRE_VARINT && (field->number == HOSTS || field->number == DEVICES) &&
        field->value > 0)
        *(field->number == HOSTS ? &run->host_count : &run->device_count) =
            some_i64(count_of(field));
    return true;
}

static bool stats_field(const struct xprof_file *file, const struct wire_field *field,
                        void *context, struct err *err)
{
    enum { DEVICE_OPS = 2, PEAKS = 3, RUN = 5, KERNELS = 6 };
    bool taken;
    if (field->type != WIRE_BYTES)
        return true;
    switch (field->number) {
    case DEVICE_OPS:
        return xprof_claim(file, XPROF_OPS, XPROF_OP_STATS, &taken, err) &&
               (!taken || xprof_walk(file, field, ops_field, context, err));
    case PEAKS:
        return xprof_walk(file, field, peaks_field, &file->tables->run, err);
    case RUN:
        return xprof_walk(file, field, run_field, &file->tables->run, err);
    case KERNELS:
        return xprof_kernels_read(file, field, XPROF_OP_STATS, err);
    default:
        return true;
    }
}

bool xprof_op_stats_read(const struct xprof_file *file, struct err *err)
{
    struct programs programs = {0}; /* which come behind the ops */
    const struct wire_field whole = {
        .type = WIRE_BYTES, .bytes = file->text.bytes, .end = file->text.bytes + file->text.length};
    id_map_init(&programs.by_id, file->tables->arena);
    return xprof_walk(file, &whole, programs_field, &programs, err) &&
           xprof_walk(file, &whole, stats_field, &programs, err);
}
