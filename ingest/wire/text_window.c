#include "ingest/wire/text_window.h"
#include "ingest/wire/limits.h"

#include "ops/runtime/arena.h"
#include "ops/runtime/file.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

enum { PACKED_BYTES = 64 * 1024 };
static const uint8_t gzip_mark[] = {0x1f, 0x8b};

static bool packed_read(struct text_window *window, struct err *err)
{
    struct inflate_state *inflate = window->inflate;
    size_t kept = inflate->avail_in, got;
    memmove(window->packed, inflate->next_in, kept);
    if (!file_read_some(window->input->fd, window->packed + kept, PACKED_BYTES - kept,
                        window->input->path, &got, err))
        return false;
    inflate->next_in = window->packed;
    inflate->avail_in = (uint32_t)(kept + got);
    window->packed_bytes += (int64_t)got;
    return true;
}

bool text_window_init(struct text_window *window, const struct input *input, int64_t max_bytes,
                      struct err *err)
{
    *window = (struct text_window){
        .input = input, .capacity = WINDOW_BYTES, .max_bytes = (size_t)max_bytes};
    if (window->max_bytes < window->capacity)
        window->max_bytes = window->capacity;
    window->buffer = memory_zalloc(1, window->capacity + TEXT_WINDOW_SPARE);
    window->p = window->end = window->buffer;
    uint8_t mark[sizeof gzip_mark];
    ssize_t got = pread(input->fd, mark, sizeof mark, 0);
    if (got < 0)
        return err_set_errno(err, ERR_INPUT, "cannot read '%s'", input->path);
    if (got != sizeof mark || memcmp(mark, gzip_mark, sizeof mark) != 0)
        return true;
    window->inflate = memory_alloc(sizeof *window->inflate);
    window->packed = memory_alloc(PACKED_BYTES);
    isal_inflate_init(window->inflate);
    window->inflate->crc_flag = ISAL_GZIP;
    window->inflate->next_in = window->packed;
    return true;
}

void text_window_done(struct text_window *window)
{
    free(window->inflate);
    free(window->packed);
    free(window->buffer);
    *window = (struct text_window){0};
}

/* One call of the library. */
static void inflate_once(struct text_window *window)
{
    struct inflate_state *inflate = window->inflate;
    const uint32_t in = inflate->avail_in, out = inflate->avail_out;
    const uint32_t state = (uint32_t)inflate->block_state;
    const int result = isal_inflate(inflate);
    if (result == ISAL_INCORRECT_CHECKSUM && inflate->block_state == ISAL_BLOCK_FINISH) {
        window->ended = TEXT_CHANGED;
    } else if (result < ISAL_DECOMP_OK || /* or it could do nothing with what there is */
               (inflate->avail_in == in && inflate->avail_out == out &&
                (uint32_t)inflate->block_state == state)) {
        window->ended = TEXT_BROKEN;
        window->at_end = true;
    }
}

/* What stands behind a member is the next one, or no part of the text, as gzip has it. */
static void member_next(struct text_window *window)
{
    struct inflate_state *inflate = window->inflate;
    window->behind_bytes = window->input->size_bytes - window->packed_bytes + inflate->avail_in;
    if (inflate->avail_in >= sizeof gzip_mark &&
        memcmp(inflate->next_in, gzip_mark, sizeof gzip_mark) == 0) {
        isal_inflate_reset(inflate);
        inflate->crc_flag = ISAL_GZIP;
        return;
    }
    window->at_end = true;
    if (window->behind_bytes > 0 && window->ended == TEXT_WHOLE)
        window->ended = TEXT_FOLLOWED;
}

/* Inflates `room` bytes, fewer only at the end of the text: whoever reads begins again with what it
 * was at for each part that comes, so parts must not be small. */
static bool inflate_some(struct text_window *window, char *out, size_t room, size_t *ret_count,
                         struct err *err)
{
    struct inflate_state *inflate = window->inflate;
    inflate->next_out = (uint8_t *)out;
    inflate->avail_out = (uint32_t)room;
    while (inflate->avail_out > 0 && !window->at_end) {
        if (inflate->avail_in < sizeof gzip_mark && !packed_read(window, err))
            return false;
        if (inflate->block_state == ISAL_BLOCK_FINISH) {
            member_next(window);
        } else if (inflate->avail_in == 0) {
            window->ended = TEXT_CUT;
            window->at_end = true;
        } else {
            inflate_once(window);
        }
    }
    *ret_count = room - inflate->avail_out;
    return true;
}

static void window_grow(struct text_window *window)
{
    size_t capacity = 2 * window->capacity;
    if (capacity > window->max_bytes)
        capacity = window->max_bytes;
    window->buffer = memory_resize(window->buffer, capacity + TEXT_WINDOW_SPARE);
    window->capacity = capacity;
}

bool text_window_fill(struct text_window *window, bool *ret_full, struct err *err)
{
    size_t kept = (size_t)(window->end - window->p), got;
    *ret_full = false;
    if (kept == window->capacity && window->capacity == window->max_bytes) {
        *ret_full = true;
        return true;
    }
    window->base += window->p - window->buffer;
    memmove(window->buffer, window->p, kept);
    window->p = window->end = window->buffer;
    if (kept == window->capacity)
        window_grow(window);
    char *out = window->buffer + kept;
    size_t room = window->capacity - kept;
    if (window->inflate == NULL) {
        if (!file_read_some(window->input->fd, out, room, window->input->path, &got, err))
            return false;
        window->packed_bytes += (int64_t)got;
        window->at_end = got == 0;
    } else if (!inflate_some(window, out, room, &got, err)) {
        return false;
    }
    window->p = window->buffer;
    window->end = out + got;
    memset(out + got, 0, TEXT_WINDOW_SPARE);
    return true;
}

bool text_window_whole(const struct input *input, struct arena *arena, struct whole_text *ret_text,
                       struct err *err)
{
    static const char *const faults[] = {
        [TEXT_WHOLE] = "holds nothing",
        [TEXT_CUT] = "is cut off",
        [TEXT_BROKEN] = "is broken gzip",
        [TEXT_CHANGED] = "is not what its checksum is of",
        [TEXT_FOLLOWED] = "goes on with bytes that are no gzip behind its end",
    };
    scoped_text_window window = {0};
    uint8_t *text = NULL;
    size_t length = 0, capacity = 0;
    bool full = false;
    if (!text_window_init(&window, input, WINDOW_BYTES, err))
        return false;
    while (!window.at_end || window.p < window.end) {
        if (window.p == window.end && !text_window_fill(&window, &full, err))
            return false;
        size_t got = (size_t)(window.end - window.p);
        while (length + got > capacity) {
            size_t wanted = capacity == 0 ? WINDOW_BYTES : 2 * capacity;
            if (!arena_fits(arena, wanted, 1))
                return arena_failed(arena, "the text of a file", err);
            uint8_t *grown = arena_alloc(arena, wanted);
            if (length > 0)
                memcpy(grown, text, length);
            text = grown;
            capacity = wanted;
        }
        if (got > 0)
            memcpy(text + length, window.p, got);
        length += got;
        window.p = window.end;
    }
    const bool whole = window.ended == TEXT_WHOLE && length > 0;
    *ret_text = (struct whole_text){text, length, whole ? NULL : faults[window.ended]};
    return true;
}
