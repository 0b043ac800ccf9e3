#include "tests/support/bytes_summary.h"

#include "ops/runtime/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int bytes_file_open(const void *bytes, size_t length, char *path)
{
    struct err err;
    int fd = memfd_create("profile", MFD_CLOEXEC);
    if (fd < 0 || !file_write_all(fd, bytes, length, "a file in memory", &err)) {
        (void)fprintf(stderr, "no file in memory\n");
        abort();
    }
    (void)snprintf(path, BYTES_PATH_MOST, "/proc/self/fd/%d", fd);
    return fd;
}

bool bytes_summarize(const struct text *bytes, const struct ingest_options *options,
                     struct arena *arena, struct summary *ret_summary, struct err *err)
{
    char path[BYTES_PATH_MOST];
    struct profile_files files;
    scoped_fd fd = bytes_file_open(text_string(bytes), bytes->length, path);
    return fd >= 0 && ingest_file(path, arena, &files, err) &&
           ingest_summarize(&files, options, arena, ret_summary, err);
}
