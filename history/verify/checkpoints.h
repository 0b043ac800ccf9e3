/* Checkpoints: where all chains ended, kept on the chain "ledger" and handed out to be kept
 * elsewhere. */
#ifndef HISTORY_VERIFY_CHECKPOINTS_H
#define HISTORY_VERIFY_CHECKPOINTS_H

#include "history/db.h"
#include "history/verify/tree.h"
#include "schema/documents/checkpoint.h"

/* Signs a checkpoint before it is stored; what is added lives in the arena. */
struct checkpoint_signer {
    bool (*sign)(const void *context, struct arena *arena, struct checkpoint *checkpoint,
                 struct err *err);
    const void *context;
};

/* Appends a checkpoint. It lives in the arena. signer NULL: it is not signed. *ret_new false:
 * nothing was appended since the last one, which is handed out again; one that is not signed is
 * none for a signer. */
bool checkpoint_append(struct db *db, const struct checkpoint_signer *signer, struct arena *arena,
                       struct checkpoint *ret_checkpoint, bool *ret_new, struct err *err);

/* The last one that is sound: those that are none, or not what their row says, are passed over.
 * *ret_found false when there is none. */
bool checkpoint_last(struct db *db, struct arena *arena, struct checkpoint *ret_checkpoint,
                     bool *ret_found, struct err *err);

/* Is told of checkpoints that are none: who stored it (NULL: nobody says) and what is wrong. */
struct checkpoint_sink {
    void (*take)(void *context, int64_t id, const char *recorded_by, const char *fault);
    void *context;
};

/* Looks at every checkpoint behind a number, the newest first. */
bool checkpoints_broken(struct db *db, int64_t after, const struct checkpoint_sink *sink,
                        struct err *err);

/* Where every chain ends now: fills the heads of *out, in the arena, and nothing else of it. */
bool checkpoint_heads_read(struct db *db, struct arena *arena, struct checkpoint *out,
                           struct err *err);

/* Whether the roots are those of the heads and of the peaks; ERR_INPUT. */
bool checkpoint_check(const struct checkpoint *checkpoint, struct err *err);

#endif
