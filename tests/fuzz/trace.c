/* Fuzz target: a trace in Chrome's JSON, as it is and packed. Whatever the bytes are, the answer is
 * a summary whose parts fit together or one clear error, within bounds of memory; and the same of
 * both forms. What does not look like a trace is given to its reader all the same.
 */
#include "ingest/formats.h"
#include "tests/support/summary_parts.h"

#include "ops/runtime/json.h"

#include <zlib.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20, GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

static void file_make(const void *data, size_t size, int *ret_fd, char path[32])
{
    *ret_fd = memfd_create("trace", MFD_CLOEXEC);
    require(*ret_fd >= 0 && write(*ret_fd, data, size) == (ssize_t)size);
    (void)snprintf(path, 32, "/proc/self/fd/%d", *ret_fd);
}

static uint8_t *pack(const uint8_t *data, size_t size, size_t *ret_size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size};
    require(deflateInit2(&stream, 1, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) ==
            Z_OK);
    size_t room = deflateBound(&stream, (uLong)size);
    uint8_t *packed = malloc(room);
    require(packed != NULL);
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    *ret_size = room - stream.avail_out;
    require(deflateEnd(&stream) == Z_OK);
    return packed;
}

/* What both forms have to say the same of; NULL after one clear error. */
static json_t *summarize(const uint8_t *data, size_t size, const struct ingest_options *options)
{
    scoped_arena arena;
    struct profile_files files;
    struct err err = {0};
    struct summary summary = {.schema_version = "profile_summary.v1",
                              .source_format = profile_formats[FORMAT_TRACE].name,
                              .has_ours = true};
    char path[32];
    int fd;
    arena_init(&arena, MEMORY_BYTES);
    file_make(data, size, &fd, path);
    require(ingest_file(path, &arena, &files, &err));
    bool read =
        file_summarize(&profile_formats[FORMAT_TRACE], &files, options, &arena, &summary, &err);
    (void)close(fd);
    if (!read) {
        require((err.kind == ERR_INPUT || err.kind == ERR_LIMIT) && strlen(err.text) > 0);
        return NULL;
    }
    require(summary_parts_fit(&summary));
    const struct trace_overview *overview = &summary.trace_overview;
    json_t *facts =
        json_pack("{s:I, s:I, s:i, s:i, s:i}", "items", overview->num_events_total, "complete",
                  overview->num_complete_events, "ops", (int)summary.op_count, "steps",
                  (int)summary.steps.count, "devices", (int)summary.device_count);
    require(facts != NULL);
    return facts;
}

/* A table that lies in the trace, or one clear error. */
static void table_make(const uint8_t *data, size_t size, const char *name,
                       const struct ingest_options *options)
{
    const struct table_request request = {.name = name};
    scoped_arena arena;
    struct profile_files files;
    struct data_table table;
    struct err err = {0};
    char path[32];
    int fd;
    arena_init(&arena, MEMORY_BYTES);
    file_make(data, size, &fd, path);
    require(ingest_file(path, &arena, &files, &err));
    if (!ingest_table(&request, &files, options, &arena, &table, &err))
        require((err.kind == ERR_INPUT || err.kind == ERR_LIMIT) && strlen(err.text) > 0);
    (void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ingest_options options;
    ingest_options_init(&options);
    options.limits.max_metadata = 1000;
    json_t *plain = summarize(data, size, &options);
    size_t packed_size;
    uint8_t *packed = pack(data, size, &packed_size);
    json_t *unpacked = summarize(packed, packed_size, &options);
    bool is_packed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b; /* it is unpacked once */
    require(is_packed || (plain == NULL) == (unpacked == NULL));
    require(is_packed || plain == NULL || json_equal(plain, unpacked));
    table_make(data, size, "kernels", &options);
    table_make(data, size, "copies", &options);
    options.mode = BREAKDOWN_GLOBAL;
    options.exact_events = -1;
    json_decref(summarize(data, size, &options));
    json_decref(plain);
    json_decref(unpacked);
    free(packed);
    return 0;
}
