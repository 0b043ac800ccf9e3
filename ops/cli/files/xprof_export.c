/* See xprof_export.h. Each table reads the profile once more. */
#include "ops/cli/files/xprof_export.h"
#include "ops/cli/files/table_print.h"

#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <string.h>

enum { TABLE_MAX_BYTES = 1 << 30 };

/* Tables, and the tools that have them. */
static const struct {
    const char *table, *tool;
} exported[] = {{"overview_page", "overview_page"},
                {"kernels", "kernel_stats"},
                {"framework_op_stats", "framework_op_stats"},
                {"hlo_stats", "hlo_stats"},
                {"roofline", "roofline_model"}};
enum { EXPORTED = sizeof exported / sizeof exported[0] };

struct export
{
    const char *folder;
    const struct ingest_options *options;
    const struct profile_files *profile;
    struct arena *arena;
};

/* *ret_path stays NULL where the profile has no such table. */
static bool table_export(const struct export *export, size_t which, const char **ret_path,
                         struct err *err)
{
    const struct table_request request = {.name = exported[which].table};
    struct data_table table;
    struct err failure = {0};
    scoped_arena work;
    scoped_text out;
    arena_init_within(&work, export->arena);
    text_init(&out, TABLE_MAX_BYTES);
    if (!ingest_table(&request, export->profile, export->options, &work, &table, &failure)) {
        if (failure.kind != ERR_INPUT) {
            *err = failure;
            return false;
        }
        log_event(LOG_INFO, LOG_input_warning, "file", export->profile->path, "why", failure.text,
                  NULL);
        return true;
    }
    *ret_path = arena_printf(export->arena, "%s/%s.json", export->folder, exported[which].tool);
    return (*ret_path != NULL || arena_failed(export->arena, "a path", err)) &&
           table_print_xprof(&table, &out, err) &&
           file_write_own(*ret_path, text_string(&out), out.length, err);
}

bool xprof_export(const char *folder, const struct ingest_options *options, struct arena *arena,
                  struct profile_files *profile, struct err *err)
{
    const char **paths = arena_array(arena, const char *, EXPORTED);
    const struct export export = {folder, options, profile, arena};
    size_t count = 0;
    if (paths == NULL)
        return arena_failed(arena, "the list of files", err);
    if (profile->file_count != 1)
        return err_set(err, ERR_INPUT,
                       "'%s' has %zu files, and xprof's tables are of one: give that file",
                       profile->path, profile->file_count);
    if (!file_make_dirs(folder, err))
        return false;
    for (size_t i = 0; i < EXPORTED; i++) {
        const char *path = NULL;
        if (!table_export(&export, i, &path, err))
            return false;
        if (path != NULL)
            paths[count++] = path;
    }
    profile->tables = paths;
    profile->table_count = count;
    return true;
}
