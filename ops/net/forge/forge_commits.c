/* Asks a forge which commits lie in a range. */
#include "ops/net/forge/forge.h"

#include "ops/net/fetch/fetch.h"
#include "ops/net/url.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"

#include <string.h>

/* A comparison holds the differences of files too, at most 300 of GitHub's. */
enum { ANSWER_MAX_BYTES = 8 << 20, PER_PAGE = 100, SHA_MAX = 64, SUBJECT_BYTES = 300 };

struct asking {
    const struct forge_ask *ask;
    const char *name; /* for messages */
    struct arena *arena;
    struct forge_range *range;
};

static bool answer_wrong(const struct asking *asking, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: the answer is no comparison of commits", asking->name);
}

/* NULL on failure. */
static json_t *document_ask(const struct asking *asking, const char *url, struct err *err)
{
    static char accept[] = "Accept: application/vnd.github+json",
                version[] = "X-GitHub-Api-Version: 2022-11-28";
    const struct forge_ask *ask = asking->ask;
    struct http_policy policy = ask->policy;
    struct pace_gate gate = {0};
    int64_t left_ms = ask->until_ms - clock_monotonic_ms();
    if (left_ms <= 0)
        return err_set(err, ERR_UNAVAILABLE, "%s: it took too long", asking->name), NULL;
    policy.timeout_ms = left_ms < policy.timeout_ms ? left_ms : policy.timeout_ms;
    struct fetch_ask request = {.name = asking->name,
                                .policy = &policy,
                                .gate = &gate,
                                .place = {.url = url},
                                .stays = true};
    if (ask->token != NULL)
        request.place.credential = (struct http_credential){HTTP_BEARER, NULL, ask->token, NULL};
    if (ask->kind == FORGE_GITHUB) {
        request.place.headers[0] = accept;
        request.place.headers[1] = version;
    }
    scoped_text document;
    text_init(&document, ANSWER_MAX_BYTES);
    return fetch_text(&request, &document, err)
               ? json_parse(text_string(&document), document.length, asking->name, err)
               : NULL;
}

/* Adds one behind the others. */
static bool commit_add(const struct asking *asking, const char *sha, const char *message,
                       struct err *err)
{
    struct forge_range *range = asking->range;
    if (sha == NULL || message == NULL || strlen(sha) > SHA_MAX ||
        sha[strspn(sha, "0123456789abcdef")] != '\0')
        return answer_wrong(asking, err);
    size_t length = strcspn(message, "\r\n");
    struct report_commit *commit = &range->commits[range->count++];
    commit->sha = arena_strdup(asking->arena, sha);
    commit->subject =
        text_utf8_repair(asking->arena, message, length < SUBJECT_BYTES ? length : SUBJECT_BYTES);
    return true;
}

/* ---- GitHub: oldest first, in pages ---------------------------------------------------------- */

static json_t *github_page(const struct asking *asking, const char *after, const char *until,
                           int64_t page, struct err *err)
{
    const struct forge_ask *ask = asking->ask;
    return document_ask(asking,
                        arena_printf(asking->arena,
                                     "%s/repos/%s/compare/%s...%s?per_page=%d&page=%lld", ask->api,
                                     ask->path, after, until, PER_PAGE, (long long)page),
                        err);
}

static bool github_take(const struct asking *asking, const json_t *page, struct err *err)
{
    const json_t *commits = json_object_get(page, "commits");
    if (!json_is_array(commits))
        return answer_wrong(asking, err);
    for (size_t i = json_array_size(commits); i > 0 && asking->range->count < FORGE_COMMITS_MAX;
         i--) {
        const json_t *commit = json_array_get(commits, i - 1);
        const json_t *message = json_object_get(json_object_get(commit, "commit"), "message");
        if (!commit_add(asking, json_string_value(json_object_get(commit, "sha")),
                        json_string_value(message), err))
            return false;
    }
    return true;
}

static bool github_read(const struct asking *asking, const char *after, const char *until,
                        struct err *err)
{
    scoped_json *first = github_page(asking, after, until, 1, err);
    if (first == NULL)
        return false;
    const json_t *total = json_object_get(first, "total_commits");
    if (!json_is_integer(total))
        return answer_wrong(asking, err);
    asking->range->in_range = json_integer_value(total);
    int64_t page = (asking->range->in_range + PER_PAGE - 1) / PER_PAGE;
    for (; page > 1 && asking->range->count < FORGE_COMMITS_MAX; page--) {
        scoped_json *one = github_page(asking, after, until, page, err);
        if (one == NULL || !github_take(asking, one, err))
            return false;
    }
    return github_take(asking, first, err);
}

/* ---- GitLab: all of them --------------------------------------------------------------------- */

static bool gitlab_read(const struct asking *asking, const char *after, const char *until,
                        struct err *err)
{
    const struct forge_ask *ask = asking->ask;
    scoped_json *root = document_ask(
        asking,
        arena_printf(asking->arena, "%s/projects/%s/repository/compare?from=%s&to=%s", ask->api,
                     url_escape(ask->path, false, asking->arena), after, until),
        err);
    if (root == NULL)
        return false;
    const json_t *commits = json_object_get(root, "commits");
    if (!json_is_array(commits))
        return answer_wrong(asking, err);
    size_t count = json_array_size(commits);
    const json_t *newest = json_object_get(json_object_get(root, "commit"), "id");
    bool newest_first = json_equal(newest, json_object_get(json_array_get(commits, 0), "id"));
    asking->range->in_range = (int64_t)count;
    for (size_t i = 0; i < count && i < FORGE_COMMITS_MAX; i++) {
        const json_t *commit = json_array_get(commits, newest_first ? i : count - 1 - i);
        if (!commit_add(asking, json_string_value(json_object_get(commit, "id")),
                        json_string_value(json_object_get(commit, "title")), err))
            return false;
    }
    return true;
}

bool forge_commits(const struct forge_ask *ask, const char *after, const char *until,
                   struct arena *arena, struct forge_range *ret_range, struct err *err)
{
    struct forge_range range = {.commits =
                                    arena_array(arena, struct report_commit, FORGE_COMMITS_MAX)};
    struct asking asking = {.ask = ask, .arena = arena, .range = &range};
    const char *host = strstr(ask->api, "://");
    host = host == NULL ? ask->api : host + 3;
    asking.name =
        arena_printf(arena, "the commits of %s at %.*s", ask->path, (int)strcspn(host, "/"), host);
    if (!(ask->kind == FORGE_GITHUB ? github_read : gitlab_read)(&asking, after, until, err))
        return false;
    *ret_range = range;
    return arena_ok(arena, "the commits of a range", err);
}
