/* What this machine has seen of a ledger: its newest checkpoint, kept outside the database, where
 * who can change the database cannot change it with the same hand. A ledger that holds less than
 * its machine has seen was rolled back.
 *
 * The files are checkpoint.v1, one of a kind per ledger, in `state_dir`: fit for `verify
 * --against`.
 */
#ifndef OPS_FLOW_TRUST_SEEN_H
#define OPS_FLOW_TRUST_SEEN_H

#include "history/db.h"
#include "ops/runtime/conf.h"
#include "schema/documents/checkpoint.h"

enum seen_kind {
    SEEN_NEWEST,   /* the newest checkpoint that was made or met */
    SEEN_VERIFIED, /* the newest up to which the scheduler has verified the ledger */
    SEEN_KIND_COUNT
};

struct seen {
    const char *path;
    bool found; /* there is such a file */
    struct checkpoint checkpoint;
};

/* Reads it, into the arena. ERR_INPUT: the file is no checkpoint, or its signature does not fit;
 * ERR_USAGE: there is no folder for it. */
bool seen_read(const struct conf *conf, struct db *db, enum seen_kind kind, struct arena *arena,
               struct seen *ret_seen, struct err *err);

/* Keeps a checkpoint of the ledger unless a newer one is kept. ERR_INPUT: the ledger does not hold
 * what was seen before, which stays kept. */
bool seen_keep(const struct conf *conf, struct db *db, enum seen_kind kind,
               const struct checkpoint *checkpoint, struct err *err);

/* Whether a came before b, by their numbers. */
bool checkpoint_is_older(const struct checkpoint *a, const struct checkpoint *b);

#endif
