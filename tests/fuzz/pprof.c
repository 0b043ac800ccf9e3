/* Fuzz target: a device memory profile. Whatever the bytes are, the answer is a summary's member
 * whose sums are those of its rows, or one clear error, within bounds of memory. What does not look
 * like a profile is given to its reader all the same.
 */
#include "ingest/memory/memory.h"

#include "ops/runtime/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

static int64_t shares_sum(const struct memory_share *shares, size_t count)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += shares[i].bytes;
    return bytes;
}

static void parts_check(const struct memory_summary *memory)
{
    struct memory_share all = {0};
    for (size_t i = 0; i < memory->allocation_count; i++) {
        const struct memory_row *row = &memory->allocations[i];
        require(row->bytes >= 0 && row->count >= 0 && row->unknown_count >= 0 &&
                row->unknown_count <= row->count && row->device != NULL && row->kind != NULL &&
                row->source != NULL && row->function != NULL);
        require(i == 0 || row->bytes <= memory->allocations[i - 1].bytes);
        all.bytes += row->bytes;
        all.count += row->count;
        all.unknown_count += row->unknown_count;
    }
    require(all.bytes == memory->bytes && all.count == memory->count &&
            all.unknown_count == memory->unknown_count);
    require(shares_sum(memory->devices, memory->device_count) == memory->bytes);
    require(shares_sum(memory->kinds, memory->kind_count) == memory->bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_arena arena;
    struct err err = {0};
    struct summary summary = {0};
    char path[32];
    const char *paths[] = {path};
    const struct memory_files files = {paths, 1, true};
    int fd = memfd_create("pprof", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    arena_init(&arena, MEMORY_BYTES);
    bool taken = memory_take(&files, &arena, &summary, &err);
    (void)close(fd);
    if (taken)
        parts_check(&summary.memory);
    else
        require((err.kind == ERR_INPUT || err.kind == ERR_LIMIT) && strlen(err.text) > 0);
    return 0;
}
