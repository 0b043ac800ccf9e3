/* Chains of entries, seen from who appends, for the files of history/ only.
 *
 *     struct chain chain;
 *     return chain_open(&chain, db, "s12", err) && chain_add(&chain, &entry, err);
 *
 * All in the caller's transaction: until its end the chain is this transaction's alone, so open it
 * late. The format is that of history/canonical.h.
 */
#ifndef HISTORY_CHAIN_H
#define HISTORY_CHAIN_H

#include "history/entry_kinds.h"
#include "history/pipeline.h"
#include "schema/optional.h"

enum { CHAIN_NAME_BYTES = 32 };

/* A position of a chain that was read or written. */
struct chain {
    struct db *db;
    char name[CHAIN_NAME_BYTES]; /* "s12", "j3", "ledger" */
    int64_t position;            /* of the head; 0 = the chain is empty */
    uint8_t head_sha256[SHA256_BYTES];
    int64_t now_us; /* the database's clock when the chain was opened, since 1970 */
};

struct chain_entry {
    enum entry_kind kind;
    int64_t subject_id;
    struct opt_i64 supersedes; /* a position of the same chain */
    uint8_t content_sha256[SHA256_BYTES];
};

/* The name of a series' chain, or of a project's when series_id is 0. */
void chain_name(char out[CHAIN_NAME_BYTES], int64_t project_id, int64_t series_id);

/* Waits until no other transaction has the chain, and reads its head. */
bool chain_open(struct chain *chain, struct db *db, const char *name, struct err *err);

/* The same from the result of Q_chain_head, which travelled with other statements. */
void chain_read(struct chain *chain, struct db *db, const char *name, const PGresult *head);

/* Appends one entry, with the statements of a pipeline, or at once when that is NULL. ERR_CONFLICT
 * when the subject has one. */
bool chain_add(struct chain *chain, const struct chain_entry *entry, struct pipeline *pipeline,
               struct err *err);

/* Appends the entry of a subject whose rows are all written: reads them back and hashes them. */
bool chain_add_stored(struct chain *chain, enum entry_kind kind, int64_t subject_id,
                      struct opt_i64 supersedes, struct err *err);

/* One entry as its hash sees it. kind and chain are texts: they may come from the database. */
struct entry_link {
    const char *chain, *kind;
    int64_t position, subject_id, recorded_us; /* recorded: since 1970 */
    struct opt_i64 supersedes;
    int32_t content_version;
    const uint8_t *content_sha256, *previous_sha256; /* SHA256_BYTES each */
};

/* The hash of an entry. ERR_BUG. */
bool entry_digest(const struct entry_link *link, uint8_t out[SHA256_BYTES], struct err *err);

#endif
