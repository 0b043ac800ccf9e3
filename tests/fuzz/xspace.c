/* Fuzz target: a whole XPlane file, summarized in both breakdown modes, and as a large file would
 * be. Whatever the bytes are, the answer is a summary whose parts fit together or one clear error,
 * within bounds of memory.
 */
#include "ingest/ingest.h"
#include "tests/support/summary_parts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20, STRING_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

/* The document, NULL after one clear error. */
static json_t *summarize(const char *path, const struct ingest_options *options)
{
    scoped_arena arena;
    struct profile_files files;
    struct summary summary;
    struct err err = {0};
    arena_init(&arena, MEMORY_BYTES);
    require(ingest_file(path, &arena, &files, &err));
    if (!ingest_summarize(&files, options, &arena, &summary, &err)) {
        require((err.kind == ERR_INPUT || err.kind == ERR_LIMIT) && strlen(err.text) > 0);
        return NULL;
    }
    require(summary_parts_fit(&summary));
    json_t *document = summary_to_json(&summary);
    require(document != NULL);
    return document;
}

/* Small files read as large ones are: sums line by line, lines stepped over by the index or not.
 * That makes no difference. */
static void check_large(const char *path, struct ingest_options options)
{
    options.exact_events = -1;
    json_t *careful = summarize(path, &options);
    options.skip_file_bytes = options.skip_line_bytes = 0;
    json_t *quick = summarize(path, &options);
    require((careful == NULL) == (quick == NULL));
    require(careful == NULL || json_equal(careful, quick));
    json_decref(careful);
    json_decref(quick);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("xspace", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct ingest_options options;
    require(setenv("SOURCE_DATE_EPOCH", "1700000000", 1) == 0); /* documents are compared */
    ingest_options_init(&options);
    options.limits.max_string_bytes = STRING_BYTES;
    json_decref(summarize(path, &options));
    options.mode = BREAKDOWN_GLOBAL;
    json_decref(summarize(path, &options));
    check_large(path, options);
    (void)close(fd);
    return 0;
}
