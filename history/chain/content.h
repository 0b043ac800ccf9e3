/* The content of subjects, read back from the tables and hashed, for the files of history/ only. */
#ifndef HISTORY_CHAIN_CONTENT_H
#define HISTORY_CHAIN_CONTENT_H

#include "history/chain/entry_kinds.h"
#include "ops/runtime/arena.h"

/* Some subjects of one kind. */
struct content_page {
    enum entry_kind kind;
    const int64_t *ids; /* ascending */
    size_t count;
    int64_t first, last; /* rows of subjects in this range are read: at least that of ids[] */
    /* Filled: [count * section_count], subject by subject. */
    struct section_digest *sections;
    /* Rows in the range whose subject is not in ids[]: how many, and the first of them. */
    int64_t stray_rows, stray_id;
    const char *stray_section;
};

/* Reads all sections of the page; sections[] lives in the arena. Of rows that are in an archive
 * (history/archive/archive.h) it takes the hash that was left here. ERR_BUG. */
bool content_page_read(struct db *db, struct content_page *page, struct arena *arena,
                       struct err *err);

/* The subject of a row as the statements of content give it: its first column, a bigint. INT64_MIN
 * for a NULL, which belongs to nobody. */
int64_t content_subject_of(const uint8_t *row);

/* The content hash of one subject. ERR_MISSING when it has no row. */
bool content_read_one(struct db *db, enum entry_kind kind, int64_t id, uint8_t out[SHA256_BYTES],
                      struct err *err);

#endif
