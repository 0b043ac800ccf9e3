/* Tables that lie in an export: kernels by name and launch, copies, ranges. Each row of the export
 * counts, also one that lasted no time. */
#include "ingest/nsight/nsight.h"
#include "ingest/nsight/nsight_reading.h"

#include <inttypes.h>
#include <string.h>

/* One row of an export as one event of a table. */
typedef bool item_fill(struct nsight_reading *reading, const struct export_rows *rows,
                       struct row_item *item, struct err *err);

enum { TABLE_START, TABLE_END, TABLE_FIRST }; /* the first columns of all */

#define TIMED (1U << TABLE_START | 1U << TABLE_END)

static struct data_value text_of(const struct nsight_reading *reading, uint32_t number)
{
    return data_text(catalog_text(reading->catalog, number));
}

static int64_t integer_of(const struct export_rows *rows, int column)
{
    int64_t value;
    (void)export_integer(rows, column, &value);
    return value;
}

/* ---- kernels --------------------------------------------------------------------------------- */

enum {
    KERNEL_PROCESS = TABLE_FIRST,
    KERNEL_CORRELATION,
    KERNEL_NAME,
    KERNEL_SHORT_NAME,
    KERNEL_REGISTERS,
    KERNEL_GRID,
    KERNEL_BLOCK = KERNEL_GRID + 3,
    KERNEL_STATIC = KERNEL_BLOCK + 3,
    KERNEL_DYNAMIC
};

static const struct export_table kernels = {
    "CUPTI_ACTIVITY_KIND_KERNEL",
    0,
    TIMED,
    {"start", "end", "globalPid", "correlationId", "demangledName", "shortName",
     "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
     "staticSharedMemory", "dynamicSharedMemory"}};

/* "x,y,z" of three columns; unset where one is missing. */
static struct data_value size_of(struct nsight_reading *reading, const struct export_rows *rows,
                                 int column)
{
    int64_t sides[3];
    for (int i = 0; i < 3; i++) {
        if (export_integer(rows, column + i, &sides[i]) != CELL_VALUE)
            return (struct data_value){0};
    }
    return data_text(arena_printf(&reading->scratch, "%" PRId64 ",%" PRId64 ",%" PRId64, sides[0],
                                  sides[1], sides[2]));
}

static bool kernel_fill(struct nsight_reading *reading, const struct export_rows *rows,
                        struct row_item *item, struct err *err)
{
    int64_t number, dynamic;
    uint32_t name;
    if (!nsight_kernel_name(reading, rows, (const int[]){KERNEL_NAME, KERNEL_SHORT_NAME}, &name,
                            err))
        return false;
    const struct opt_i64 correlation =
        nsight_correlation(reading, rows, KERNEL_CORRELATION, integer_of(rows, KERNEL_PROCESS));
    const struct launch_context *context =
        &reading->ranges.contexts[launch_origin_of(&reading->ranges, correlation).context];
    item->keys[0] = text_of(reading, name);
    item->keys[1] = size_of(reading, rows, KERNEL_GRID);
    item->keys[2] = size_of(reading, rows, KERNEL_BLOCK);
    if (export_integer(rows, KERNEL_REGISTERS, &number) == CELL_VALUE)
        item->keys[3] = data_integer(number);
    if (export_integer(rows, KERNEL_STATIC, &number) == CELL_VALUE &&
        export_integer(rows, KERNEL_DYNAMIC, &dynamic) == CELL_VALUE &&
        !__builtin_add_overflow(number, dynamic, &number))
        item->keys[4] = data_integer(number);
    item->keys[5] = text_of(reading, context->path != STRING_NONE ? context->path : context->op);
    return true;
}

/* ---- copies ---------------------------------------------------------------------------------- */

enum { COPY_BYTES = TABLE_FIRST, COPY_KIND, COPY_FROM, COPY_TO };

static const struct export_table copies = {
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    0,
    TIMED,
    {"start", "end", "bytes", "copyKind", "srcKind", "dstKind"}};

static const struct export_table fills = {
    "CUPTI_ACTIVITY_KIND_MEMSET", 0, TIMED, {"start", "end", "bytes", NULL, NULL, "memKind"}};

/* By ENUM_CUDA_MEM_KIND. */
static struct data_value memory_of(const struct export_rows *rows, int column)
{
    static const char *const kinds[] = {"pageable", "pinned",        "device",         "array",
                                        "managed",  "device_static", "managed_static", "unknown"};
    int64_t kind;
    bool known = export_integer(rows, column, &kind) == CELL_VALUE && kind >= 0 &&
                 kind < (int64_t)(sizeof kinds / sizeof kinds[0]);
    return data_text(known ? kinds[kind] : NULL);
}

