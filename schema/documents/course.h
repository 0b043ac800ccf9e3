/* How one measure of comparable runs went: its changes of level, slow drifts and noise. A part of
 * trends and of reports. */
#ifndef SCHEMA_DOCUMENTS_COURSE_H
#define SCHEMA_DOCUMENTS_COURSE_H

#include "schema/documents/optional.h"
#include "schema/documents/record.h"

/* A change of level, told as a range of runs: it came behind the run `after` and at the latest with
 * the run `until` (95 %). */
struct course_change {
    const char *tier;          /* "confirmed"; "suspected": to be looked at, never to be told */
    const char *at_profile;    /* "p12", the likeliest first run of the new level */
    const char *at_utc;        /* when that run was captured, or else recorded */
    const char *after_profile; /* the last run that is surely of the old level */
    const char *after_commit;  /* NULL = not known */
    const char *until_profile; /* the first one that is surely of the new level */
    const char *until_commit;
    double before, after;
    struct opt_f64 change_pct;        /* of before; not set where that is 0 */
    struct opt_f64 low_pct, high_pct; /* 95 % interval of it */
    double confidence;      /* 0 to 1: 1 - the chance that noise alone jumps so far anywhere */
    bool loss;              /* it is for the worse */
    bool matters;           /* it is large enough to speak of */
    bool went_away;         /* a later change took it back */
    const char *takes_back; /* "p31": the change there, of whose old level the new one is again
                               (up to a quarter of the way); NULL = none */
    struct opt_f64 rest;    /* of one that takes another back, or went away: what is left of it, in
                               the measure's unit; not set: no more than the level's own doubt */
    struct opt_f64 undone;  /* the part of one that did not go away that later changes took back */
    const char *undone_by;  /* "p58", the last of them; NULL = none */
    int64_t runs_since;     /* from its likeliest place on, up to the next confirmed one */
    const char *entry, *status; /* "k5" in the ledger and what is thought of it: "candidate",
                                   "confirmed" or "withdrawn"; NULL = it is not there */
};

/* A slow drift: no run began it. */
struct course_drift {
    const char *tier; /* "confirmed", or "suspected": the gate's model of the newest runs holds it
                         likelier than not */
    const char *from_profile, *from_commit, *from_utc;
    const char *until_profile, *until_commit, *until_utc;
    double before, after;      /* at its ends */
    struct opt_f64 change_pct; /* in all */
    struct opt_f64 month_pct;  /* in thirty days */
    double p;                  /* of Mann and Kendall */
    bool loss, matters;
};

/* A stretch of the course as the changes and drifts that are to be told have it: a level, or a part
 * of a drift between its steps. */
struct course_level {
    const char *from_profile, *until_profile;
    int64_t run_count;
    double left, right;   /* at its ends; equal for a level */
    struct opt_i64 drift; /* its number among drifts; not set: it is a level */
};

struct course_value {
    double value;
};

struct course {
    const char *workload;
    const char *branch; /* NULL = all */
    const char *measure, *unit;
    const char *op, *op_name; /* signature and an example of its name; NULL = no op's */
    const char *series;       /* "s3" */
    const char *apart;        /* why it does not go on in a newer course of its series: a fact that
                                 differs ("batch"), or a re-baseline ("r2"); NULL = none is newer */
    const char *apart_why;    /* the same as words; NULL = none is newer */
    int64_t run_count;
    const char *first_utc, *last_utc;
    const char *first_profile, *last_profile;
    double first_level, last_level; /* medians of the first and the last COURSE_LEVEL_RUNS */
    struct opt_f64 change_pct;      /* of the one to the other */
    double matters_from;            /* a move by less, from the last level, is not told */
    const char *noise;              /* "quiet", "fair", "noisy", "wild", "unknown" */
    struct opt_f64 noise_pct;       /* what a single run may be off by */
    struct course_change *changes;  /* by place */
    size_t change_count;
    struct course_drift *drifts;
    size_t drift_count;
    struct course_level *levels; /* one behind the other; those of a drift that all share are the
                                    line with its steps */
    size_t level_count;
    struct course_value *shape; /* to be drawn: medians of neighbours, COURSE_SHAPE_MAX at most */
    size_t shape_count;
};

enum { COURSE_SHAPE_MAX = 60, COURSE_LEVEL_RUNS = 7 };

/* From where on a move matters: so many percent of the level, for a share so much of it; of an op
 * also this part of the time of all ops. */
extern const double course_matters_pct, course_matters_share, course_op_matters_share;

extern const struct record course_record;

/* The word for a noise of so many percent; "unknown" when it is not set. */
const char *course_noise_grade(struct opt_f64 noise_pct);

/* Whether there is a change that is confirmed, matters and was not withdrawn, or a drift that
 * matters. */
bool course_moved(const struct course *course);

/* That change is to be spoken of: confirmed, it matters, and nobody has withdrawn it. */
bool course_change_counts(const struct course_change *change);

/* That change is confirmed and nobody has withdrawn it, but it is too small to be told. */
bool course_change_is_small(const struct course_change *change);

/* Its tier is "confirmed". */
bool course_drift_is_sure(const struct course_drift *drift);

#endif
