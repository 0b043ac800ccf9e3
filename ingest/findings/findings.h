/* What makes a profile's steps slower than they need be, by name, with the evidence and what to do;
 * and what makes the profile tell less than it could.
 */
#ifndef INGEST_FINDINGS_FINDINGS_H
#define INGEST_FINDINGS_FINDINGS_H

#include "ingest/breakdown/breakdown.h"

struct finding {
    const char *rule;       /* "recompilation" … static */
    const char *host;       /* NULL: the file does not say */
    int64_t process;        /* which of the list's hosts */
    struct opt_f64 share;   /* time_us of what a step takes to the next (step_list_whole_us) */
    struct opt_f64 time_us; /* of a step */
    struct opt_i64 count;   /* how often, as the evidence says of what */
    const char *op;         /* the one that takes most of it; NULL: none */
    const char *evidence, *remedy;
};

struct finding_list {
    struct arena *arena;
    struct finding *items; /* most of a step first, once they are settled */
    size_t count, capacity;
};

/* What all hosts of a capture say. */
struct examination {
    struct step_list steps; /* not settled */
    struct finding_list findings;
    bool is_cut;          /* a file of a host was */
    bool tells_memory;    /* allocators of a host do … */
    bool tells_precision; /* … and ops of half of its time, in how many bits they compute */
};

/* Adds the steps of a host and what is found in them. Errors as of step_list_add. */
bool examination_add(struct examination *examination, struct profile *profile,
                     const struct summary *summary, struct err *err);

/* Puts the steps of all hosts in order, adds what only all of them show, and leaves one finding of
 * each rule, the largest of all hosts. ERR_LIMIT. */
bool examination_settle(struct examination *examination, struct err *err);

/* Which rules could not be asked, and why: a static sentence each. Returns how many. */
enum { UNLOOKED_MOST = 2 };
size_t examination_unlooked(const struct examination *examination,
                            const char *ret_words[UNLOOKED_MOST]);

#endif
