/* The dictionary of ops, for the files of history/ only.
 *
 * An appender asks which ops are new, and adds those, along with statements of its own:
 * op_dictionary_make, _ask, (the pipeline runs) _take, _add, (the pipeline runs) _digest.
 */
#ifndef HISTORY_PROFILES_OP_SIGNATURES_H
#define HISTORY_PROFILES_OP_SIGNATURES_H

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "schema/documents/summary.h"

/* The ids of a summary's ops, and which of them are new. All lives in the arena. */
struct op_dictionary {
    const struct summary *summary;
    struct arena *arena;
    struct uuid *ids; /* [count], the first 16 bytes of SHA-256(signature) */
    size_t count;
    int64_t *missing; /* ops that the dictionary lacked when it was asked */
    size_t missing_count;
};

/* Computes the ids. */
void op_dictionary_make(const struct summary *summary, struct arena *arena,
                        struct op_dictionary *ret_dictionary);

/* Asks which are missing; the pipeline's result is read when it has run. A summary without ops asks
 * nothing. */
bool op_dictionary_ask(struct op_dictionary *dictionary, struct pipeline *pipeline,
                       struct err *err);
void op_dictionary_take(struct op_dictionary *dictionary, const struct pipeline *pipeline);

/* Adds what is missing as brought by that profile, if anything is; those that another transaction
 * added meanwhile are left out. */
bool op_dictionary_add(const struct op_dictionary *dictionary, int64_t profile_id,
                       struct pipeline *pipeline, struct err *err);

/* The digest of the rows that were added. */
struct section_digest op_dictionary_digest(const struct op_dictionary *dictionary,
                                           const struct pipeline *pipeline);

#endif
