/* The commits between which a change came. What a repository says is not in the ledger: a report
 * that is made again takes them from the one that is kept. */
#include "ops/flow/collect/collect.h"
#include "ops/flow/reports/making.h"
#include "ops/runtime/text.h"

#include <string.h>

enum { COMMITS_SHOWN = 20, SHA_MIN = 7, SHA_MAX = 64, SUBJECT_BYTES = 300 };

static const struct report_change *kept_find(const struct trend_report *kept,
                                             const struct report_change *change)
{
    for (size_t i = 0; i < kept->loss_count + kept->improvement_count; i++) {
        const struct report_change *one =
            i < kept->loss_count ? &kept->losses[i] : &kept->improvements[i - kept->loss_count];
        if (strcmp(one->at_profile, change->at_profile) == 0 &&
            strcmp(one->until_profile, change->until_profile) == 0)
            return one;
    }
    return NULL;
}

/* What a command line takes for nothing but a commit. */
static bool is_sha(const char *commit)
{
    size_t length = commit == NULL ? 0 : strlen(commit);
    return length >= SHA_MIN && length <= SHA_MAX &&
           strspn(commit, "0123456789abcdefABCDEF") == length;
}

/* Lines "SHA SUBJECT", newest first. */
static bool lines_read(struct report_making *making, const char *lines,
                       struct report_change *change, struct err *err)
{
    change->commits = arena_array(making->arena, struct report_commit, COMMITS_SHOWN);
    if (change->commits == NULL)
        return arena_failed(making->arena, "a report", err);
    for (const char *p = lines; *p != '\0' && change->commit_count < COMMITS_SHOWN;) {
        size_t length = strcspn(p, "\n"), sha = strcspn(p, " \n");
        size_t told = length > sha ? length - sha - 1 : 0;
        struct report_commit *commit = &change->commits[change->commit_count++];
        commit->sha = arena_strndup(making->arena, p, sha);
        commit->subject = text_utf8_repair(making->arena, p + (told > 0 ? sha + 1 : sha),
                                           told < SUBJECT_BYTES ? told : SUBJECT_BYTES);
        if (commit->sha == NULL || commit->subject == NULL)
            return arena_failed(making->arena, "a report", err);
        p += length + (p[length] == '\n');
    }
    return true;
}

static bool why_say(struct report_making *making, const char *why, struct report_change *change,
                    struct err *err)
{
    change->commits_why = why;
    return why != NULL || arena_failed(making->arena, "a report", err);
}

/* A report without the subjects of commits is still one. */
static bool refusal_say(struct report_making *making, const char *range,
                        struct report_change *change, struct err *err)
{
    const char *repository = making->request->repository;
    bool is_url = strstr(repository, "://") != NULL;
    return why_say(making,
                   is_url ? arena_printf(making->arena,
                                         "%s is a URL, and forges are not asked: name the folder "
                                         "of a clone that `git fetch` keeps up to date",
                                         repository)
                          : arena_printf(making->arena,
                                         "%s is no clone of git, or it lacks %s: run `git fetch` "
                                         "in it",
                                         repository, range),
                   change, err);
}

bool report_commits_find(struct report_making *making, struct report_change *change,
                         struct err *err)
{
    struct err why = {0};
    const char *lines = NULL, *count = NULL;
    const char *repository = making->request->repository;
    const struct trend_report *kept = making->request->kept;
    if (kept != NULL) {
        const struct report_change *before = kept_find(kept, change);
        if (before != NULL) {
            change->commits = before->commits;
            change->commit_count = before->commit_count;
            change->commits_in_range = before->commits_in_range;
            change->commits_why = before->commits_why;
        }
        return true;
    }
    if (repository == NULL || repository[0] == '\0')
        return true;
    if (!is_sha(change->after_commit) || !is_sha(change->until_commit))
        return why_say(making, "a run at its ends does not say which commit it ran", change, err);
    const char *range =
        arena_printf(making->scratch, "%s..%s", change->after_commit, change->until_commit);
    if (range == NULL)
        return arena_failed(making->scratch, "a report", err);
    const char *const log[] = {"log", "--format=%H %s", "--max-count=20", range, "--", NULL};
    const char *const number[] = {"rev-list", "--count", range, "--", NULL};
    if (!git_ask(repository, log, making->scratch, &lines, &why) ||
        !git_ask(repository, number, making->scratch, &count, &why)) {
        *err = why;
        return why.kind == ERR_MISSING &&
               why_say(making, "there is no git on the machine that made the report", change, err);
    }
    if (lines == NULL || count == NULL)
        return refusal_say(making, range, change, err);
    (void)text_parse_i64(count, &change->commits_in_range);
    return lines_read(making, lines, change, err);
}