static bool copy_fill(struct nsight_reading *reading, const struct export_rows *rows,
                      struct row_item *item, struct err *err)
{
    (void)reading;
    (void)err;
    bool is_copy = rows->table == &copies;
    item->keys[0] = data_text(is_copy ? nsight_copy_name(integer_of(rows, COPY_KIND)) : "Memset");
    item->keys[1] = memory_of(rows, COPY_FROM);
    item->keys[2] = memory_of(rows, COPY_TO);
    item->sums_unknown = export_integer(rows, COPY_BYTES, &item->sums[0]) != CELL_VALUE;
    return true;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

enum { RANGE_ID = TABLE_FIRST, RANGE_TEXT, RANGE_TYPE, RANGE_DOMAIN };
enum { NVTX_DOMAIN = 75 };

static const struct export_table ranges = {
    "NVTX_EVENTS", 0, TIMED, {"start", "end", "textId", "text", "eventType", "domainId"}};

/* The names of domains, by their ids; those of several processes may share one, and the first
 * counts. */
static bool domain_take(struct nsight_reading *reading, const struct export_rows *rows,
                        void *context, struct err *err)
{
    const char *text;
    size_t length;
    int64_t domain;
    (void)context;
    (void)err;
    if (integer_of(rows, RANGE_TYPE) == NVTX_DOMAIN &&
        export_integer(rows, RANGE_DOMAIN, &domain) == CELL_VALUE &&
        export_text(rows, RANGE_TEXT, &text, &length) == CELL_VALUE && length > 0 &&
        id_map_find(&reading->domains, domain) == ID_MAP_ABSENT)
        id_map_set(&reading->domains, domain, (int32_t)nsight_text_keep(reading, text, length));
    return true;
}

static bool range_fill(struct nsight_reading *reading, const struct export_rows *rows,
                       struct row_item *item, struct err *err)
{
    uint32_t text;
    if (!nsight_range_text(reading, rows, (const int[]){RANGE_TEXT, RANGE_ID}, &text, err))
        return false;
    int32_t domain = id_map_find(&reading->domains, integer_of(rows, RANGE_DOMAIN));
    item->keys[0] = text_of(reading, text);
    item->keys[1] = text_of(reading, domain == ID_MAP_ABSENT ? STRING_NONE : (uint32_t)domain);
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The table, and what fills its items. */
struct table_filling {
    struct grouped_rows *rows;
    item_fill *fill;
};

static bool row_take(struct nsight_reading *reading, const struct export_rows *source,
                     void *context, struct err *err)
{
    const struct table_filling *filling = context;
    struct row_item item = {0};
    int64_t start, end, duration_ns, duration_ps;
    if (export_integer(source, TABLE_START, &start) != CELL_VALUE ||
        export_integer(source, TABLE_END, &end) != CELL_VALUE || end < start ||
        __builtin_sub_overflow(end, start, &duration_ns) ||
        __builtin_mul_overflow(duration_ns, (int64_t)1000, &duration_ps))
        return true;
    struct arena_mark mark = arena_mark(&reading->scratch);
    row_item_time(&item, duration_ps);
    bool taken =
        filling->fill(reading, source, &item, err) && grouped_add(filling->rows, &item, err);
    arena_rewind(&reading->scratch, mark);
    return taken;
}

/* Why an export has no kernel although CUDA was traced. */
static bool kernels_missed(struct nsight_reading *reading, struct grouped_rows *rows,
                           struct err *err)
{
    bool has_graphs, has_copies;
    if (!export_db_has(&reading->db, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", &has_graphs, err) ||
        !export_db_has(&reading->db, copies.name, &has_copies, err))
        return false;
    if (has_graphs)
        rows->nothing = "traced its CUDA graphs as a whole, without a row for each kernel: nsys "
                        "profile --cuda-graph-trace=node tells them apart";
    else if (has_copies)
        rows->nothing = "holds copies, but no kernel (CUPTI_ACTIVITY_KIND_KERNEL): it holds a part "
                        "of its report, or nothing but copies ran on its GPUs";
    return true;
}

static bool table_read(struct nsight_reading *reading, struct grouped_rows *rows, struct err *err)
{
    struct table_filling filling = {rows, kernel_fill};
    if (rows->kind == &table_kinds[DATA_TABLE_kernels]) /* calls tell the op of a kernel */
        return nsight_threads_read(reading, err) &&
               nsight_rows_read(reading, &kernels, row_take, &filling, err) &&
               (rows->count > 0 || kernels_missed(reading, rows, err));
    filling.fill = rows->kind == &table_kinds[DATA_TABLE_copies] ? copy_fill : range_fill;
    if (filling.fill == copy_fill)
        return nsight_rows_read(reading, &copies, row_take, &filling, err) &&
               nsight_rows_read(reading, &fills, row_take, &filling, err);
    return nsight_rows_read(reading, &ranges, domain_take, NULL, err) &&
           nsight_rows_read(reading, &ranges, row_take, &filling, err);
}

bool nsight_table_read(const char *path, const struct ingest_options *options,
                       struct grouped_rows *rows, struct err *err)
{
    scoped_arena arena;
    scoped_catalog catalog = {0};
    struct nsight_reading reading;
    struct xspace space = {.input.fd = -1};
    arena_init_within(&arena, rows->arena);
    const struct index_options index = {.options = options, .texts = &catalog};
    catalog_init(&catalog, &arena);
    if (!input_open(path, &space.input, err))
        return false;
    bool read = nsight_reading_open(&reading, &space, &index, &arena, err) &&
                table_read(&reading, rows, err);
    if (read && reading.db.broken_count > 0) /* it would be taken for a whole one */
        read = err_set(err, ERR_INPUT, "'%s' is broken: %s Export it again", path,
                       reading.said.items[0]);
    nsight_reading_close(&reading);
    xspace_close(&space);
    return read;
}
