/* Implements what the forges share. */
#include "alerts/forge/forge.h"
#include "alerts/escape.h"
#include "ops/net/pace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COMMIT_CHARS = 40, CONTEXT_CHARS = 255, NUMBER_DIGITS = 9 };

bool forge_takes_commit(const struct notice *notice, const struct destination *to)
{
    (void)to;
    const char *commit = notice->verdict == NULL ? NULL : notice->verdict->candidate.commit;
    return commit != NULL && strlen(commit) == COMMIT_CHARS &&
           commit[strspn(commit, "0123456789abcdef")] == '\0';
}

static const char *const branch_words[] = {"refs/pull/",           "pull/",           "pr/",
                                           "refs/merge-requests/", "merge-requests/", "mr/"};

/* Where the number stands in the branch's name; NULL when it is no such branch. */
static const char *branch_number(const char *branch, size_t *ret_length)
{
    for (size_t i = 0; branch != NULL && i < sizeof branch_words / sizeof branch_words[0]; i++) {
        size_t length = strlen(branch_words[i]);
        if (strncmp(branch, branch_words[i], length) != 0)
            continue;
        const char *number = branch + length;
        *ret_length = strspn(number, "0123456789");
        bool ends = number[*ret_length] == '\0' || number[*ret_length] == '/';
        if (*ret_length > 0 && *ret_length <= NUMBER_DIGITS && number[0] != '0' && ends)
            return number;
    }
    return NULL;
}

bool forge_is_request(const char *branch)
{
    size_t length;
    return branch_number(branch, &length) != NULL;
}

bool forge_takes_issue(const struct notice *notice, const struct destination *to)
{
    return notice->verdict != NULL &&
           (to->issue != NULL || forge_is_request(notice->verdict->candidate.branch));
}

const char *forge_issue(const struct notice *notice, const struct destination *to,
                        struct arena *arena)
{
    size_t length = 0;
    if (to->issue != NULL)
        return to->issue;
    const char *number = branch_number(notice->verdict->candidate.branch, &length);
    return number == NULL ? NULL : arena_strndup(arena, number, length);
}

json_t *forge_context(const struct card *card, const struct destination *to)
{
    const struct escape_rule rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, CONTEXT_CHARS};
    scoped_text text;
    text_init(&text, 4096);
    text_addf(&text, "%s (%s)", to->context, card->subject);
    return text.failed ? NULL : escape_json(text_string(&text), &rule);
}

const char *forge_id(const struct call_result *answer, struct arena *arena)
{
    scoped_json *body = answer_json(answer);
    json_t *id = json_object_get(body, "id");
    if (!json_is_integer(id))
        return NULL;
    return arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
}

const char *github_path(const struct sending *sending, const char *rest)
{
    return arena_printf(sending->arena, "/repos/%s%s", sending->to->repository, rest);
}

const char *gitlab_path(const struct sending *sending, const char *rest)
{
    scoped_text path;
    text_init(&path, SIZE_MAX);
    text_add(&path, "/projects/");
    for (const char *p = sending->to->repository; *p != '\0'; p++)
        text_addf(&path, *p == '/' ? "%%2F" : "%c", *p);
    text_add(&path, rest);
    return text_keep_start(&path, sending->arena);
}

/* ---- requests ---- */

/* A question changes nothing: whatever became of it, it can be asked again. An answer that came in
 * part is none: what it lacks could be what we look for. */
static void question_judge(struct call_result *answer)
{
    if (answer->class == DELIVERY_AMBIGUOUS) {
        answer->class = DELIVERY_RETRY;
        answer->why = "it was only asked, and nothing was changed";
        return;
    }
    scoped_json *body = answer->class == DELIVERY_DONE ? answer_json(answer) : NULL;
    if (answer->class == DELIVERY_DONE && body == NULL) {
        answer->class = DELIVERY_RETRY;
        answer->why = "what it says cannot be read, or came in part; nothing was changed";
    }
}

static bool forge_call(struct sending *sending, const struct forge_call *call,
                       const char *const *headers, size_t header_count,
                       struct call_result *ret_answer, struct err *err)
{
    struct message message = {0};
    *ret_answer = (struct call_result){0};
    if (call->body != NULL && !body_print(call->body, sending->arena, &message, err))
        return false;
    const struct call request = {
        .method = call->method,
        .path = call->path,
        .query = call->query,
        .headers = headers,
        .header_count = header_count - (call->body == NULL),
        .bearer = true,
        .moves = true, /* after a rename or transfer the old path says where it is now */
        .body = message.body,
        .length = message.length,
    };
    if (!sending_call(sending, &request, ret_answer, err))
        return false;
    if (call->method == HTTP_GET)
        question_judge(ret_answer);
    return true;
}

enum { FORBIDDEN = 403, TOO_MANY_REQUESTS = 429, LIMIT_WAIT_S = 60 };

/* The wait is in one of three places, or at least a minute. */
static void limit_recognise(const struct sending *sending, struct call_result *answer)
{
    struct http_reply *reply = &answer->reply;
    bool used_up = strcmp(answer->remaining, "0") == 0;
    bool says_limit =
        !answer->body.failed && strstr(text_string(&answer->body), "rate limit") != NULL;
    if (reply->status != TOO_MANY_REQUESTS &&
        (reply->status != FORBIDDEN || !(used_up || says_limit || reply->retry_after[0] != '\0')))
        return;
    answer->class = DELIVERY_RETRY;
    answer->pause = true;
    answer->why = "the receiver asks to slow down";
    int64_t wait_s = LIMIT_WAIT_S, reset_s;
    if (used_up && text_parse_i64(answer->reset, &reset_s))
        wait_s = reset_s - reply_wall_us(reply, sending->request->wall_us) / 1000000;
    if (reply->retry_after[0] == '\0')
        (void)snprintf(reply->retry_after, sizeof reply->retry_after, "%" PRId64,
                       wait_s > 1 ? wait_s : 1);
}

bool github_call(struct sending *sending, const struct forge_call *call,
                 struct call_result *ret_answer, struct err *err)
{
    static const char *const headers[] = {"Accept: application/vnd.github+json",
                                          "X-GitHub-Api-Version: 2022-11-28",
                                          "Content-Type: application/json"};
    if (!forge_call(sending, call, headers, 3, ret_answer, err))
        return false;
    limit_recognise(sending, ret_answer);
    return true;
}

bool gitlab_call(struct sending *sending, const struct forge_call *call,
                 struct call_result *ret_answer, struct err *err)
{
    static const char *const headers[] = {"Accept: application/json",
                                          "Content-Type: application/json"};
    return forge_call(sending, call, headers, 2, ret_answer, err);
}
