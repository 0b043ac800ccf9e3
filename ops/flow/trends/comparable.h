/* Which runs of a trend are one course. Stays in its room. */
#ifndef OPS_FLOW_TRENDS_COMPARABLE_H
#define OPS_FLOW_TRENDS_COMPARABLE_H

#include "compare/policy/policy.h"
#include "history/reading/reading.h"
#include "schema/documents/trend.h"

/* 12 of "p12" or "s12". */
int64_t trends_number(const char *id);

struct comparable {
    const struct trend_point **points; /* oldest first */
    size_t count;
    const char *apart; /* why they do not go on in a newer one of their series; NULL = they do */
    const char *apart_why; /* the same as a sentence */
};

struct comparable_list {
    struct comparable *items; /* the one with the newest run first */
    size_t count;
};

/* Where the run of a profile stands among them; of one that is not there the last one. */
size_t comparable_place(const struct comparable *runs, const char *profile);

/* The first run that does not go ahead of a mark, with which the level begins that it says; count:
 * there is none. */
size_t comparable_from(const struct comparable *runs, const struct change_mark *mark);

/* The facts by which the gate may set profiles apart, by all their names. */
const struct string_list *comparable_facts(void);

/* Each point is in one of them. policy: what it says of provenance. */
bool comparable_split(struct db *db, const struct trend *trend, const struct gate_policy *policy,
                      struct arena *arena, struct comparable_list *ret_list, struct err *err);

#endif
