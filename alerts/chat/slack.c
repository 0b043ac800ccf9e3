/* Slack, by its incoming webhooks and by its Web API.
 *
 * A webhook takes one message per POST, and its URL is the credential. The service gives no id
 * back: nothing can be changed later, follow-ups are messages of their own. A 200 whose body is not
 * `ok` is a failure.
 *
 * The Web API: one message per alert that is kept up to date, and a thread below it. The first
 * message of an alert is posted and its time stamp remembered. Later ones change it in place, so
 * that the channel shows how things stand; its end, its return and other news are also said in its
 * thread. The change comes first: it can be repeated, a post cannot. The service answers 200 to
 * failures too: `ok` and `error` of the body decide. */
#include "alerts/card.h"
#include "alerts/channels.h"
#include "alerts/escape.h"

#include <string.h>

/* ---- blocks: title and reasons, the ops in a fixed pitch, who was compared and what can be done
 * in small print, and a button. Every text is far below Slack's limit for its place, and all of
 * them together stay below the undocumented total, whatever the names hold. ---- */

/* Sum 9,500: the documented limits are 3,000 each, the total about 13,200. */
static const struct escape_rule title_rule = {ESCAPE_SLACK, ESCAPE_CHARACTERS, 1000},
                                reasons_rule = {ESCAPE_SLACK, ESCAPE_CHARACTERS, 1900},
                                ops_rule = {ESCAPE_SLACK_CODE, ESCAPE_CHARACTERS, 2600},
                                since_rule = {ESCAPE_SLACK, ESCAPE_CHARACTERS, 2000},
                                actions_rule = {ESCAPE_SLACK, ESCAPE_CHARACTERS, 1000};

/* The title alone, escaped. */
static json_t *slack_line(const struct card *card)
{
    return escape_json(card->title, &title_rule);
}

static json_t *mrkdwn(const struct text *text)
{
    return json_pack("{s:s, s:o, s:b}", "type", "mrkdwn", "text", json_of_text(text), "verbatim",
                     1);
}

static void section_add(json_t *blocks, const struct text *text)
{
    (void)json_array_append_new(blocks,
                                json_pack("{s:s, s:o}", "type", "section", "text", mrkdwn(text)));
}

static void small_add(json_t *blocks, const char *string, const struct escape_rule *rule)
{
    if (string[0] == '\0')
        return;
    scoped_text text;
    text_init(&text, SIZE_MAX);
    escape_add(&text, string, rule);
    (void)json_array_append_new(
        blocks, json_pack("{s:s, s:[o]}", "type", "context", "elements", mrkdwn(&text)));
}

/* {"text": ..., "blocks": [...], "unfurl_links": false, "unfurl_media": false}. */
static json_t *slack_message(const struct card *card)
{
    json_t *blocks = json_array();
    scoped_text head, ops;
    text_init(&head, SIZE_MAX);
    text_init(&ops, SIZE_MAX);
    text_addc(&head, '*');
    escape_add(&head, card->title, &title_rule);
    text_addc(&head, '*');
    if (card->reasons[0] != '\0') {
        text_addc(&head, '\n');
        escape_add(&head, card->reasons, &reasons_rule);
    }
    section_add(blocks, &head);
    if (card->ops[0] != '\0') {
        text_add(&ops, "```\n");
        escape_add(&ops, card->ops, &ops_rule);
        text_add(&ops, "\n```");
        section_add(blocks, &ops);
    }
    small_add(blocks, card->since, &since_rule);
    small_add(blocks, card->actions, &actions_rule);
    if (card->link != NULL)
        (void)json_array_append_new(blocks, json_pack("{s:s, s:[{s:s, s:{s:s, s:s}, s:s}]}", "type",
                                                      "actions", "elements", "type", "button",
                                                      "text", "type", "plain_text", "text",
                                                      "Open the report", "url", card->link));
    return json_pack("{s:o, s:o, s:b, s:b}", "text", slack_line(card), "blocks", blocks,
                     "unfurl_links", 0, "unfurl_media", 0);
}

/* ---- webhooks ---- */

static bool hook_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    struct card card = card_make(notice, arena);
    return body_print(slack_message(&card), arena, ret_message, err);
}

static bool hook_send(struct sending *sending, struct err *err)
{
    return sending_post(sending, NULL, OK_BODY, err);
}

static const char *const hook_hosts[] = {"hooks.slack.com", "hooks.slack-gov.com"};

const struct channel channel_slack = {
    .kind = "slack",
    .needs = NEEDS_URL,
    .hosts = hook_hosts,
    .host_count = 2,
    .min_interval_ms = 1000,
    .body_build = hook_build,
    .send = hook_send,
};

/* ---- the Web API: the frozen message: {"state": message, "reply": text or null, "follows": bool}
 * ---- */

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
