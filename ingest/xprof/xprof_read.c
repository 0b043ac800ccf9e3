/* See xprof.h. Files are small beside the profiles that they were made from, so each is in memory
 * as a whole, within the budget of the arena. */
#include "ingest/source/source.h"
#include "ingest/xprof/xprof_reading.h"

#include "ops/runtime/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ----------------------------------------------------------------------------------- */

bool xprof_open(const char *path, const struct index_options *index, struct arena *arena,
                struct xspace *ret_space, struct err *err)
{
    (void)arena;
    return xspace_open_empty(path, index, ret_space, err);
}

bool xprof_is_table(const char *path)
{
    return sniff_file(path).kind == SNIFFED_TABLE;
}

static int path_order(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    if (xprof_is_of_all(left) != xprof_is_of_all(right))
        return xprof_is_of_all(left) ? -1 : 1;
    return strcmp(left, right);
}

bool xprof_folder(const char *folder, struct arena *arena, const char ***ret_paths,
                  size_t *ret_count, struct err *err)
{
    scoped_folder *open = opendir(folder);
    const char **paths = NULL;
    size_t count = 0, capacity = 0;
    if (open == NULL)
        return err_set_errno(err, ERR_MISSING, "cannot search '%s' for xprof's tables", folder);
    for (struct dirent *entry; (errno = 0, entry = readdir(open)) != NULL;) {
        const char *path = path_join(arena, folder, entry->d_name);
        paths = arena_grow(arena, paths, count, &capacity, sizeof *paths);
        if (xprof_is_table(path))
            paths[count++] = path;
        if (!arena_ok(arena, "the list of files", err))
            return false;
    }
    if (errno != 0)
        return err_set_errno(err, ERR_INPUT, "cannot search '%s'", folder);
    if (count == 0)
        return err_set(err, ERR_MISSING,
                       "'%s' holds no table of xprof (overview_page.json, kernel_stats.json, "
                       "*.op_stats_v2.pb and the like)",
                       folder);
    qsort(paths, count, sizeof *paths, path_order);
    *ret_paths = paths;
    *ret_count = count;
    return true;
}

/* ---- which it is ----------------------------------------------------------------------------- */

enum stored_kind {
    STORED_OTHER,
    STORED_KERNELS,
    STORED_OVERVIEW,
    STORED_PIPELINE,
    STORED_OP_STATS
};

/* Whether the message has a field of the number and type. */
static bool has_field(const struct wire_field *message, uint32_t number, enum wire_type type)
{
    struct wire_field field;
    for (const uint8_t *p = message->bytes; p != NULL && p < message->end;) {
        p = wire_field_read(p, message->end, &field);
        if (p != NULL && field.number == number && field.type == type)
            return true;
    }
    return false;
}

/* Kernels have a text and numbers in field 1. Field 2 is a database of ops (with a total, or ops),
 * of an overview the analysis of its input (with what the hardware is called), of that itself a
 * mean. */
static enum stored_kind kind_of(const struct wire_field *whole)
{
    struct wire_field field;
    for (const uint8_t *p = whole->bytes; p != NULL && p < whole->end;) {
        p = wire_field_read(p, whole->end, &field);
        if (p == NULL || field.type != WIRE_BYTES)
            continue;
        if (field.number == 1 && has_field(&field, 1, WIRE_BYTES) &&
            has_field(&field, 7, WIRE_VARINT))
            return STORED_KERNELS;
        if (field.number == 2 &&
            (has_field(&field, 10, WIRE_BYTES) || has_field(&field, 11, WIRE_VARINT)))
            return STORED_OP_STATS;
        if (field.number == 2)
            return has_field(&field, 9, WIRE_BYTES) ? STORED_OVERVIEW : STORED_PIPELINE;
    }
    return STORED_OTHER;
}

static bool field_is_whole(const struct xprof_file *file, const struct wire_field *field,
                           void *context, struct err *err)
{
    (void)file;
    (void)field;
    (void)context;
    (void)err;
    return true;
}

static bool stored_read(const struct xprof_file *file, struct err *err)
{
    const struct wire_field whole = {
        .type = WIRE_BYTES, .bytes = file->text.bytes, .end = file->text.bytes + file->text.length};
    switch (kind_of(&whole)) {
    case STORED_KERNELS:
        return xprof_kernels_read(file, &whole, XPROF_STORED, err);
    case STORED_OVERVIEW:
        return xprof_overview_read(file, &whole, err);
    case STORED_PIPELINE:
        return xprof_pipeline_read(file, &whole, XPROF_PIPELINE, err);
    case STORED_OP_STATS:
        return xprof_op_stats_read(file, err);
    default:
        NOTE(&file->tables->unread, "'%s' is a table of xprof that is not read.", file->path);
        return xprof_walk(file, &whole, field_is_whole, NULL, err);
    }
}

static bool file_read_table(const char *path, struct xprof_tables *tables, struct err *err)
{
    scoped_input input = {.fd = -1};
    struct xprof_file file = {.path = path, .tables = tables};
    if (!input_open(path, &input, err) ||
        !text_window_whole(&input, tables->arena, &file.text, err))
        return false;
    if (file.text.fault != NULL)
        return err_set(err, ERR_INPUT, "'%s' %s: copy the file again", path, file.text.fault);
    size_t at = 0;
    while (at < file.text.length && strchr(" \t\r\n", file.text.bytes[at]) != NULL &&
           file.text.bytes[at] != '\0')
        at++;
    const bool is_json = at < file.text.length && strchr("{[", file.text.bytes[at]) != NULL &&
                         file.text.bytes[at] != '\0';
    return is_json ? xprof_json_read(&file, err) : stored_read(&file, err);
}

bool xprof_read(const char *const *paths, size_t count, struct arena *arena,
                struct xprof_tables *ret_tables, struct err *err)
{
    *ret_tables = (struct xprof_tables){.arena = arena,
                                        .memory = {.arena = arena},
                                        .unread = {.arena = arena},
                                        .notes = {.arena = arena},
                                        .paths = paths,
                                        .path_count = count};
    for (size_t i = 0; i < count; i++)
        if (!file_read_table(paths[i], ret_tables, err))
            return false;
    return arena_ok(arena, "tables of xprof", err);
}

const char *xprof_unread(const struct xprof_tables *tables)
{
    const size_t count = tables->unread.count;
    if (count == 0)
        return "";
    const char *first = tables->unread.items[0];
    const int length = (int)strlen(first) - 1; /* without its full stop */
    return count == 1 ? arena_printf(tables->arena, ". %.*s", length, first)
                      : arena_printf(tables->arena, ". %.*s (nor are %zu other files)", length,
                                     first, count - 1);
}
