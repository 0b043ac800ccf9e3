/* Tables in JSON: `{"cols": [{"id"}], "rows": [{"c": [{"v"}]}], "p": {}}`, one or an array of them;
 * and `memory_profile`, which is an object by allocator. Columns are known by their ids, whose
 * order and number differ between versions. */
#include "ingest/xprof/xprof_reading.h"

#include "ops/runtime/json.h"

#include <math.h>
#include <string.h>

/* The columns by which a table is known, the first that it has. */
static const struct {
    const char *column;
    enum xprof_role role;
} marks[] = {{"stepTimeMs", XPROF_STEPS},
             {"tcComputeTimeMs", XPROF_STEPS},
             {"computeTimeMs", XPROF_STEPS},
             {"kernel_name", XPROF_KERNELS},
             {"hlo_op_name", XPROF_HLO_STATS},
             {"roofline_efficiency", XPROF_ROOFLINE},
             {"total_time_per_core", XPROF_ROOFLINE}, /* whose efficiency nothing may tell */
             {"selfTimePercent", XPROF_TOP_OPS},
             {"selfTimeInMs", XPROF_INPUT_OPS},
             {"host_or_device", XPROF_FRAMEWORK_OPS}};

/* ---- cells ----------------------------------------------------------------------------------- */

/* A cell is a value, or an object that has it. */
static const json_t *value_of(const json_t *cell)
{
    return json_is_object(cell) ? json_object_get(cell, "v") : cell;
}

static const json_t *cells_of(const json_t *row)
{
    return json_object_get(row, "c");
}

/* What the values of a column are; the type that it states says no more than "number". */
static enum data_kind kind_of(const json_t *rows, size_t column)
{
    bool any = false, integers = true;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *value = value_of(json_array_get(cells_of(json_array_get(rows, i)), column));
        if (json_is_string(value) || json_is_boolean(value))
            return DATA_TEXT;
        any = any || json_is_number(value);
        integers = integers && !json_is_real(value);
    }
    return !any ? DATA_TEXT : integers ? DATA_INTEGER : DATA_REAL;
}

static struct data_value cell_read(const json_t *value, enum data_kind kind, struct arena *arena)
{
    if (json_is_number(value) && kind == DATA_INTEGER)
        return data_integer(json_integer_value(value));
    if (json_is_number(value) && kind == DATA_REAL)
        return data_real(json_number_value(value));
    if (json_is_number(value))
        return data_text(arena_printf(arena, "%.17g", json_number_value(value)));
    if (json_is_string(value))
        return data_text(arena_strdup(arena, json_string_value(value)));
    return json_is_boolean(value) ? data_text(json_is_true(value) ? "true" : "false")
                                  : (struct data_value){0};
}

/* ---- a table --------------------------------------------------------------------------------- */

static const char *name_of(const json_t *column)
{
    const char *id = json_string_value(json_object_get(column, "id"));
    const char *label = json_string_value(json_object_get(column, "label"));
    return id != NULL && id[0] != '\0' ? id : label != NULL ? label : "";
}

/* Columns, rows and properties; what is no text among these is none that tables have. */
static bool rows_read(const json_t *table, struct arena *arena, struct made_rows *ret_rows,
                      struct err *err)
{
    const json_t *cols = json_object_get(table, "cols"), *list = json_object_get(table, "rows");
    const size_t count = json_array_size(cols);
    struct data_column *columns = arena_array(arena, struct data_column, count);
    for (size_t i = 0; i < count; i++) {
        const char *id = arena_strdup(arena, name_of(json_array_get(cols, i)));
        columns[i] = (struct data_column){id, id, "", kind_of(list, i)};
    }
    made_rows_init(ret_rows, columns, count, arena);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *cells = cells_of(json_array_get(list, i));
        if (!json_is_object(json_array_get(list, i)))
            continue;
        struct data_value *row = made_row(ret_rows);
        for (size_t k = 0; k < count && k < json_array_size(cells); k++)
            row[k] = cell_read(value_of(json_array_get(cells, k)), columns[k].kind, arena);
        if (!arena_ok(arena, "a table", err))
            return false;
    }
    const char *key;
    const json_t *value;
    json_t *properties = json_object_get(table, "p");
    json_object_foreach (properties, key, value)
        made_property(ret_rows, arena_strdup(arena, key), "", cell_read(value, DATA_REAL, arena));
    return arena_ok(arena, "a table", err);
}

static enum xprof_role role_of(const struct made_rows *rows)
{
    for (size_t m = 0; m < sizeof marks / sizeof marks[0]; m++)
        for (size_t i = 0; i < rows->column_count; i++)
            if (strcmp(rows->columns[i].id, marks[m].column) == 0)
                return marks[m].role;
    for (size_t i = 0; i < rows->property_count; i++)
        if (strcmp(rows->properties[i].name, "bottleneck") == 0)
            return XPROF_ADVICE;
    return XPROF_OTHER;
}

