/* Whether what was just read is what was recorded, for the files of history/ only: readers check
 * the sections that they read against the content hash of the profile's entry, so that nobody has
 * to wait for `verify` to learn that a number was changed.
 *
 * Who changes entries, too, is found by `verify` and its checkpoints alone.
 */
#ifndef HISTORY_CHAIN_RECORDED_H
#define HISTORY_CHAIN_RECORDED_H

#include "history/chain/entry_kinds.h"
#include "ops/runtime/arena.h"

#include <libpq-fe.h>

/* Of Q_brief_measures: the content of a row. */
static const struct column_range recorded_measure_columns = {1, 4};

/* The digests of a profile's sections; together they make its entry's content hash. */
struct recorded_profile {
    int64_t id;
    bool archived;       /* its monthly rows are in an archive */
    const char *changed; /* why nothing of it is what was recorded; NULL: see the sections */
    struct section_digest sections[PROFILE_SECTION_COUNT];
};

/* Of ids[count], in their order, in the arena; also of those whose rows do not make the hash of
 * their entry, that have none, or whose document is more than the arena has left. ERR_MISSING:
 * there is no such profile. */
bool recorded_read(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                   struct recorded_profile **ret_recorded, struct err *err);

/* Whether rows that were read as history/chain/canonical.h has them are those of the section; rows
 * in an archive are not asked for. ERR_INPUT. */
bool recorded_check(const struct recorded_profile *recorded, enum profile_section section,
                    const struct section_digest *found, struct err *err);

/* Measures that are read of one profile. Programs write some dozens; who may store profiles may
 * store millions, and those of many profiles lie in memory at once. */
enum { RECORDED_MEASURES_MAX = 1000 };

/* Whether a measure can be reckoned with (the constraint of 0226; rows of before may be others). */
bool recorded_measure_is_usual(double value);

/* Why a profile is left out that has a measure which is not, or (has_many) more than
 * RECORDED_MEASURES_MAX of them; in the arena. */
const char *recorded_measure_why(int64_t profile_id, bool has_many, struct arena *arena);

/* A profile whose measures are not what was recorded, or cannot be reckoned with, and why. */
struct recorded_change {
    int64_t id;
    const char *why;
};

struct recorded_changes {
    struct recorded_change *items;
    size_t count, capacity;
};

/* The measures of profiles that are checked; equal ids may stand in ids[count]. What is read takes
 * the server's time and what is checked ours: between the two there is time to ask for more. */
struct recorded_measures { /* start with ids and count */
    const int64_t *ids;
    size_t count;
    size_t at, page; /* of them, from which on so many are read; page 0: none are */
    struct recorded_profile *recorded;
    PGresult *rows;
};

/* Reads the first of them. ERR_MISSING: there is no such profile. */
bool recorded_measures_read(struct db *db, struct recorded_measures *measures, struct arena *arena,
                            struct err *err);

/* Those of the profiles whose measures are not what was recorded or cannot be reckoned with, in the
 * arena. The others are read, too. ERR_MISSING. */
bool recorded_measures_check(struct db *db, struct recorded_measures *measures, struct arena *arena,
                             struct recorded_changes *ret_changes, struct err *err);

static inline void recorded_measures_done(struct recorded_measures *measures)
{
    PQclear(measures->rows);
}
#define scoped_recorded_measures \
    __attribute__((cleanup(recorded_measures_done))) struct recorded_measures

/* Whether a whole subject is what was recorded; its rows are read again. ERR_INPUT. */
bool recorded_check_whole(struct db *db, enum entry_kind kind, int64_t id, struct err *err);

/* Whether words that are followed, corrections and events, are what was recorded: the rows of a
 * statement with the columns of corrections_recorded.sql, from content_id on those of the kind's
 * first section. A transaction in which one of them was appended is over. ERR_INPUT. */
bool recorded_check_words(struct db *db, enum entry_kind kind, enum query_id id,
                          const struct args *args, struct err *err);

/* The same of one row that was read already. */
bool recorded_check_word(enum entry_kind kind, const PGresult *rows, int row, struct err *err);

/* One section of a profile, read again; outside of a transaction, too. */
bool recorded_section(struct db *db, int64_t profile_id, enum profile_section section,
                      struct section_digest *ret_digest, struct err *err);

enum {
    RECORDED_SECTION_BYTES = 8 + SHA256_BYTES,
    RECORDED_BYTES = PROFILE_SECTION_COUNT * RECORDED_SECTION_BYTES
};

/* The digests as content_sections keeps them. */
void recorded_pack(const struct section_digest sections[PROFILE_SECTION_COUNT],
                   uint8_t out[RECORDED_BYTES]);

#endif
