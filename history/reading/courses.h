/* What trends ask of the ledger beside the values: which runs can be compared, how long ops took,
 * what is thought of changes. */
#ifndef HISTORY_READING_COURSES_H
#define HISTORY_READING_COURSES_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"
#include "schema/documents/trend.h"

#include <stddef.h>
#include <stdint.h>

/* Numbers of profiles. */
struct profile_numbers {
    const int64_t *items;
    size_t count;
};

/* ret_kinds[count], of the profiles in their order, in the arena: profiles with equal words have
 * all the named facts, breakdown mode and definition version in common, and where the operations of
 * a step are not known, its ops with their shapes. ERR_MISSING: one does not exist. */
bool ledger_profile_kinds(struct db *db, struct profile_numbers profiles,
                          const struct string_list *names, struct arena *arena,
                          const char ***ret_kinds, struct err *err);

/* Lets the server begin with that, and does not wait: only the same call gains by it. */
bool ledger_profile_kinds_ahead(struct db *db, struct profile_numbers profiles,
                                const struct string_list *names, struct arena *arena,
                                struct err *err);

/* The time of one op in profiles, per step and device. */
struct op_points {
    const char *signature, *name;
    const char *category; /* NULL = not known */
    double *us;           /* in the order of the profiles; 0 = it did not run */
};

struct op_points_list {
    struct op_points *items; /* by signature */
    size_t count;
    bool *told; /* in the order of the profiles: it tells of its ops */
};

/* Ops that take less than least_share of all ops in each of the profiles are left out. */
bool ledger_op_points(struct db *db, struct profile_numbers profiles, double least_share,
                      struct arena *arena, struct op_points_list *ret_list, struct err *err);

/* How long steady steps took. */
struct steady_steps {
    double *us;       /* of one profile behind the other, in their order */
    size_t *count_of; /* of each profile; 0: it tells no steps */
    size_t count;
};

/* Steady steps of the profiles; none of those whose month is in an archive. In the arena. */
bool ledger_steady_steps(struct db *db, struct profile_numbers profiles, struct arena *arena,
                         struct steady_steps *ret_steps, struct err *err);

/* The last word about a place. */
struct change_mark {
    int64_t id; /* k<id> */
    int64_t series_id, at_profile_id;
    struct run_order order; /* of that profile, or what counts in its place */
    const char *measure;    /* NULL: one that only a newer program knows */
    const char *status;     /* "candidate", "confirmed", "withdrawn" */
    const char *method;
    double before, after;
    int64_t said_us;      /* since 1970 */
    const char *by;       /* who said so */
    const char *evidence; /* JSON; of a person's word its "reason"; NULL = none */
};

struct change_mark_list {
    struct change_mark *items;
    size_t count;
    struct string_list left_out; /* words that say nothing: "k7 is not what was recorded ..." */
    int64_t *unsound;            /* and their ids */
};

struct change_mark_query {
    const char *project, *workload; /* workload: NULL = all of the project */
    struct opt_i64 as_of_us;        /* what was said before; not set: all of it */
    struct opt_i64 corrected_us;    /* and how runs stood before; not set: as they do now */
};

/* Each place once; in the arena. Where the last word about a place is not what was recorded, the
 * one before it holds. */
bool ledger_change_marks(struct db *db, const struct change_mark_query *query, struct arena *arena,
                         struct change_mark_list *ret_list, struct err *err);

#endif
