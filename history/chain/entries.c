/* Asks the server to append entries, and computes their hashes again for who verifies them. */
#include "history/chain/entries.h"

#include "history/chain/content.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* PostgreSQL's timestamps count from 2000-01-01. */
static const int64_t EPOCH_2000_US = INT64_C(946684800) * 1000000;
enum { COLUMNS_OF_VERSION_1 = 9, COLUMNS = 11 };

void chain_name(char out[CHAIN_NAME_BYTES], int64_t project_id, int64_t series_id)
{
    bool of_series = series_id != 0;
    (void)snprintf(out, CHAIN_NAME_BYTES, "%c%" PRId64, of_series ? 's' : 'j',
                   of_series ? series_id : project_id);
}

static void row_hash_text(struct row_hash *hash, const char *string)
{
    row_hash_value(hash, string, string == NULL ? 0 : strlen(string));
}

void entry_digest(const struct entry_link *link, uint8_t out[SHA256_BYTES])
{
    static const char tag_1[] = "stepledger.entry.v1", tag[] = "stepledger.entry.v2";
    bool first = link->version == 1;
    struct row_hash hash;
    row_hash_begin(&hash);
    row_hash_bytes(&hash, first ? tag_1 : tag, sizeof tag);
    row_hash_row(&hash, first ? COLUMNS_OF_VERSION_1 : COLUMNS);
    row_hash_text(&hash, link->chain);
    row_hash_i64(&hash, link->position);
    row_hash_text(&hash, link->kind);
    row_hash_i64(&hash, link->subject_id);
    if (link->supersedes.set)
        row_hash_i64(&hash, link->supersedes.value);
    else
        row_hash_value(&hash, NULL, 0);
    uint8_t bytes[4];
    be_put(bytes, (uint32_t)link->version, sizeof bytes);
    row_hash_value(&hash, bytes, sizeof bytes);
    row_hash_value(&hash, link->content_sha256, SHA256_BYTES);
    row_hash_value(&hash, link->previous_sha256, SHA256_BYTES);
    row_hash_i64(&hash, (int64_t)((uint64_t)link->recorded_us - (uint64_t)EPOCH_2000_US));
    if (!first) {
        row_hash_text(&hash, link->recorded_by);
        row_hash_text(&hash, link->on_behalf_of);
    }
    memcpy(out, row_hash_end(&hash).sha256, SHA256_BYTES);
}

bool chain_take(struct db *db, const char *name, int64_t *ret_now_us, struct err *err)
{
    scoped_result *taken = NULL;
    if (!query_row(db, Q_chain_take, ARGS(name), &taken, err))
        return false;
    *ret_now_us = result_wall_us(taken, 0, 0);
    return true;
}

bool chain_append(struct db *db, const struct chain_entry *entry, struct pipeline *pipeline,
                  struct err *err)
{
    const struct args *args =
        ARGS(entry_kinds[entry->kind].name, entry->subject_id,
             arg_bytes(entry->content_sha256, SHA256_BYTES), entry->on_behalf_of);
    return pipeline == NULL ? query_do(db, Q_entry_append, args, err)
                            : pipeline_add(pipeline, Q_entry_append, args, err);
}

bool chain_append_stored(struct db *db, enum entry_kind kind, int64_t subject_id, struct err *err)
{
    struct chain_entry entry = {.kind = kind, .subject_id = subject_id};
    return content_read_one(db, kind, subject_id, entry.content_sha256, err) &&
           chain_append(db, &entry, NULL, err);
}
