/* Slack's Web API: one message per alert that is kept up to date, and a thread below it.
 *
 * The first message of an alert is posted and its time stamp remembered. Later ones change it in
 * place, so that the channel shows how things stand; its end, its return and other news are also
 * said in its thread. The change comes first: it can be repeated, a post cannot.
 *
 * The service answers 200 to failures too: `ok` and `error` of the body decide. */
#include "alerts/channels.h"
#include "alerts/chat/slack_blocks.h"

#include <string.h>

/* ---- the frozen message: {"state": message, "reply": text or null, "follows": bool} ---- */

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    struct card card = card_make(notice, arena);
    bool news = phase_is_news(notice->phase), follows = phase_follows(notice->phase);
    return body_print(json_pack("{s:s, s:o, s:o, s:b, s:b}", "channel", to->channel, "state",
                                slack_message(&card), "reply",
                                news ? slack_line(&card) : json_null(), "follows", follows,
                                "begins", notice->phase == PHASE_FIRING || follows),
                      arena, ret_message, err);
}

/* ---- sending ---- */

static const struct {
    const char *error;
    enum delivery_class class;
    enum delivery_refusal refusal;
} errors[] = {
    {"ratelimited", DELIVERY_RETRY, REFUSAL_NONE},
    {"rate_limited", DELIVERY_RETRY, REFUSAL_NONE},
    {"service_unavailable", DELIVERY_RETRY, REFUSAL_NONE},
    {"internal_error", DELIVERY_AMBIGUOUS, REFUSAL_NONE},
    {"fatal_error", DELIVERY_AMBIGUOUS, REFUSAL_NONE},
    {"request_timeout", DELIVERY_AMBIGUOUS, REFUSAL_NONE},
    {"invalid_auth", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"not_authed", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"token_revoked", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"token_expired", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"account_inactive", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"missing_scope", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"channel_not_found", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"not_in_channel", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"is_archived", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {"restricted_action", DELIVERY_PERMANENT, REFUSAL_DESTINATION},
    {NULL, DELIVERY_PERMANENT, REFUSAL_NONE}, /* every other one */
};

/* The words of a failure; only names as the service has them are shown. */
static bool failure_judge(struct sending *sending, const struct call_result *answer, json_t *body)
{
    const char *error = json_string_value(json_object_get(body, "error"));
    if (error == NULL || error[0] == '\0' || strlen(error) > 60 ||
        error[strspn(error, "abcdefghijklmnopqrstuvwxyz_0123456789")] != '\0')
        error = "no reason was given";
    const char *why = arena_printf(sending->arena, "the receiver rejects the message: %s", error);
    size_t row = 0;
    while (errors[row].error != NULL && strcmp(errors[row].error, error) != 0)
        row++;
    (void)sending_judge(sending, answer, errors[row].class, why);
    sending->delivery->refusal = errors[row].refusal;
    return true;
}

/* Calls a method; takes the reference to its arguments. *ret_ts is the message's, NULL when the
 * delivery has failed (and its outcome is set). */
static bool method_call(struct sending *sending, const char *path, json_t *arguments,
                        const char **ret_ts, struct err *err)
{
    static const char *const headers[] = {"Content-Type: application/json; charset=utf-8"};
    struct message message;
    scoped_call_result answer = {0};
    *ret_ts = NULL;
    if (!body_print(arguments, sending->arena, &message, err))
        return false;
    const struct call call = {.path = path,
                              .headers = headers,
                              .header_count = 1,
                              .bearer = true,
                              .body = message.body,
                              .length = message.length};
    if (!sending_call(sending, &call, &answer, err))
        return false;
    if (answer.class != DELIVERY_DONE)
        return sending_end(sending, &answer, NULL);
    scoped_json *body = answer_json(&answer);
    if (body == NULL)
        return sending_judge(sending, &answer, DELIVERY_AMBIGUOUS,
                             "its answer cannot be read; it may have taken the message");
    const char *ts = json_string_value(json_object_get(body, "ts"));
    if (!json_is_true(json_object_get(body, "ok")) || ts == NULL)
        return failure_judge(sending, &answer, body);
    *ret_ts = arena_strdup(sending->arena, ts);
    return sending_end(sending, &answer, *ret_ts);
}

/* Our id goes with the message, by which a person can find a repeat. */
static json_t *arguments_of(const struct sending *sending, json_t *body, const char *ts)
{
    json_t *arguments = json_deep_copy(json_object_get(body, "state"));
    (void)json_object_set(arguments, "channel", json_object_get(body, "channel"));
    (void)json_object_set_new(arguments, "metadata",
                              json_pack("{s:s, s:{s:s}}", "event_type", "stepledger_message",
                                        "event_payload", "id", sending->request->message_id));
    if (ts != NULL) {
        (void)json_object_set_new(arguments, "ts", json_string(ts));
        (void)json_object_del(arguments, "unfurl_links");
        (void)json_object_del(arguments, "unfurl_media");
    }
    return arguments;
}

static bool message_send(struct sending *sending, struct err *err)
{
    scoped_json *body = sending_body(sending, err);
    if (body == NULL)
        return false;
    const char *ts = sending->request->thread_ref, *made = NULL;
    if (ts == NULL || !json_is_true(json_object_get(body, "follows"))) {
        if (!method_call(sending, "/chat.postMessage", arguments_of(sending, body, NULL), &made,
                         err))
            return false;
        if (!json_is_true(json_object_get(body, "begins")))
            sending->delivery->remote_ref = NULL; /* nothing follows it */
        return true;
    }
    if (!method_call(sending, "/chat.update", arguments_of(sending, body, ts), &made, err))
        return false;
    bool told = json_is_string(json_object_get(body, "reply"));
    if (made == NULL || !told)
        return true;
    const char *ignored;
    json_t *arguments = json_pack(
        "{s:O, s:O, s:s, s:b, s:b}", "channel", json_object_get(body, "channel"), "text",
        json_object_get(body, "reply"), "thread_ts", ts, "unfurl_links", 0, "unfurl_media", 0);
    if (!method_call(sending, "/chat.postMessage", arguments, &ignored, err))
        return false;
    if (sending->delivery->class == DELIVERY_DONE)
        sending->delivery->remote_ref = ts; /* of the message on top, not of the reply */
    return true;
}

static const char *const hosts[] = {"slack.com", "*.slack.com"};

const struct channel channel_slack_api = {
    .kind = "slack_api",
    .needs = NEEDS_SECRET | NEEDS_CHANNEL,
    .default_url = "https://slack.com/api",
    .hosts = hosts,
    .host_count = 2,
    .min_interval_ms = 1000,
    .body_build = body_build,
    .send = message_send,
};
