/* What the parts of verifying share, for the files of history/verify only. */
#ifndef HISTORY_VERIFY_VERIFY_RUN_H
#define HISTORY_VERIFY_VERIFY_RUN_H

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/verify/verify.h"
#include "ops/runtime/digest.h"

struct verify_run {
    struct db *db;
    struct arena *arena; /* of the report */
    struct verify_report *report;
    /* Of each kind, the first subject to look at. Walking along chains lowers it. */
    int64_t from[ENTRY_KIND_COUNT];
};

/* Where something was found; texts are copied. */
struct verify_place {
    const char *chain; /* NULL = none */
    int64_t position;
    const char *prefix; /* of the subject's id; NULL = none */
    int64_t subject_id;
};

/* Adds a finding; past the maximum it is only counted. */
void verify_note(struct verify_run *run, const struct verify_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Every chain from its first entry to its last: positions, links, hashes. */
bool verify_chains(struct verify_run *run, struct err *err);

/* The same of what came after a checkpoint, whose heads are what they were. */
bool verify_chains_since(struct verify_run *run, const struct checkpoint *since, struct err *err);

/* Every subject from run->from on: its content against its entry, and rows that belong to none. */
bool verify_contents(struct verify_run *run, struct err *err);

/* A function, view or trigger as the server has it. */
struct schema_thing {
    const char *kind, *name, *flags;
    bool is_deparsed;              /* the definition is in the server's words */
    char sha256[SHA256_HEX_BYTES]; /* of the definition */
};

/* All of them, in the arena. */
bool schema_things_read(struct db *db, struct arena *arena, struct schema_thing **ret_things,
                        size_t *ret_count, struct err *err);

/* The schema: row-level security, rules, triggers that are off, owners, and whether all that gives
 * the rows their meaning is what the migrations made. */
bool verify_schema(struct verify_run *run, struct err *err);

struct leaf_sink {
    void (*take)(void *context, int64_t leaf, const uint8_t entry_sha256[SHA256_BYTES]);
    void *context;
};

/* Hands over the leaves from one on, one after the other. *ret_end: behind the last one that is
 * there. ERR_INPUT: the order has a hole, or an entry that it names is gone. */
bool tree_leaves_read(struct db *db, int64_t from, const struct leaf_sink *sink, int64_t *ret_end,
                      struct err *err);

/* The tree over all entries, against the ledger's own last checkpoint (NULL: it has none) and all
 * that said something about it. */
bool verify_tree(struct verify_run *run, const struct checkpoint *last,
                 const struct verify_against *said, struct err *err);

/* The heads that a checkpoint names against the chains. */
bool verify_heads(struct verify_run *run, const struct checkpoint *checkpoint, struct err *err);

#endif
