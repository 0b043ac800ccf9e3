/* Chains of entries, seen from who appends, for the files of history/ only.
 *
 * The server appends (migration 0130): it knows the chain that a subject belongs to, its head, the
 * time and who is logged in. What it is told is the hash of the subject's content, which was
 * computed from the rows on their way to it, and for whom it was written. The format is that of
 * history/chain/canonical.h.
 */
#ifndef HISTORY_CHAIN_ENTRIES_H
#define HISTORY_CHAIN_ENTRIES_H

#include "history/chain/entry_kinds.h"
#include "history/client/client.h"
#include "schema/documents/optional.h"

enum { CHAIN_NAME_BYTES = 32 };

struct chain_entry {
    enum entry_kind kind;
    int64_t subject_id;
    uint8_t content_sha256[SHA256_BYTES];
    const char *on_behalf_of; /* the person or token that asked; NULL: nobody but the session */
};

/* The name of a series' chain, or of a project's when series_id is 0. */
void chain_name(char out[CHAIN_NAME_BYTES], int64_t project_id, int64_t series_id);

/* Waits until no other transaction has the chain, which is the caller's until its transaction ends;
 * for who must see all of it before it appends. *ret_now_us: the server's clock, since 1970. */
bool chain_take(struct db *db, const char *name, int64_t *ret_now_us, struct err *err);

/* Appends one entry in the caller's transaction, with the statements of a pipeline, or at once when
 * that is NULL. From here to the end of the transaction its chain is this transaction's alone, so
 * append late. ERR_CONFLICT when the subject has one. */
bool chain_append(struct db *db, const struct chain_entry *entry, struct pipeline *pipeline,
                  struct err *err);

/* The same for a subject whose rows are all written: reads them back and hashes them. */
bool chain_append_stored(struct db *db, enum entry_kind kind, int64_t subject_id, struct err *err);

/* One entry as its hash sees it. Texts may come from the database. */
struct entry_link {
    const char *chain, *kind;
    int64_t position, subject_id, recorded_us; /* recorded: since 1970 */
    struct opt_i64 supersedes;
    int32_t version;                                 /* up to ENTRY_VERSION */
    const uint8_t *content_sha256, *previous_sha256; /* SHA256_BYTES each */
    const char *recorded_by, *on_behalf_of;          /* NULL in version 1 */
};

/* The hash of an entry. */
void entry_digest(const struct entry_link *link, uint8_t out[SHA256_BYTES]);

#endif
