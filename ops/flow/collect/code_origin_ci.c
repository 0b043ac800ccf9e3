/* What CI systems say in variables about the code that they run.
 *
 * The names are those of the systems' own references. Two traps: on a pull request GitHub's
 * GITHUB_SHA is a merge commit made for the run (and after `workflow_run` the default branch's
 * head), so that the head is read from the event's file; GitLab's merged results pipelines name the
 * head apart.
 *
 * The branch of a pull or merge request is called by its number (pull/7, mr/7): comments find their
 * place by it, and a fork's own `main` is not taken for ours.
 */
#include "ops/flow/collect/code_origin.h"

#include "ops/runtime/json.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_BYTES_MAX = 16 << 20, NAMES_MAX = 4 };

static const struct ci_system {
    const char *mark;               /* the variable that is set on it alone */
    const char *commits[NAMES_MAX]; /* the first that is set counts */
    const char *branches[NAMES_MAX];
    const char *request; /* the number of a pull or merge request; NULL = none is told */
    const char *word;    /* before it */
} systems[] = {
    {"GITHUB_ACTIONS",
     {"GITHUB_SHA"},
     {"GITHUB_HEAD_REF", "GITHUB_REF_NAME"},
     NULL, /* its event's file tells */
     NULL},
    {"GITLAB_CI",
     {"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"},
     {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_BRANCH"},
     "CI_MERGE_REQUEST_IID",
     "mr/"},
    {"JENKINS_URL",
     {"GIT_COMMIT"},
     {"CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH"},
     "CHANGE_ID",
     "pull/"},
    {"BUILDKITE", {"BUILDKITE_COMMIT"}, {"BUILDKITE_BRANCH"}, "BUILDKITE_PULL_REQUEST", "pull/"},
    {"CIRCLECI", {"CIRCLE_SHA1"}, {"CIRCLE_BRANCH"}, "CIRCLE_PR_NUMBER", "pull/"},
    {"TF_BUILD",
     {"SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"},
     {"SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCH"},
     "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER",
     "pull/"},
    {"BITBUCKET_BUILD_NUMBER",
     {"BITBUCKET_COMMIT"},
     {"BITBUCKET_BRANCH"},
     "BITBUCKET_PR_ID",
     "pull/"},
    {"DRONE",
     {"DRONE_COMMIT_SHA"},
     {"DRONE_SOURCE_BRANCH", "DRONE_BRANCH"},
     "DRONE_PULL_REQUEST",
     "pull/"},
};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Of a commit: at least 7 hex digits; "HEAD" and the like say nothing. */
static bool is_commit(const char *value)
{
    return strlen(value) >= 7 && value[strspn(value, "0123456789abcdef")] == '\0';
}

static const char *branch_name(const char *value)
{
    static const char *const prefixes[] = {"refs/heads/", "origin/"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(value, prefixes[i], length) == 0)
            return value + length;
    }
    return strncmp(value, "refs/", 5) == 0 ? NULL : value; /* a tag, a merge */
}

static void commit_take(const char *const *names, struct told *ret_told)
{
    for (size_t i = 0; i < NAMES_MAX && names[i] != NULL && ret_told->value == NULL; i++) {
        const char *value = variable(names[i]);
        if (value != NULL && is_commit(value))
            *ret_told = (struct told){value, names[i], .is_implied = true};
    }
}

static void branch_take(const char *const *names, struct told *ret_told)
{
    for (size_t i = 0; i < NAMES_MAX && names[i] != NULL && ret_told->value == NULL; i++) {
        const char *value = variable(names[i]);
        const char *branch = value != NULL ? branch_name(value) : NULL;
        if (branch != NULL)
            *ret_told = (struct told){branch, names[i], .is_implied = true};
    }
}

