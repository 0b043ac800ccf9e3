/* Streaming decode against memcpy: every event of a large file, decoded into batches and thrown
 * away.
 *
 * The file is made by tests/support/make_large.py under $BUILD/bench. Median of alternating runs,
 * one thread, file in the page cache, opened as `summarize` opens it: the index steps over long
 * lines, so that their bytes are read once. Goal: decoding at 10 % of memcpy's speed or more.
 */
#include "ingest/lines/lines.h"
#include "ingest/timeline/profile.h"
#include "ops/runtime/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SIZE_MB = 400, ROUNDS = 5, COPY_BYTES = 64 << 20, MEMORY_BYTES = 512 << 20 };

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int double_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, double_order);
    return values[ROUNDS / 2];
}

static double copy_mb_per_s(char *from, char *to)
{
    double start = now_s();
    for (int i = 0; i < 8; i++) {
        memcpy(to, from, COPY_BYTES);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    return 8.0 * COPY_BYTES / 1e6 / (now_s() - start);
}

static bool decode_line(struct line_reader *reader, struct xplane *plane, const struct xline *line,
                        int64_t *events, struct err *err)
{
    line_reader_open(reader, plane, line, ORDER_AS_WRITTEN);
    do {
        if (!line_reader_next(reader, err))
            return false;
        *events += (int64_t)reader->count;
    } while (reader->count > 0);
    return true;
}

static bool decode_all(const char *path, int64_t *events, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct ingest_options options;
    ingest_options_init(&options);
    limits_complete(&options.limits);
    const char *files[] = {path};
    const struct profile_files one = {.path = path, .files = files, .file_count = 1};
    struct profile profile = {0};
    scoped_line_reader reader = {0};
    const struct file_opener opener = {.open = xspace_open, .may_skip = true};
    bool good = profile_open(&one, &opener, &options, &arena, &profile, err);
    if (good)
        line_reader_init(&reader, &profile.spaces[0], &options.limits);
    for (size_t i = 0; good && i < profile.plane_count; i++) {
        struct xplane *plane = profile.planes[i].plane;
        for (size_t j = 0; good && j < plane->line_count; j++)
            good = decode_line(&reader, plane, &plane->lines[j], events, err);
    }
    profile_close(&profile);
    return good;
}

static const char *make_file(char *path, size_t size)
{
    const char *build = getenv("BUILD");
    char command[8192]; /* the path three times */
    (void)snprintf(path, size, "%s/bench/large-%d.xplane.pb", build != NULL ? build : "build",
                   SIZE_MB);
    (void)snprintf(command, sizeof command,
                   "mkdir -p \"$(dirname '%s')\" && { [ -s '%s' ] || python3 "
                   "tests/support/make_large.py --size-mb %d --output '%s' >/dev/null; }",
                   path, path, SIZE_MB, path);
    return system(command) == 0 ? path : NULL;
}

int main(void)
{
    char buffer[2048];
    const char *path = make_file(buffer, sizeof buffer);
    struct stat info;
    char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
    if (path == NULL || stat(path, &info) != 0 || from == NULL || to == NULL) {
        (void)fprintf(stderr,
                      "decode_bench: cannot make the file (run from the repository's root)\n");
        return 1;
    }
    memset(from, 1, COPY_BYTES);
    memset(to, 2, COPY_BYTES);
    double decode[ROUNDS], copy[ROUNDS];
    int64_t events = 0;
    struct err err = {0};
    for (int i = -1; i < ROUNDS; i++) { /* one round to warm up */
        events = 0;
        double start = now_s();
        if (!decode_all(path, &events, &err)) {
            (void)fprintf(stderr, "decode_bench: %s\n", err.text);
            return 1;
        }
        double seconds = now_s() - start;
        double copied = copy_mb_per_s(from, to);
        if (i >= 0) {
            decode[i] = (double)info.st_size / 1e6 / seconds;
            copy[i] = copied;
        }
    }
    double decoded = median(decode), copied = median(copy);
    (void)printf("streaming decode   %8.0f MB/s   %.1f M events/s\nmemcpy             %8.0f MB/s\n"
                 "decode / memcpy    %8.1f %%      goal: 10 %% or more\n",
                 decoded, (double)events / 1e6 * decoded / ((double)info.st_size / 1e6), copied,
                 100 * decoded / copied);
    free(from);
    free(to);
    return 0;
}
