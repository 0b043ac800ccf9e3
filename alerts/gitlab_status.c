/* GitLab's commit status (spec/wire.md §9.2). The service refuses the state that a status already
 * has, with a text that means success. */
#include "alerts/commit_state.h"
#include "alerts/escape.h"
#include "alerts/forge.h"

#include <string.h>

enum { TARGET_BYTES = 255, BAD_REQUEST = 400 };

static const struct escape_rule description_rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, 255};

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    struct card card;
    if (!card_make(notice, arena, &card, err))
        return false;
    json_t *status =
        json_pack("{s:s, s:o, s:o}", "state", commit_state_of(notice).gitlab, "description",
                  escape_json(card.title, &description_rule), "name", forge_context(&card, to));
    if (status != NULL && card.link != NULL && strlen(card.link) <= TARGET_BYTES)
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
                                    .path = gitlab_path(sending, rest),
                                    .body = json_incref(json_object_get(body, "status"))};
    if (!gitlab_call(sending, &call, &answer, err))
        return false;
    if (answer.reply.status == BAD_REQUEST && !answer.body.failed &&
        strstr(text_string(&answer.body), "Cannot transition status") != NULL)
        return sending_judge(sending, &answer, DELIVERY_DONE, NULL, err);
    return sending_end(sending, &answer, NULL, err);
}

const struct channel channel_gitlab_status = {
    .kind = "gitlab_status",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://gitlab.com/api/v4",
    .min_interval_ms = 200,
    .shows_state = true,
    .by_commit = true,
    .takes = forge_takes_commit,
    .body_build = body_build,
    .send = message_send,
};