/* "pull/7"; nothing where the variable holds no number ("false"). */
static void request_take(const char *name, const char *word, struct arena *arena,
                         struct told *ret_told)
{
    const char *value = name == NULL ? NULL : variable(name);
    int64_t number;
    if (value != NULL && text_parse_i64(value, &number) && number > 0)
        *ret_told = (struct told){arena_printf(arena, "%s%" PRId64, word, number), name,
                                  .is_implied = true};
}

/* The head that GitHub's event names, where its variables name something else. That its file
 * cannot be read is said. */
static bool event_read(struct arena *arena, struct told *commit, struct told *branch,
                       struct err *err)
{
    static const char source[] = "GITHUB_EVENT_PATH";
    struct err fault = {0};
    const char *path = variable(source);
    scoped_json *event = path == NULL ? NULL : json_read_file(path, EVENT_BYTES_MAX, &fault);
    if (fault.kind == ERR_FULL) {
        *err = fault;
        return false;
    }
    if (path != NULL && event == NULL) {
        (void)err_prefix(&fault, "no commit and no branch come from GITHUB_EVENT_PATH");
        log_event(LOG_WARN, LOG_input_warning, "file", path, "why", fault.text, NULL);
    }
    const json_t *pull = json_object_get(event, "pull_request");
    const json_t *run = json_object_get(event, "workflow_run");
    const json_t *head = json_object_get(pull, "head");
    const char *sha = json_string_value(pull != NULL ? json_object_get(head, "sha")
                                                     : json_object_get(run, "head_sha"));
    const char *name = json_string_value(pull != NULL ? json_object_get(head, "ref")
                                                      : json_object_get(run, "head_branch"));
    if (sha == NULL || name == NULL)
        return true;
    *commit = (struct told){arena_strdup(arena, sha), source, .is_implied = true};
    /* The number that the event names; of `workflow_run` the first request that its run was
     * of, which those from forks are not told. */
    if (pull == NULL)
        pull = json_array_get(json_object_get(run, "pull_requests"), 0);
    json_int_t number = json_integer_value(json_object_get(pull, "number"));
    *branch = (struct told){number > 0 ? arena_printf(arena, "pull/%" JSON_INTEGER_FORMAT, number)
                                       : arena_strdup(arena, name),
                            source, .is_implied = true};
    return true;
}

static bool github_take(const struct ci_system *github, struct arena *arena, struct told *commit,
                        struct told *branch, struct err *err)
{
    /* GitHub runs these on the default branch or a merge, whatever code they are about: without
     * the event's file nothing is known. */
    static const char *const about_other_code[] = {"pull_request", "pull_request_target",
                                                   "workflow_run", "issue_comment",
                                                   "repository_dispatch"};
    const char *event = variable("GITHUB_EVENT_NAME"), *type = variable("GITHUB_REF_TYPE");
    if (!event_read(arena, commit, branch, err))
        return false;
    if (event != NULL && text_is_one(event, about_other_code))
        return true;
    commit_take(github->commits, commit);
    if (type == NULL || strcmp(type, "branch") == 0)
        branch_take(github->branches, branch);
    return true;
}

bool origin_of_ci(struct arena *arena, struct fact *facts, size_t *ret_count, struct err *err)
{
    struct told commit = {0}, branch = {0};
    const struct ci_system *found = NULL;
    *ret_count = 0;
    for (size_t i = 0; i < sizeof systems / sizeof systems[0] && found == NULL; i++)
        found = variable(systems[i].mark) != NULL ? &systems[i] : NULL;
    if (found == NULL)
        return true;
    if (found == &systems[0]) {
        if (!github_take(found, arena, &commit, &branch, err))
            return false;
    } else {
        commit_take(found->commits, &commit);
        request_take(found->request, found->word, arena, &branch);
        branch_take(found->branches, &branch);
    }
    if (commit.value != NULL)
        facts[(*ret_count)++] = (struct fact){ORIGIN_COMMIT_FACT, commit.value, commit.source};
    if (branch.value != NULL)
        facts[(*ret_count)++] = (struct fact){ORIGIN_BRANCH_FACT, branch.value, branch.source};
    return true;
}
