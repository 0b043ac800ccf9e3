/* Gathers the small values of a row before they are hashed: a call of the library per value would
 * cost more than the hash. */
#include "history/chain/canonical.h"

#include "history/client/client.h"

#include <string.h>

void row_hash_begin(struct row_hash *hash)
{
    hash->rows = 0;
    hash->fill = 0;
    hash->state = sha256_new();
}

void row_hash_done(struct row_hash *hash)
{
    sha256_free(hash->state);
    hash->state = NULL;
}

void row_hash_bytes(struct row_hash *hash, const void *bytes, size_t length)
{
    if (length > sizeof hash->buffer - hash->fill) {
        sha256_add(hash->state, hash->buffer, hash->fill);
        hash->fill = 0;
    }
    if (length > sizeof hash->buffer) {
        sha256_add(hash->state, bytes, length);
        return;
    }
    if (length > 0)
        memcpy(hash->buffer + hash->fill, bytes, length);
    hash->fill += length;
}

static void row_hash_be(struct row_hash *hash, uint64_t value, size_t length)
{
    uint8_t bytes[8];
    be_put(bytes, value, length);
    row_hash_bytes(hash, bytes, length);
}

void row_hash_row(struct row_hash *hash, int column_count)
{
    hash->rows++;
    row_hash_be(hash, (uint64_t)column_count, 2);
}

void row_hash_i64(struct row_hash *hash, int64_t value)
{
    row_hash_be(hash, 8, 4);
    row_hash_be(hash, (uint64_t)value, 8);
}

void row_hash_value(struct row_hash *hash, const void *bytes, size_t length)
{
    row_hash_be(hash, bytes == NULL ? UINT32_MAX : length, 4);
    if (bytes != NULL)
        row_hash_bytes(hash, bytes, length);
}

struct section_digest row_hash_end(struct row_hash *hash)
{
    struct section_digest digest = {.rows = hash->rows};
    sha256_add(hash->state, hash->buffer, hash->fill);
    sha256_finish(hash->state, digest.sha256);
    row_hash_done(hash);
    if (digest.rows == 0)
        memset(digest.sha256, 0, sizeof digest.sha256);
    return digest;
}

struct section_digest rows_digest(const PGresult *rows, int row, int end,
                                  struct column_range columns)
{
    struct row_hash hash;
    row_hash_begin(&hash);
    for (; row < end; row++) {
        row_hash_row(&hash, columns.count);
        for (int i = columns.first; i < columns.first + columns.count; i++)
            row_hash_value(&hash, PQgetisnull(rows, row, i) ? NULL : PQgetvalue(rows, row, i),
                           (size_t)PQgetlength(rows, row, i));
    }
    return row_hash_end(&hash);
}
