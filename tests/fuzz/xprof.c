/* Fuzz target: a table of xprof, in JSON or as it is stored. Whatever the bytes are, the answer is
 * a summary and tables that can be printed, or one clear error, within bounds of memory. What does
 * not look like a table is given to the readers all the same.
 */
#include "ingest/xprof/xprof.h"

#include "ops/runtime/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20, DOCUMENT_BYTES = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

static void failure_check(const struct err *err)
{
    require((err->kind == ERR_INPUT || err->kind == ERR_LIMIT) && strlen(err->text) > 0);
}

static void tables_check(const struct xprof_tables *tables, struct arena *arena)
{
    static const char *const names[] = {
        "kernels",  "steps",  "hlo_stats",      "framework_op_stats",
        "roofline", "memory", "memory_timeline"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct table_request request = {.name = names[i]};
        struct data_table table;
        struct err err = {0};
        scoped_text out;
        text_init(&out, DOCUMENT_BYTES);
        if (xprof_show(tables, &request, "input", arena, &table, &err))
            data_table_print(&table, JSON_STYLE_LINE, &out);
        else
            failure_check(&err);
    }
}

static void summary_check(const struct xprof_tables *tables, struct arena *arena)
{
    struct ingest_options options;
    struct summary summary = {.schema_version = "profile_summary.v1",
                              .generated_at_utc = "",
                              .source_format = "",
                              .source_path = "",
                              .has_ours = true,
                              .producer = {.version = "", .breakdown_mode = ""}};
    struct err err = {0};
    scoped_text out;
    text_init(&out, DOCUMENT_BYTES);
    ingest_options_init(&options);
    if (!xprof_alone(tables, &options, arena, &summary, &err)) {
        failure_check(&err);
        return;
    }
    summary_print(&summary, JSON_STYLE_LINE, &out);
    if (!xprof_merge(tables, &options, arena, &summary, &err))
        failure_check(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_arena arena;
    struct err err = {0};
    struct xprof_tables tables;
    char path[32];
    const char *paths[] = {path};
    int fd = memfd_create("xprof", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    arena_init(&arena, MEMORY_BYTES);
    bool read = xprof_read(paths, 1, &arena, &tables, &err);
    (void)close(fd);
    if (!read) {
        failure_check(&err);
        return 0;
    }
    tables_check(&tables, &arena);
    summary_check(&tables, &arena);
    return 0;
}
