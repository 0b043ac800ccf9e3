/* Policy files: the configuration's grammar (ops/runtime/conf.h) read into a gate_policy.
 *
 *     policy_version = 1
 *     min_effect_pct = 3
 *     [measure steady_step_p90]
 *     limit_pct = 15
 *     action = warn
 *     required = yes
 *     [watch attention]
 *     pattern = *attention*
 *     limit_pct = 4
 *     [provenance]
 *     jax_version = strict
 *     [workload pretrain-*]
 *     min_effect_pct = 1
 *     [workload pretrain-* measure steady_step_p90]
 *     limit_pct = 5
 *
 * What stands under `[project P]` or `[workload W]` (shell patterns without blanks; `?` stands for
 * one) holds for what matches alone: it goes over what holds for all, a workload over a project.
 * Among equals the later line wins; the same key twice in one section is refused.
 */
#ifndef COMPARE_POLICY_POLICY_FILE_H
#define COMPARE_POLICY_POLICY_FILE_H

#include "compare/policy/gate_policy.h"
#include "ops/runtime/conf.h"
#include "schema/documents/optional.h"

/* For whom the policy is read; NULL: what holds for all only. */
struct policy_scope {
    const char *project, *workload;
    bool is_recorded; /* the whole text that a verdict was judged by, not a file of changes */
};

/* The default policy with what the file says of the scope (of a recorded text: what it says, and no
 * limit on what it does not name). Names that measures had before are read. The whole file is
 * checked, not only what the scope needs. Texts live in the file's arena or this one. ERR_USAGE
 * names file:line, value and remedy; ERR_LIMIT. */
bool gate_policy_read(const struct conf_file *file, const struct policy_scope *scope,
                      struct arena *arena, struct gate_policy *ret_policy, struct err *err);

/* Everything that gate_policy_read would refuse in the file, each as it would say it; none when the
 * file can be used. ERR_LIMIT. */
bool gate_policy_faults(const struct conf_file *file, const struct policy_scope *scope,
                        struct arena *arena, struct string_list *ret_faults, struct err *err);

#endif
