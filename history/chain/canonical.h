/* The bytes that an entry of the ledger is hashed over, for the files of history/ only. Rows,
 * sections and contents are of version 1, entries of version 1 (until migration 0130) or 2.
 *
 * Row:     as in PostgreSQL's binary COPY: 16-bit number of columns, then per column its length in
 *          32 bits (-1 = NULL, nothing follows) and its value in binary: integers and double
 *          precision in network byte order, timestamps as 64-bit microseconds since 2000-01-01 UTC,
 *          text as UTF-8, uuid and bytea as they are. The columns and the order of rows are those
 * of history/sql/content_*.sql, one file per section; the first column is the subject's id.
 * Section: SHA-256 over its rows, one after the other; 32 zero bytes when there is none.
 * Content: SHA-256 over "stepledger.content.v1\0", the kind's name and a NUL, then for each section
 *          of the kind (history/chain/entry_kinds.c): its name and a NUL, its number of rows in 64
 * bits, its 32 bytes. A section that a kind got later is left out when it has no row, so that
 *          entries of before keep their hash.
 * Entry:   SHA-256 over "stepledger.entry.v2\0" and one row: chain, position, kind, subject_id,
 *          supersedes, content_version (the entry's, 2), content_sha256, previous_sha256,
 *          recorded_at, recorded_by, on_behalf_of. The first entry of a chain has 32 zero bytes for
 *          its predecessor. The server makes it (migration 0130). In version 1 the tag says v1 and
 *          the row ends with recorded_at.
 *
 * Rows of a section travel in this form already when they are written by COPY, so that appending
 * hashes the bytes that it sends (history/chain/copy.h), and verifying those that it gets.
 */
#ifndef HISTORY_CHAIN_CANONICAL_H
#define HISTORY_CHAIN_CANONICAL_H

#include "ops/runtime/digest.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CANONICAL_VERSION = 1, ENTRY_VERSION = 2, ROW_HASH_BUFFER_BYTES = 4096 };

/* A section: what is left of its rows. */
struct section_digest {
    int64_t rows;
    uint8_t sha256[SHA256_BYTES];
};

/* A section in the making. */
struct row_hash {
    struct sha256 *state; /* NULL before row_hash_begin */
    int64_t rows;
    size_t fill;
    uint8_t buffer[ROW_HASH_BUFFER_BYTES];
};

/* Starts a section; row_hash_end or row_hash_done releases it. */
void row_hash_begin(struct row_hash *hash);
/* Accepts a zeroed one. */
void row_hash_done(struct row_hash *hash);

/* Bytes of rows that are in canonical form already; their number is counted by the caller. */
void row_hash_bytes(struct row_hash *hash, const void *bytes, size_t length);

/* A row built by hand: its number of columns, then each of them. */
void row_hash_row(struct row_hash *hash, int column_count);
/* A bigint. */
void row_hash_i64(struct row_hash *hash, int64_t value);
/* Text or bytea; NULL is SQL's NULL. */
void row_hash_value(struct row_hash *hash, const void *bytes, size_t length);

/* Ends the section; the struct is as before row_hash_begin. */
struct section_digest row_hash_end(struct row_hash *hash);

/* A section that is there whole: some columns of the rows of a binary result from `row` up to
 * `end`. A statement may give more than one row of canonical content in one of its own. */
struct column_range {
    int first, count;
};
struct section_digest rows_digest(const PGresult *rows, int row, int end,
                                  struct column_range columns);

#define scoped_row_hash __attribute__((cleanup(row_hash_done))) struct row_hash

#endif
