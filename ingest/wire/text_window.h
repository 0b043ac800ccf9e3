/* A window over the text of a file, inflated on its way where the file is compressed with gzip.
 *
 * Neither the file nor its text is ever in memory as a whole. What is broken or cut off ends the
 * text early and is told, as is what the checksum does not fit and what follows the compressed
 * data; several gzip members one behind the other are one text.
 */
#ifndef INGEST_WIRE_TEXT_WINDOW_H
#define INGEST_WIRE_TEXT_WINDOW_H

#include "ingest/wire/cursor.h"
#include "ops/runtime/arena.h"

struct inflate_state;

/* How the text of a file ended. */
enum text_end {
    TEXT_WHOLE,
    TEXT_CUT,      /* the compressed data ends early … */
    TEXT_BROKEN,   /* … or is none from some byte on */
    TEXT_CHANGED,  /* it is not what its checksum is of */
    TEXT_FOLLOWED, /* it is whole, and bytes follow that are no gzip */
};

struct text_window {
    const struct input *input;
    struct inflate_state *inflate; /* NULL: the file is the text */
    uint8_t *packed;               /* what comes next of a compressed file */
    char *buffer;                  /* TEXT_WINDOW_SPARE more than its capacity are readable */
    size_t capacity, max_bytes;
    const char *p, *end;  /* what was not taken yet */
    int64_t base;         /* place in the text of buffer[0] */
    int64_t packed_bytes; /* of the file that were read */
    bool at_end;          /* nothing follows `end` */
    enum text_end ended;  /* counts when nothing follows; TEXT_CHANGED of any member */
    int64_t behind_bytes; /* of the file, behind the last member that was whole */
};

enum { TEXT_WINDOW_SPARE = 16 };

/* Prepares a window at the begin of the text. text_window_done accepts a
 * zeroed window. */
bool text_window_init(struct text_window *window, const struct input *input, int64_t max_bytes,
                      struct err *err);
void text_window_done(struct text_window *window);

/* Reads on: what was not taken stays and more follows it, unless at_end. Moves p and end. The
 * window grows when it is full; *ret_full instead when it has max_bytes already. */
bool text_window_fill(struct text_window *window, bool *ret_full, struct err *err);

/* All of a file's text. */
struct whole_text {
    const uint8_t *bytes;
    size_t length;
    const char *fault; /* "is cut off": it is not whole, or empty; NULL: it is. Static */
};

/* Reads it into the arena. ERR_LIMIT beyond its budget. */
bool text_window_whole(const struct input *input, struct arena *arena, struct whole_text *ret_text,
                       struct err *err);

/* Place in the text of the next byte. */
static inline int64_t text_window_offset(const struct text_window *window)
{
    return window->base + (window->p - window->buffer);
}

#define scoped_text_window __attribute__((cleanup(text_window_done))) struct text_window

#endif
