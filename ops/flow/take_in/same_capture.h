/* One capture in two forms: the XPlane file of a host, and the trace that was made of it.
 *
 * The XPlane file tells more, so it is what counts, whichever comes first: two profiles of one
 * capture would be two samples of its run. Both are known by their place in the job's directory,
 * or, wherever they lie, by steps and ops that last as long to the nanosecond.
 */
#ifndef OPS_FLOW_TAKE_IN_SAME_CAPTURE_H
#define OPS_FLOW_TAKE_IN_SAME_CAPTURE_H

#include "history/profiles/profiles.h"
#include "ingest/captures.h"

/* What is brought, and where the ledger is asked. */
struct form_search {
    struct capture_set *set;
    const struct join_group *group; /* of set */
    const struct profile_identity *identity;
    const struct neighbour_list *neighbours; /* of the job, among others */
    struct db *db;
    struct arena *arena;
};

/* Whether a profile of that run, branch and commit can be of the execution and the code that is
 * said of what is brought. NULL contradicts nothing. */
bool same_capture_may_be(const struct profile_identity *identity, const char *run,
                         const char *branch, const char *commit);

/* Of traces: the profile of the XPlane files of their hosts; 0: there is none, or it is no traces
 * that are brought. Where there is one *ret_summary is filled. ERR_INPUT: it was
 * retracted. */
bool same_capture_whole(const struct form_search *search, struct summary *ret_summary,
                        int64_t *ret_profile_id, struct err *err);

/* Of XPlane files, whose summary it is: adds the profiles that were made of their traces to what
 * the identity supersedes, and takes their run where none is given. */
bool same_capture_traces(const struct form_search *search, const struct summary *summary,
                         struct profile_identity *identity, struct err *err);

#endif
