/* Which code a run was made of: its commit, its branch, and whether the tree was clean, each with
 * who says so. The one place that finds them.
 *
 * Who is nearer to the job goes first: an option; then what was collected beside the job (the file
 * of `capture-env`, the W&B run); then the git of a repository that was named (--repo); then the
 * variables of a CI system. The repository around the current directory is never asked: it need
 * have nothing to do with the profiles. All but options and CI arrive as facts. An option is a
 * decision; when two of the others disagree, the first holds and the conflict is named.
 */
#ifndef OPS_FLOW_COLLECT_CODE_ORIGIN_H
#define OPS_FLOW_COLLECT_CODE_ORIGIN_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/summary.h"

/* A value and who says it: "option --commit", "GITHUB_SHA", "git of PATH", "FILE (host)". */
struct told {
    const char *value; /* NULL: nobody says it */
    const char *source;
    bool is_implied; /* nobody said it of these profiles: a variable of a CI system does */
    bool is_of_git;  /* nobody but the git of a folder says it */
};

/* Facts that tell it in what was collected; git_dirty is "yes" or "no". */
#define ORIGIN_COMMIT_FACT "git_commit"
#define ORIGIN_BRANCH_FACT "git_branch"
#define ORIGIN_DIRTY_FACT "git_dirty"

struct origin_request {
    const char *commit, *branch; /* of options; NULL: not given */
    bool asks_ci;                /* origin_from_ci of the configuration */
    const struct fact *facts;    /* collected; names may repeat */
    size_t fact_count;
};

struct code_origin {
    struct told commit, branch, dirty;
    struct string_list conflicts; /* sentences */
};

/* ERR_USAGE: the commit is a name that moves (HEAD, a ref), under which runs of several commits
 * would be pooled. */
bool code_origin_find(const struct origin_request *request, struct arena *arena,
                      struct code_origin *ret_origin, struct err *err);

/* What the git of a folder says, as facts; none when it is no repository. At most
 * ORIGIN_GIT_FACTS. The branch of a detached head is not told.
 * ERR_MISSING: there is no git. */
enum { ORIGIN_GIT_FACTS = 3 };
bool origin_of_repository(const char *folder, struct arena *arena, struct fact *facts,
                          size_t *ret_count, struct err *err);

/* What the variables of a CI system say, as facts; none when there is none. At most
 * ORIGIN_CI_FACTS. */
enum { ORIGIN_CI_FACTS = 2 };
bool origin_of_ci(struct arena *arena, struct fact *facts, size_t *ret_count, struct err *err);

#endif
