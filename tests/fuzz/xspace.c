/* Fuzz target: a whole XPlane file, summarized in both breakdown modes, and as a large file would
 * be. Whatever the bytes are, the answer is a summary whose parts fit together or one clear error,
 * within bounds of memory.
 */
#include "ingest/ingest.h"

#include <math.h>
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

static void check_devices(const struct summary *summary)
{
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct device_row *row = &summary->devices[i];
        require(row->busy_ps >= 0 && row->busy_ps <= row->window_ps);
        require(row->idle_ps == row->window_ps - row->busy_ps);
        require(row->compute_ps >= 0 && row->compute_ps <= row->busy_ps);
        require(row->overlapped_comm_ps >= 0 && row->overlapped_comm_ps <= row->compute_ps);
        require(row->exposed_comm_ps >= 0 && row->exposed_copy_ps >= 0);
    }
}

static void check_ops(const struct summary *summary)
{
    for (size_t i = 0; i < summary->op_count; i++) {
        const struct op_row *op = &summary->ops[i];
        require(op->count > 0 && op->self_ps >= 0 && op->total_ps > 0);
        require(op->self_ps <= op->total_ps && op->steady_self_ps <= op->self_ps);
        require(op->device_count >= 1 && op->max_device < summary->device_count);
    }
}

static void check_steps(const struct summary *summary)
{
    const struct step_table *steps = &summary->steps;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        require(row->span_count > 0 && row->mean_ps <= row->max_ps);
        require(i == 0 || steps->rows[i - 1].number < row->number);
    }
}

static void check_breakdown(const struct time_breakdown *breakdown)
{
    double share = 0;
    for (int part = 0; part < PART_COUNT; part++) {
        require(breakdown->part[part].total_duration >= 0);
        share += breakdown->part[part].share_of_total;
    }
    require(share >= 0 && (!isfinite(share) || share < 1.001));
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
    check_devices(&summary);
    check_ops(&summary);
    check_steps(&summary);
    check_breakdown(&summary.time_breakdown);
    json_t *document = summary_to_json(&summary, &err);
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
