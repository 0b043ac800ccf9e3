/* What one gate judges: from the command line, or from a section of a matrix file. */
#ifndef OPS_CLI_GATE_JOB_H
#define OPS_CLI_GATE_JOB_H

#include "ops/cli/cli.h"
#include "ops/cli/collect.h"
#include "schema/optional.h"

struct gate_job {
    const char *name; /* section of the matrix; NULL: the command line */
    const char *project, *workload;
    const char *branch, *commit, *run,
        *label; /* of candidates that are ingested; NULL: not given */
    /* Of candidates that are ingested: branch and commit as above or, without them, as others say
       them. */
    struct code_origin origin;
    const struct collection *collection; /* what was collected beside their jobs; NULL: nothing */
    const char *baseline_branch, *merge_base; /* merge_base may be NULL */
    const char *policy;                       /* file; NULL: the default */
    int64_t last;
    bool strict_provenance, paired;
    struct string_list candidates, baselines;
    const struct judgement
        *judgement; /* that the verdict ends: names are never paths; may be NULL */
};

struct gate_job_list {
    struct gate_job *items;
    size_t count;
};

/* One job of the options and operands. ERR_USAGE. */
bool gate_job_of_options(struct cli *cli, struct gate_job_list *ret_jobs, struct err *err);

/* One job per section of a matrix file; what a section does not say comes from the options:
 *
 *     [pretrain-8k]
 *     workload = pretrain          # default: the section's name
 *     candidate = out/8k/run1 out/8k/run2
 *     policy = ci/pretrain.policy
 *
 * Keys: project workload candidate baseline branch commit run label merge_base baseline_branch
 * policy last; lists are separated by blanks. ERR_USAGE with file:line; ERR_MISSING. */
bool gate_jobs_of_matrix(struct cli *cli, const char *path, struct gate_job_list *ret_jobs,
                         struct err *err);

#endif
