/* Many runs side by side: what tuning asks, which attempt is the fastest, and what it differs in.
 *
 * It judges nothing: whether one is faster for sure is the gate's to say. Runs that provenance
 * keeps apart stand in groups of their own, ranked within; a mesh is what people tune, and is told
 * instead, unless a policy says otherwise.
 */
#ifndef COMPARE_RANKING_RANKING_H
#define COMPARE_RANKING_RANKING_H

#include "compare/policy/policy.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/ranking.h"

/* A capture; those of one run stand together or apart. */
struct ranked_profile {
    const char *name;                    /* of a profile "p12", of a file its path */
    const char *workload;                /* "p/w"; NULL: not known */
    const char *run;                     /* NULL: the profile is a run of its own */
    const char *branch, *commit, *label; /* NULL: not known */
    const struct summary *summary;       /* whole */
};

/* In the order in which they were named, which decides between equals. */
struct ranked_profiles {
    const struct ranked_profile *items;
    size_t count;
    const struct gate_policy *policy; /* which facts keep runs apart; NULL: as by default, but for
                                         the mesh, which people tune */
};

/* Ranks them. What takes no part is told with what ret_ranking->left_out holds already. The result
 * points into the arena and into the input. ERR_LIMIT beyond the budget. */
bool ranking_make(const struct ranked_profiles *profiles, struct arena *arena,
                  struct ranking *ret_ranking, struct err *err);

#endif
