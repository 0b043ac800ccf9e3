/* The jobs of a gate: from the command line, or from the sections of a matrix file. */
#ifndef OPS_CLI_JUDGING_GATE_JOBS_H
#define OPS_CLI_JUDGING_GATE_JOBS_H

#include "ops/cli/cli.h"
#include "ops/flow/judge/judge.h"

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
