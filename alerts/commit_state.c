/* The tables, and the status as a body and a request. */
#include "alerts/commit_state.h"
#include "alerts/escape.h"

#include <string.h>

static const struct commit_state states[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = {"success", "success", "success"},
    [VERDICT_WARN] = {"success", "neutral", "success"},
    [VERDICT_FAIL] = {"failure", "failure", "failed"},
    [VERDICT_INCONCLUSIVE] = {"success", "neutral", "success"},
    [VERDICT_INCOMPARABLE] = {"error", "neutral", "failed"},
};
static const struct commit_state started = {"pending", NULL, "running"},
                                 aborted = {"error", "failure", "failed"},
                                 accepted = {"success", "neutral", "success"};

struct commit_state commit_state_of(const struct notice *notice)
{
    if (notice->phase == PHASE_STARTED)
        return started;
    if (notice->accepted)
        return accepted;
    return notice->phase == PHASE_ABORTED ? aborted : states[notice->verdict->status];
}

bool status_build(const struct notice *notice, const struct destination *to,
                  const struct status_form *form, struct arena *arena, struct message *ret_message,
                  struct err *err)
{
    struct card card;
    const struct escape_rule rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, form->description_chars};
    if (!card_make(notice, arena, &card, err))
        return false;
    json_t *status =
        json_pack("{s:s, s:o, s:o}", "state", form->state, "description",
                  escape_json(card.title, &rule), form->name_key, forge_context(&card, to));
    bool fits =
        form->target_bytes == 0 || (card.link != NULL && strlen(card.link) <= form->target_bytes);
    if (status != NULL && card.link != NULL && fits)
        (void)json_object_set_new(status, "target_url", json_string(card.link));
    return body_print(
        json_pack("{s:s, s:o}", "sha", notice->verdict->candidate.commit, "status", status), arena,
        ret_message, err);
}

bool status_send(struct sending *sending,
                 const char *(*path_of)(const struct sending *sending, const char *rest),
                 bool (*forge)(struct sending *sending, const struct forge_call *call,
                               struct answer *ret_answer, struct err *err),
                 struct answer *ret_answer, struct err *err)
{
    scoped_json *body = sending_body(sending, err);
    if (body == NULL)
        return false;
    const char *rest = arena_printf(sending->arena, "/statuses/%s",
                                    json_string_value(json_object_get(body, "sha")));
    if (rest == NULL)
        return arena_failed(sending->arena, "a request", err);
    const struct forge_call call = {.method = HTTP_POST,
                                    .path = path_of(sending, rest),
                                    .body = json_incref(json_object_get(body, "status"))};
    return forge(sending, &call, ret_answer, err);
}
