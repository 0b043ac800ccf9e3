/* What one gate judges. */
#ifndef OPS_FLOW_JUDGE_GATE_JOB_H
#define OPS_FLOW_JUDGE_GATE_JOB_H

#include "ops/flow/collect/collect.h"
#include "ops/flow/take_in/take_in.h"
#include "schema/documents/optional.h"

struct gate_job {
    const char *name; /* section of the matrix; NULL: the command line */
    const char *project, *workload;
    const char *branch, *commit, *run,
        *label; /* of candidates that are ingested; NULL: not given */
    /* Why candidates that are known get other facts than were recorded, and who says so; NULL: they
       get none. */
    const char *reason, *reason_by;
    /* Of candidates that are ingested: branch and commit as above or, without them, as others say
       them. */
    struct code_origin origin;
    const struct collection *collection; /* what was collected beside their jobs; NULL: nothing */
    const char *baseline_branch, *merge_base; /* merge_base may be NULL */
    const char *policy;                       /* file; NULL: the default */
    int64_t last;
    bool strict_provenance, paired;
    struct string_list candidates, baselines;
    const struct reading *reading;     /* of names that are paths; NULL: names are never paths */
    const struct judgement *judgement; /* that the verdict ends; may be NULL */
};

#endif
