/* What this machine has seen of a ledger: its newest checkpoint, kept outside the database, where
 * who can change the database cannot change it with the same hand. A ledger that holds less than
 * its machine has seen was rolled back.
 *
 * The file is a checkpoint.v1, one per ledger, in `state_dir`: fit for `verify --against`.
 */
#ifndef OPS_SERVE_SEEN_H
#define OPS_SERVE_SEEN_H

#include "history/db.h"
#include "ops/runtime/conf.h"
#include "schema/checkpoint.h"

struct seen {
    const char *path;
    bool found; /* there is such a file */
    struct checkpoint checkpoint;
};

/* Reads it, into the arena. ERR_INPUT: the file is no checkpoint, or its signature does not fit;
 * ERR_USAGE: there is no folder for it. */
bool seen_read(const struct conf *conf, struct db *db, struct arena *arena, struct seen *ret_seen,
               struct err *err);

/* Keeps a checkpoint of the ledger unless a newer one is kept. ERR_INPUT: the ledger does not hold
 * what was seen before, which stays kept. */
bool seen_keep(const struct conf *conf, struct db *db, const struct checkpoint *checkpoint,
               struct arena *arena, struct err *err);

/* Whether a came before b, by their numbers. */
bool checkpoint_is_older(const struct checkpoint *a, const struct checkpoint *b);

#endif
