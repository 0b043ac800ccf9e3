/* GitHub's commit status: the last one of a context counts, so a repeat does no harm
 * (spec/wire.md §9.1). */
#include "alerts/commit_state.h"
#include "alerts/escape.h"
#include "alerts/forge.h"

static const struct escape_rule description_rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, 140};

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    struct card card;
    if (!card_make(notice, arena, &card, err))
        return false;
    json_t *status =
        json_pack("{s:s, s:o, s:o}", "state", commit_state_of(notice).github, "description",
                  escape_json(card.title, &description_rule), "context", forge_context(&card, to));
    if (status != NULL && card.link != NULL)
        (void)json_object_set_new(status, "target_url", json_string(card.link));
    return body_print(
        json_pack("{s:s, s:o}", "sha", notice->verdict->candidate.commit, "status", status), arena,
        ret_message, err);
}

static bool message_send(struct sending *sending, struct err *err)
{
    scoped_answer answer = {0};
    scoped_json *body = sending_body(sending, err);
    if (body == NULL)
        return false;
    const char *rest = arena_printf(sending->arena, "/statuses/%s",
                                    json_string_value(json_object_get(body, "sha")));
    if (rest == NULL)
        return arena_failed(sending->arena, "a request", err);
    const struct forge_call call = {.method = HTTP_POST,
                                    .path = github_path(sending, rest),
                                    .body = json_incref(json_object_get(body, "status"))};
    return github_call(sending, &call, &answer, err) && sending_end(sending, &answer, NULL, err);
}

const struct channel channel_github_status = {
    .kind = "github_status",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://api.github.com",
    .min_interval_ms = 1000,
    .shows_state = true,
    .by_commit = true,
    .takes = forge_takes_commit,
    .body_build = body_build,
    .send = message_send,
};
