/* Fuzz target: an SQLite export of Nsight Systems. Whatever the bytes are, the answer is a summary
 * whose parts fit together or one clear error, and the same of each of its tables, within bounds of
 * memory and time. What does not look like a database is given to its reader all the same.
 */
#include "ingest/formats.h"
#include "tests/support/summary_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20, PATH_BYTES = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

static char path[PATH_BYTES];

static void file_remove(void)
{
    (void)unlink(path);
}

/* The bytes as a file, which SQLite opens by its name. */
static void file_make(const uint8_t *data, size_t size)
{
    const char *folder = getenv("TMPDIR");
    if (path[0] == '\0') {
        (void)snprintf(path, sizeof path, "%s/stepledger-nsight-XXXXXX",
                       folder == NULL ? "/tmp" : folder);
        int made = mkstemp(path);
        require(made >= 0 && atexit(file_remove) == 0);
        (void)close(made);
    }
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* What went wrong is one sentence about the input. */
static void check_failure(const struct err *err)
{
    require((err->kind == ERR_INPUT || err->kind == ERR_LIMIT) && strlen(err->text) > 0);
}

static void summarize(const struct ingest_options *options)
{
    scoped_arena arena;
    struct profile_files files;
    struct err err = {0};
    struct summary summary = {.schema_version = "profile_summary.v1",
                              .source_format = profile_formats[FORMAT_NSIGHT].name,
                              .has_ours = true};
    arena_init(&arena, MEMORY_BYTES);
    require(ingest_file(path, &arena, &files, &err));
    if (file_summarize(&profile_formats[FORMAT_NSIGHT], &files, options, &arena, &summary, &err))
        require(summary_parts_fit(&summary));
    else
        check_failure(&err);
}

static void table_make(const char *name, const struct ingest_options *options)
{
    const struct table_request request = {.name = name};
    scoped_arena arena;
    struct profile_files files;
    struct data_table table;
    struct err err = {0};
    arena_init(&arena, MEMORY_BYTES);
    require(ingest_file(path, &arena, &files, &err));
    if (!ingest_table(&request, &files, options, &arena, &table, &err))
        check_failure(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ingest_options options;
    ingest_options_init(&options);
    options.limits.max_metadata = 1000;
    file_make(data, size);
    summarize(&options);
    if (size >= 16 && memcmp(data, "SQLite format 3", 16) == 0) {
        table_make("kernels", &options);
        table_make("copies", &options);
        table_make("ranges", &options);
    }
    options.mode = BREAKDOWN_GLOBAL;
    options.exact_events = -1;
    options.strict_input = true;
    options.step_range = "([0-9]+)";
    summarize(&options);
    return 0;
}
