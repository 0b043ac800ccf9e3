/* Messages of a program (HLO), by tables of the fields that are asked for: all others are stepped
 * over.
 */
#ifndef INGEST_HLO_PROTO_HLO_MESSAGE_H
#define INGEST_HLO_PROTO_HLO_MESSAGE_H

#include "ingest/wire/wire.h"
#include "ops/runtime/arena.h"

struct hlo_ids {
    int64_t *items;
    size_t count, capacity;
};

/* A program while it is read. */
struct hlo_reader {
    struct cursor *cursor;
    struct arena *arena;
    void *whole;    /* what is made of it */
    unsigned depth; /* of tuples in tuples */
};

enum hlo_field_kind {
    HLO_NUMBER,  /* int64_t */
    HLO_FLAG,    /* bool */
    HLO_TEXT,    /* const char *; it stays NULL when it is empty, or longer than any name */
    HLO_IDS,     /* struct hlo_ids: numbers, packed or one by one */
    HLO_MESSAGE, /* has fields of its own */
    HLO_TAKEN,   /* a message that a function reads */
};

typedef bool hlo_take_fn(struct hlo_reader *reader, void *into, struct err *err);

struct hlo_field {
    uint32_t number; /* 0 ends a table */
    enum hlo_field_kind kind;
    size_t at; /* of what the field is read into, in what its message is */
    const struct hlo_field *fields;
    hlo_take_fn *take;
};

/* Reads fields into what a message is, up to the cursor's limit; or the message that begins with
 * its length at the cursor. ERR_INPUT where it is malformed, ERR_LIMIT beyond the budget, and
 * errors of functions. */
bool hlo_fields_read(struct hlo_reader *reader, const struct hlo_field *fields, void *into,
                     struct err *err);
bool hlo_message_read(struct hlo_reader *reader, const struct hlo_field *fields, void *into,
                      struct err *err);

#endif
