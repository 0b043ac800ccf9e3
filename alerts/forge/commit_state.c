/* Implements the tables of states, and the two channels that are commit statuses. */
#include "alerts/forge/commit_state.h"
#include "alerts/escape.h"

#include <string.h>

static const struct commit_state states[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = {"success", "success", "success"},
    [VERDICT_WARN] = {"success", "neutral", "success"},
    [VERDICT_FAIL] = {"failure", "failure", "failed"},
    [VERDICT_INCONCLUSIVE] = {"pending", "neutral", "pending"},
    [VERDICT_INCOMPARABLE] = {"error", "neutral", "failed"},
};
/* What the policy made a fail of although nothing was shown: someone has to do something. */
static const struct commit_state held_by_policy = {"failure", "action_required", "failed"};
/* GitLab lets no status go back from running to pending, which is where it may end. */
static const struct commit_state started = {"pending", NULL, "pending"},
                                 aborted = {"error", "failure", "failed"},
                                 accepted = {"success", "neutral", "success"};

static bool is_held_by_policy(const struct verdict *verdict)
{
    return verdict->status == VERDICT_FAIL && verdict->reason_count > 0 &&
           strcmp(verdict->reasons[0].code, "inconclusive_by_policy") == 0;
}

struct commit_state commit_state_of(const struct notice *notice)
{
    if (notice->phase == PHASE_STARTED)
        return started;
    if (notice->accepted)
        return accepted;
    if (notice->phase == PHASE_ABORTED)
        return aborted;
    /* The change has failed before and nothing has shown since that it is no slower: sides that
     * cannot be compared show nothing. */
    const struct verdict *verdict = notice->verdict;
    if (verdict->status == VERDICT_INCOMPARABLE && verdict->candidate.earlier_failed.count > 0)
        return states[VERDICT_FAIL];
    return is_held_by_policy(verdict) ? held_by_policy : states[verdict->status];
}

const char *commit_title(const struct notice *notice, const struct card *card, struct arena *arena)
{
    bool is_judged =
        notice->phase != PHASE_STARTED && notice->phase != PHASE_ABORTED && !notice->accepted;
    bool is_open = is_judged && (notice->verdict->status == VERDICT_INCONCLUSIVE ||
                                 is_held_by_policy(notice->verdict));
    const char *rest = strstr(card->title, ": ");
    if (rest == NULL)
        return card->title;
    size_t word = (size_t)(rest - card->title), subject = strlen(card->subject);
    /* The name of a status or check tells the subject already. */
    if (subject > 0 && strncmp(rest + 2, card->subject, subject) == 0 && rest[2 + subject] == ':')
        rest += 2 + subject;
    return is_open ? arena_printf(arena, "not shown%s", rest)
                   : arena_printf(arena, "%.*s%s", (int)word, card->title, rest);
}

/* ---- the commit status, which both forges know in nearly the same form ---- */

/* How a forge writes a commit status. */
struct status_form {
    const char *state;        /* of the notice's commit_state */
    const char *name_key;     /* the member that names the status */
    size_t description_chars; /* at most */
    size_t target_bytes;      /* a longer link is left out; 0 = no bound */
};

/* The frozen message: {"sha", "status": what the request holds}. */
static bool status_build(const struct notice *notice, const struct destination *to,
                         const struct status_form *form, struct arena *arena,
                         struct message *ret_message, struct err *err)
{
    struct card card = card_make(notice, arena);
    const struct escape_rule rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, form->description_chars};
    json_t *status = json_pack("{s:s, s:o, s:o}", "state", form->state, "description",
                               escape_json(commit_title(notice, &card, arena), &rule),
                               form->name_key, forge_context(&card, to));
    if (card.link != NULL && (form->target_bytes == 0 || strlen(card.link) <= form->target_bytes))
        (void)json_object_set_new(status, "target_url", json_string(card.link));
    return body_print(
        json_pack("{s:s, s:o}", "sha", notice->verdict->candidate.commit, "status", status), arena,
        ret_message, err);
}

/* Sends it; path_of adds the forge's own beginning to "/statuses/SHA". */
static bool status_send(struct sending *sending,
                        const char *(*path_of)(const struct sending *sending, const char *rest),
                        bool (*forge)(struct sending *sending, const struct forge_call *call,
                                      struct call_result *ret_answer, struct err *err),
                        struct call_result *ret_answer, struct err *err)
{
    scoped_json *body = sending_body(sending, err);
    if (body == NULL)
        return false;
    const char *rest = arena_printf(sending->arena, "/statuses/%s",
                                    json_string_value(json_object_get(body, "sha")));
    const struct forge_call call = {.method = HTTP_POST,
                                    .path = path_of(sending, rest),
                                    .body = json_incref(json_object_get(body, "status"))};
    return forge(sending, &call, ret_answer, err);
}

/* GitHub: the last one of a context counts, so a repeat does no harm. */
static bool github_build(const struct notice *notice, const struct destination *to,
                         struct arena *arena, struct message *ret_message, struct err *err)
{
    const struct status_form form = {commit_state_of(notice).github, "context", 140, 0};
    return status_build(notice, to, &form, arena, ret_message, err);
}

static bool github_send(struct sending *sending, struct err *err)
{
    scoped_call_result answer = {0};
    return status_send(sending, github_path, github_call, &answer, err) &&
           sending_end(sending, &answer, NULL);
}

const struct channel channel_github_status = {
    .kind = "github_status",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://api.github.com",
    .min_interval_ms = 1000,
    .shows_state = true,
    .by_commit = true,
    .takes = forge_takes_commit,
    .body_build = github_build,
    .send = github_send,
};

/* GitLab: it refuses the state that a status already has, with a text that means success. */
enum { DESCRIPTION_CHARS = 255, TARGET_BYTES = 255, BAD_REQUEST = 400 };

static bool gitlab_build(const struct notice *notice, const struct destination *to,
                         struct arena *arena, struct message *ret_message, struct err *err)
{
    const struct status_form form = {commit_state_of(notice).gitlab, "name", DESCRIPTION_CHARS,
                                     TARGET_BYTES};
    return status_build(notice, to, &form, arena, ret_message, err);
}

static bool gitlab_send(struct sending *sending, struct err *err)
{
    scoped_call_result answer = {0};
    if (!status_send(sending, gitlab_path, gitlab_call, &answer, err))
        return false;
    if (answer.reply.status == BAD_REQUEST && !answer.body.failed &&
        strstr(text_string(&answer.body), "Cannot transition status") != NULL)
        return sending_judge(sending, &answer, DELIVERY_DONE, NULL);
    if (answer.reply.status == BAD_REQUEST && !answer.reply.body_whole)
        return sending_judge(sending, &answer, DELIVERY_RETRY,
                             "why it rejects the message came in part");
    return sending_end(sending, &answer, NULL);
}

const struct channel channel_gitlab_status = {
    .kind = "gitlab_status",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://gitlab.com/api/v4",
    .min_interval_ms = 200,
    .shows_state = true,
    .by_commit = true,
    .takes = forge_takes_commit,
    .body_build = gitlab_build,
    .send = gitlab_send,
};