static bool table_read(const struct xprof_file *file, const json_t *table, bool is_pipeline,
                       struct err *err)
{
    bool taken = true;
    struct made_rows rows;
    if (json_array_size(json_object_get(table, "cols")) > DATA_COLUMNS_MAX)
        return err_set(err, ERR_LIMIT, "'%s': a table of more than %d columns: it is none of xprof",
                       file->path, DATA_COLUMNS_MAX);
    if (!rows_read(table, file->tables->arena, &rows, err))
        return false;
    file->tables->row_count += (int64_t)rows.count;
    const enum xprof_role role = role_of(&rows);
    const enum xprof_origin origin =
        role == XPROF_STEPS && is_pipeline ? XPROF_PIPELINE : XPROF_EXPORTED;
    if (role != XPROF_OTHER && !xprof_claim(file, role, origin, &taken, err))
        return false;
    if (role != XPROF_OTHER && taken)
        xprof_add(file->tables, role, origin, &rows);
    return true;
}

static bool has_column(const json_t *root, const char *id)
{
    for (size_t t = 0; t < json_array_size(root); t++) {
        const json_t *cols = json_object_get(json_array_get(root, t), "cols");
        for (size_t i = 0; i < json_array_size(cols); i++)
            if (strcmp(name_of(json_array_get(cols, i)), id) == 0)
                return true;
    }
    return false;
}

/* ---- memory_profile -------------------------------------------------------------------------- */

/* Numbers of 64 bits are texts there. */
static struct opt_i64 integer_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    struct opt_i64 number = {json_is_integer(value), json_integer_value(value)};
    if (json_is_string(value))
        number.set = text_parse_i64(json_string_value(value), &number.value);
    return number;
}

/* What is 0 may be left out. */
static struct opt_i64 bytes_of(const json_t *object, const char *name)
{
    const struct opt_i64 bytes = integer_of(object, name);
    return bytes.set && bytes.value >= 0 ? bytes : (struct opt_i64){true, 0};
}

/* `of` is what all snapshots of the allocator have in common. */
static bool snapshot_read(const struct xprof_file *file, const json_t *snapshot,
                          const char *allocator, const struct allocator_event *of, struct err *err)
{
    struct allocator_log *log = &file->tables->memory;
    const json_t *stats = json_object_get(snapshot, "aggregationStats");
    const json_t *activity = json_object_get(snapshot, "activityMetadata");
    const json_t *fragmentation = json_object_get(stats, "fragmentation");
    const char *kind = json_string_value(json_object_get(activity, "memoryActivity"));
    const char *op = json_string_value(json_object_get(activity, "tfOpName"));
    const struct allocator_event event = {
        .host = of->host,
        .is_sample = of->is_sample,
        .time_ps = integer_of(snapshot, "timeOffsetPs").value,
        .frees = kind != NULL && strcmp(kind, "DEALLOCATION") == 0,
        .stack = bytes_of(stats, "stackReservedBytes"),
        .heap = bytes_of(stats, "heapAllocatedBytes"),
        .free = bytes_of(stats, "freeMemoryBytes"),
        .lifetime_peak = bytes_of(stats, "peakBytesInUse"),
        .requested = integer_of(activity, "requestedBytes"),
        .allocated = integer_of(activity, "allocationBytes"),
        .address = integer_of(activity, "address"),
        .fragmentation =
            some_f64(json_is_number(fragmentation) ? json_number_value(fragmentation) : 0),
        .op = arena_strdup(log->arena, op),
    };
    return allocator_log_add(log, &event, allocator, file->path, err);
}

/* So many snapshots xprof chooses where there are more. */
enum { SAMPLES_MOST = 1000 };

static bool memory_read(const struct xprof_file *file, json_t *allocators, struct err *err)
{
    const char *key;
    json_t *profile;
    bool taken;
    struct allocator_log *log = &file->tables->memory;
    const uint32_t host = allocator_log_host(log, NULL);
    if (!xprof_claim(file, XPROF_MEMORY, XPROF_EXPORTED, &taken, err))
        return false;
    json_object_foreach (allocators, key, profile) {
        const json_t *all = json_object_get(profile, "memoryProfileSnapshots");
        const json_t *some = json_object_get(profile, "sampledTimelineSnapshots");
        const json_t *list = json_array_size(all) > 0 ? all : some;
        const struct allocator_event of = {
            .host = host, .is_sample = list == some && json_array_size(some) >= SAMPLES_MOST};
        const char *allocator = arena_strdup(log->arena, key);
        for (size_t i = 0; taken && i < json_array_size(list); i++)
            if (!snapshot_read(file, json_array_get(list, i), allocator, &of, err))
                return false;
        if (taken && of.is_sample)
            NOTE(&file->tables->notes,
                 "Of the memory of %s '%s' keeps a choice of snapshots: the peak may be higher.",
                 key, file->path);
    }
    return true;
}

bool xprof_json_read(const struct xprof_file *file, struct err *err)
{
    scoped_json *root =
        json_parse((const char *)file->text.bytes, file->text.length, file->path, err);
    if (root == NULL)
        return false;
    json_t *memory = json_object_get(root, "memoryProfilePerAllocator");
    if (memory != NULL)
        return memory_read(file, memory, err);
    const bool is_one = json_is_object(root);
    const size_t count = is_one ? 1 : json_array_size(root);
    /* of both an overview alone has the ops that take most time */
    const bool is_pipeline = !is_one && !has_column(root, "selfTimePercent");
    size_t read = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *table = is_one ? root : json_array_get(root, i);
        if (!json_is_array(json_object_get(table, "cols")))
            continue;
        read++;
        if (!table_read(file, table, is_pipeline, err))
            return false;
    }
    if (read == 0)
        NOTE(&file->tables->unread, "'%s' is a table of xprof that is not read.", file->path);
    return true;
}
