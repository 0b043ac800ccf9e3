/* The commits between which a change came. What a repository says is not in the ledger: a report
 * that is made again takes them from the one that is kept. */
#include "ops/flow/collect/collect.h"
#include "ops/flow/reports/making.h"
#include "ops/runtime/text.h"

#include <string.h>

enum { SHA_MIN = 7, SHA_MAX = 64, SUBJECT_BYTES = 300 };

static void commits_copy(const struct report_change *from, struct report_change *change)
{
    change->commits = from->commits;
    change->commit_count = from->commit_count;
    change->commits_in_range = from->commits_in_range;
    change->commits_why = from->commits_why;
}

static const struct report_change *kept_find(const struct trend_report *kept,
                                             const struct report_change *change)
{
    const struct report_change *one;
    for (size_t i = 0; (one = report_change_at(kept, i)) != NULL; i++)
        if (strcmp(one->at_profile, change->at_profile) == 0 &&
            strcmp(one->until_profile, change->until_profile) == 0)
            return one;
    return NULL;
}

/* What a command line takes for nothing but a commit. */
static bool is_sha(const char *commit)
{
    size_t length = commit == NULL ? 0 : strlen(commit);
    return length >= SHA_MIN && length <= SHA_MAX &&
           strspn(commit, "0123456789abcdefABCDEF") == length;
}

/* ---- a clone --------------------------------------------------------------------------------- */

/* Lines "SHA SUBJECT", newest first. */
static void lines_read(struct arena *arena, const char *lines, struct report_change *change)
{
    change->commits = arena_array(arena, struct report_commit, FORGE_COMMITS_MAX);
    for (const char *p = lines; *p != '\0' && change->commit_count < FORGE_COMMITS_MAX;) {
        size_t length = strcspn(p, "\n"), sha = strcspn(p, " \n");
        size_t told = length > sha ? length - sha - 1 : 0;
        struct report_commit *commit = &change->commits[change->commit_count++];
        commit->sha = arena_strndup(arena, p, sha);
        commit->subject = text_utf8_repair(arena, p + (told > 0 ? sha + 1 : sha),
                                           told < SUBJECT_BYTES ? told : SUBJECT_BYTES);
        p += length + (p[length] == '\n');
    }
}

static bool clone_ask(struct report_making *making, struct report_change *change, struct err *err)
{
    struct err why = {0};
    const char *lines = NULL, *count = NULL;
    const char *repository = making->request->repository;
    const char *range =
        arena_printf(making->scratch, "%s..%s", change->after_commit, change->until_commit);
    const char *const log[] = {"log", "--format=%H %s", "--max-count=20", range, "--", NULL};
    const char *const number[] = {"rev-list", "--count", range, "--", NULL};
    if (!git_ask(repository, log, making->scratch, &lines, &why) ||
        !git_ask(repository, number, making->scratch, &count, &why)) {
        if (why.kind != ERR_MISSING && why.kind != ERR_INPUT && why.kind != ERR_UNAVAILABLE) {
            *err = why;
            return false;
        }
        change->commits_why = why.kind == ERR_MISSING
                                  ? "there is no git on the machine that made the report"
                                  : arena_strdup(making->arena, why.text);
        return true;
    }
    if (lines != NULL && count != NULL) {
        (void)text_parse_i64(count, &change->commits_in_range);
        lines_read(making->arena, lines, change);
        return true;
    }
    change->commits_why =
        arena_printf(making->arena, "%s is no clone of git, or it lacks %s: run `git fetch` in it",
                     repository, range);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Workloads of one project often move with the same commits. */
static const struct report_change *same_range(const struct trend_report *report, size_t count,
                                              const struct report_change *change)
{
    for (size_t i = 0; i < count; i++) {
        const struct report_change *one = report_change_at(report, i);
        if (one->after_commit != NULL && one->until_commit != NULL &&
            strcmp(one->after_commit, change->after_commit) == 0 &&
            strcmp(one->until_commit, change->until_commit) == 0)
            return one;
    }
    return NULL;
}

static bool commits_take(struct report_making *making, struct report_forge *forge, size_t i,
                         struct err *err)
{
    struct report_change *change = report_change_at(making->report, i);
    if (!is_sha(change->after_commit) || !is_sha(change->until_commit)) {
        change->commits_why = "a run at its ends does not say which commit it ran";
        return true;
    }
    const struct report_change *same = same_range(making->report, i, change);
    if (same != NULL) {
        commits_copy(same, change);
        return true;
    }
    if (strcmp(change->after_commit, change->until_commit) == 0) {
        change->commits_why = "both runs ran the same one: no commit brought it";
        return true;
    }
    if (!(forge != NULL ? report_forge_ask(forge, making->arena, change, err)
                        : clone_ask(making, change, err)))
        return false;
    if (change->commits_why == NULL && change->commits_in_range == 0)
        change->commits_why = "the later run's commit holds none that the earlier one's lacks";
    return true;
}

bool report_commits_find(struct report_making *making, struct err *err)
{
    scoped_report_forge forge = {0};
    struct report_change *change;
    const struct report_request *request = making->request;
    bool is_named = request->repository != NULL && request->repository[0] != '\0';
    bool is_forge = is_named && forge_is_place(request->repository);
    if (request->kept == NULL && (!is_named || report_change_at(making->report, 0) == NULL))
        return true;
    if (request->kept == NULL && is_forge &&
        !report_forge_open(request, making->arena, &forge, err))
        return false;
    for (size_t i = 0; (change = report_change_at(making->report, i)) != NULL; i++) {
        const struct report_change *before =
            request->kept == NULL ? NULL : kept_find(request->kept, change);
        if (before != NULL)
            commits_copy(before, change);
        else if (request->kept == NULL && !commits_take(making, is_forge ? &forge : NULL, i, err))
            return false;
    }
    return true;
}
