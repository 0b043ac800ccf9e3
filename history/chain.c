/* Appends entries to chains. The hash of an entry is computed here, not by the server: who can
 * change rows there shall not get new hashes from it for nothing. */
#include "history/chain.h"

#include "history/content.h"
#include "history/pg_types.h"
#include "history/result.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* PostgreSQL's timestamps count from 2000-01-01. */
static const int64_t EPOCH_2000_US = INT64_C(946684800) * 1000000;
enum { ENTRY_COLUMNS = 9 };

void chain_name(char out[CHAIN_NAME_BYTES], int64_t project_id, int64_t series_id)
{
    bool of_series = series_id != 0;
    (void)snprintf(out, CHAIN_NAME_BYTES, "%c%" PRId64, of_series ? 's' : 'j',
                   of_series ? series_id : project_id);
}

static void row_hash_i32(struct row_hash *hash, int32_t value)
{
    uint8_t bytes[4];
    be_put(bytes, (uint32_t)value, sizeof bytes);
    row_hash_value(hash, bytes, sizeof bytes);
}

static void row_hash_text(struct row_hash *hash, const char *string)
{
    row_hash_value(hash, string, strlen(string));
}

bool entry_digest(const struct entry_link *link, uint8_t out[SHA256_BYTES], struct err *err)
{
    static const char tag[] = "stepledger.entry.v1";
    struct section_digest digest;
    scoped_row_hash hash = {0};
    if (!row_hash_begin(&hash, err))
        return false;
    row_hash_bytes(&hash, tag, sizeof tag);
    row_hash_row(&hash, ENTRY_COLUMNS);
    row_hash_text(&hash, link->chain);
    row_hash_i64(&hash, link->position);
    row_hash_text(&hash, link->kind);
    row_hash_i64(&hash, link->subject_id);
    if (link->supersedes.set)
        row_hash_i64(&hash, link->supersedes.value);
    else
        row_hash_value(&hash, NULL, 0);
    row_hash_i32(&hash, link->content_version);
    row_hash_value(&hash, link->content_sha256, SHA256_BYTES);
    row_hash_value(&hash, link->previous_sha256, SHA256_BYTES);
    row_hash_i64(&hash, (int64_t)((uint64_t)link->recorded_us - (uint64_t)EPOCH_2000_US));
    if (!row_hash_end(&hash, &digest, err))
        return false;
    memcpy(out, digest.sha256, SHA256_BYTES);
    return true;
}

void chain_read(struct chain *chain, struct db *db, const char *name, const PGresult *head)
{
    assert(PQntuples(head) == 1);
    *chain = (struct chain){.db = db, .now_us = result_wall_us(head, 0, 2)};
    (void)snprintf(chain->name, sizeof chain->name, "%s", name);
    if (result_is_null(head, 0, 0))
        return;
    size_t length;
    const uint8_t *sha256 = result_bytes(head, 0, 1, &length);
    assert(length == SHA256_BYTES);
    chain->position = result_i64(head, 0, 0);
    memcpy(chain->head_sha256, sha256, SHA256_BYTES);
}

bool chain_open(struct chain *chain, struct db *db, const char *name, struct err *err)
{
    struct args args = {0};
    args_text(&args, name);
    scoped_result *head = NULL;
    if (!query_row(db, Q_chain_head, &args, &head, err))
        return false;
    chain_read(chain, db, name, head);
    return true;
}

bool chain_add(struct chain *chain, const struct chain_entry *entry, struct pipeline *pipeline,
               struct err *err)
{
    uint8_t sha256[SHA256_BYTES];
    const struct entry_link link = {
        .chain = chain->name,
        .kind = entry_kinds[entry->kind].name,
        .position = chain->position + 1,
        .subject_id = entry->subject_id,
        .recorded_us = chain->now_us,
        .supersedes = entry->supersedes,
        .content_version = CANONICAL_VERSION,
        .content_sha256 = entry->content_sha256,
        .previous_sha256 = chain->head_sha256,
    };
    if (!entry_digest(&link, sha256, err))
        return false;
    struct args args = {0};
    args_text(&args, link.chain);
    args_i64(&args, link.position);
    args_text(&args, link.kind);
    args_i64(&args, link.subject_id);
    args_opt_i64(&args, link.supersedes);
    args_i32(&args, link.content_version);
    args_bytes(&args, link.content_sha256, SHA256_BYTES);
    args_bytes(&args, link.previous_sha256, SHA256_BYTES);
    args_i64(&args, link.recorded_us);
    args_bytes(&args, sha256, SHA256_BYTES);
    if (!(pipeline == NULL ? query_do(chain->db, Q_entry_add, &args, err)
                           : pipeline_add(pipeline, Q_entry_add, &args, err)))
        return false;
    chain->position = link.position;
    memcpy(chain->head_sha256, sha256, SHA256_BYTES);
    return true;
}

bool chain_add_stored(struct chain *chain, enum entry_kind kind, int64_t subject_id,
                      struct opt_i64 supersedes, struct err *err)
{
    struct chain_entry entry = {.kind = kind, .subject_id = subject_id, .supersedes = supersedes};
    return content_read_one(chain->db, kind, subject_id, entry.content_sha256, err) &&
           chain_add(chain, &entry, NULL, err);
}
