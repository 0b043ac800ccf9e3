/* See trace_table.h. Categories have a large first letter in traces of 2021. */
#include "ingest/trace/trace_table.h"

#include <ctype.h>
#include <string.h>

static bool has_category(const struct trace_event *item, const char *name, const char *old_name)
{
    const struct token *category = &item->values[TRACE_CAT];
    return trace_has(item, TRACE_CAT) && category->kind == TOKEN_STRING &&
           (token_is(category, name) || token_is(category, old_name));
}

bool trace_is_torch(const struct trace_event *item)
{
    return has_category(item, "cpu_op", "Operator");
}

bool trace_is_device_work(const struct trace_event *item)
{
    return has_category(item, "kernel", "Kernel") || has_category(item, "gpu_memcpy", "Memcpy") ||
           has_category(item, "gpu_memset", "Memset");
}

const char *trace_torch_nothing(const struct table_kind *kind)
{
    return kind == &table_kinds[DATA_TABLE_kernels]
               ? "is a trace of PyTorch without a kernel: " TRACE_TORCH_REMEDY
           : kind == &table_kinds[DATA_TABLE_copies]
               ? "is a trace of PyTorch without a copy or fill of memory: " TRACE_TORCH_REMEDY
               : NULL;
}

/* "[4, 2, 1]" as "4,2,1"; unset for anything else. */
static struct data_value sides_of(const struct trace_event *item, enum trace_member member,
                                  struct arena *arena)
{
    enum { SIDES_BYTES_MAX = 64 };
    const struct token *value = &item->values[member];
    char sides[SIDES_BYTES_MAX];
    size_t length = 0;
    if (!trace_has(item, member) || value->kind != TOKEN_COMPOUND)
        return (struct data_value){0};
    for (uint32_t i = 0; i < value->length; i++) {
        char c = value->start[i];
        if (strchr("[] \t\r\n", c) != NULL)
            continue;
        if ((!isdigit((unsigned char)c) && c != ',') || length == sizeof sides)
            return (struct data_value){0};
        sides[length++] = c;
    }
    return data_text(arena_strndup(arena, sides, length));
}

static struct data_value integer_of(const struct trace_event *item, enum trace_member member)
{
    int64_t number;
    bool known = trace_has(item, member) && item->values[member].kind == TOKEN_NUMBER &&
                 token_integer(&item->values[member], &number);
    return known ? data_integer(number) : (struct data_value){0};
}

/* "Memcpy HtoD (Pageable -> Device)" as MemcpyH2D from pageable to device; "Memset (Device)". */
static void copy_keys(const char *name, struct arena *arena, struct row_item *row)
{
    const char *direction = strchr(name, ' '), *open = strchr(name, '(');
    const char *arrow = open == NULL ? NULL : strstr(open, " -> ");
    const char *close = open == NULL ? NULL : strchr(open, ')');
    bool is_memcpy = strncmp(name, "Memcpy ", 7) == 0 && direction != NULL &&
                     strncmp(direction + 2, "to", 2) == 0;
    row->keys[0] =
        data_text(is_memcpy ? arena_printf(arena, "Memcpy%c2%c", direction[1], direction[4])
                            : arena_strndup(arena, name, strcspn(name, " ")));
    if (close == NULL)
        return;
    const char *to = arrow != NULL && arrow < close ? arrow + 4 : open + 1;
    if (to != open + 1)
        row->keys[1] = data_text(
            text_lower(arena, arena_strndup(arena, open + 1, (size_t)(arrow - open - 1))));
    row->keys[2] = data_text(text_lower(arena, arena_strndup(arena, to, (size_t)(close - to))));
}

void trace_launches_init(struct trace_launches *launches, struct catalog *catalog)
{
    *launches = (struct trace_launches){.catalog = catalog};
    id_map_init(&launches->op_by_external, catalog->arena);
    id_map_init(&launches->place_by_correlation, catalog->arena);
}

void trace_launch_add(struct trace_launches *launches, const struct trace_event *item)
{
    struct arena *arena = launches->catalog->arena;
    const struct token *name = &item->values[TRACE_NAME];
    const struct data_value external = integer_of(item, TRACE_EXTERNAL);
    const struct data_value correlation = integer_of(item, TRACE_CORRELATION);
    if (!external.set)
        return;
    if (has_category(item, "cpu_op", "Operator")) {
        struct arena_mark mark = arena_mark(&launches->catalog->scratch);
        const char *text = token_text(name, &launches->catalog->scratch);
        const uint32_t number = strings_add(&launches->catalog->strings, text, strlen(text));
        arena_rewind(&launches->catalog->scratch, mark);
        id_map_set(&launches->op_by_external, external.integer, (int32_t)number);
        return;
    }
    if (!correlation.set || !has_category(item, "cuda_runtime", "Runtime"))
        return;
    id_map_set(&launches->place_by_correlation, correlation.integer, (int32_t)launches->count);
    launches->externals = arena_grow(arena, launches->externals, launches->count,
                                     &launches->capacity, sizeof *launches->externals);
    launches->externals[launches->count++] = external.integer;
}

/* The op that launched the kernel; unset when nothing says. */
static struct data_value op_of(const struct trace_launches *launches,
                               const struct trace_event *item)
{
    struct data_value external = integer_of(item, TRACE_EXTERNAL);
    const struct data_value correlation = integer_of(item, TRACE_CORRELATION);
    int32_t place = ID_MAP_ABSENT, op = ID_MAP_ABSENT;
    if (!external.set && correlation.set)
        place = id_map_find(&launches->place_by_correlation, correlation.integer);
    if (place != ID_MAP_ABSENT)
        external = data_integer(launches->externals[place]);
    if (external.set)
        op = id_map_find(&launches->op_by_external, external.integer);
    return data_text(op == ID_MAP_ABSENT ? NULL : catalog_text(launches->catalog, (uint32_t)op));
}

bool trace_row_add(const struct trace_event *item, int64_t duration_ps,
                   const struct trace_launches *launches, struct grouped_rows *rows,
                   struct arena *scratch, struct err *err)
{
    struct row_item row = {0};
    struct data_value bytes = integer_of(item, TRACE_BYTES);
    const bool is_copy =
        has_category(item, "gpu_memcpy", "Memcpy") || has_category(item, "gpu_memset", "Memset");
    const struct table_kind *of =
        is_copy                                  ? &table_kinds[DATA_TABLE_copies]
        : has_category(item, "kernel", "Kernel") ? &table_kinds[DATA_TABLE_kernels]
        : has_category(item, "user_annotation", "user_annotation") ? &table_kinds[DATA_TABLE_ranges]
                                                                   : NULL;
    if (of != rows->kind)
        return true;
    const char *name = token_text(&item->values[TRACE_NAME], scratch);
    row_item_time(&row, duration_ps);
    row.keys[0] = data_text(name);
    if (is_copy) {
        copy_keys(name, scratch, &row);
        row.sums[0] = bytes.set ? bytes.integer : 0;
        row.sums_unknown = !bytes.set;
    } else if (of == &table_kinds[DATA_TABLE_kernels]) {
        row.keys[1] = sides_of(item, TRACE_GRID, scratch);
        row.keys[2] = sides_of(item, TRACE_BLOCK, scratch);
        row.keys[3] = integer_of(item, TRACE_REGISTERS);
        row.keys[4] = integer_of(item, TRACE_SHARED);
        row.keys[5] = op_of(launches, item);
    }
    return grouped_add(rows, &row, err);
}
