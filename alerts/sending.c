/* Implements the requests of a delivery on the guarded exchange. */
#include "alerts/sending.h"
#include "alerts/classify.h"
#include "ops/net/pace.h"
#include "ops/net/url.h"
#include "ops/runtime/clock.h"

#include <stdio.h>
#include <string.h>

enum { ANSWER_MAX_BYTES = 1 << 20, BODY_MAX_BYTES = 4 << 20, TOO_MANY_REQUESTS = 429 };
enum { MOVES_MAX = 3, LOCATION_BYTES = 8 << 10 };

void call_result_done(struct call_result *answer)
{
    text_done(&answer->body);
}

/* One exchange at a whole URL; location gets where it is told to go. */
static bool url_call(struct sending *sending, const struct call *call, const char *url,
                     char location[LOCATION_BYTES], struct call_result *ret_answer, struct err *err)
{
    *ret_answer = (struct call_result){.class = DELIVERY_PERMANENT};
    text_init(&ret_answer->body, ANSWER_MAX_BYTES);
    struct http_field fields[] = {
        {"location", location, LOCATION_BYTES},
        {"link", ret_answer->link, sizeof ret_answer->link},
        {"x-ratelimit-remaining", ret_answer->remaining, sizeof ret_answer->remaining},
        {"x-ratelimit-reset", ret_answer->reset, sizeof ret_answer->reset},
    };
    const struct http_transfer transfer = {
        .request = {.url = url,
                    .headers = call->headers,
                    .header_count = call->header_count,
                    .body = call->body,
                    .body_length = call->length},
        .method = call->method,
        .credential = {.kind = call->bearer ? HTTP_BEARER : HTTP_ANONYMOUS,
                       .secret = sending->key.text},
        .sink = {http_text_take, &ret_answer->body, ANSWER_MAX_BYTES},
        .fields = fields,
        .field_count = sizeof fields / sizeof fields[0],
    };
    /* What is left of the delivery's time bounds this request. */
    struct http_policy policy = sending->to->policy;
    int64_t left_ms = sending->until_ms - clock_monotonic_ms();
    policy.timeout_ms = left_ms > 1 ? left_ms : 1;
    if (!http_perform(&policy, &transfer, sending->arena, &ret_answer->reply, err))
        return false;
    sending->is_begun |= call->method != HTTP_GET && (ret_answer->reply.outcome == HTTP_ANSWERED ||
                                                      ret_answer->reply.outcome == HTTP_LOST);
    ret_answer->class = reply_classify(&ret_answer->reply, &ret_answer->why);
    ret_answer->pause = ret_answer->reply.status == TOO_MANY_REQUESTS;
    return true;
}

bool sending_call(struct sending *sending, const struct call *call, struct call_result *ret_answer,
                  struct err *err)
{
    scoped_secret at = {0};
    char location[LOCATION_BYTES];
    if (!arena_ok(sending->arena, "a delivery", err))
        return false;
    if (!url_extend(sending->url.text, call->path, call->query, &at, err))
        return err_prefix(err, "url");
    for (int moves = 0;; moves++) {
        struct secret next = {0};
        if (!url_call(sending, call, at.text, location, ret_answer, err))
            return false;
        if (!call->moves || moves == MOVES_MAX)
            return true;
        /* Elsewhere the credential would go to whom nobody has configured. */
        int status = ret_answer->reply.status;
        if ((status != 301 && status != 307 && status != 308) || location[0] == '\0' ||
            !url_follow(at.text, location, &next))
            return true;
        call_result_done(ret_answer);
        secret_done(&at);
        at = next;
    }
}

json_t *answer_json(const struct call_result *answer)
{
    if (!answer->reply.body_whole || answer->body.failed)
        return NULL;
    return json_parse(text_string(&answer->body), answer->body.length, "an answer", NULL);
}

bool sending_judge(struct sending *sending, const struct call_result *answer,
                   enum delivery_class class, const char *why)
{
    struct arena *arena = sending->arena;
    const struct http_reply *reply = &answer->reply;
    struct delivery delivery = {
        .class = class,
        .refusal = class == DELIVERY_PERMANENT ? reply_refusal(reply) : REFUSAL_NONE,
        .http_status = reply->status,
        .pause = answer->pause,
        .retry_after_ms =
            retry_after_ms(reply->retry_after, reply_wall_us(reply, sending->request->wall_us)),
    };
    if (class != DELIVERY_DONE) {
        const char *url = url_redacted(arena, sending->url.text);
        delivery.reason = reply->outcome == HTTP_ANSWERED
                              ? arena_printf(arena, "%s: HTTP %d: %s", url, reply->status, why)
                              : arena_printf(arena, "%s: %s; %s", url, reply->why, why);
    }
    *sending->delivery = delivery;
    return true;
}

bool sending_end(struct sending *sending, const struct call_result *answer, const char *remote_ref)
{
    (void)sending_judge(sending, answer, answer->class, answer->why);
    if (answer->class == DELIVERY_DONE)
        sending->delivery->remote_ref = remote_ref;
    return true;
}

bool sending_post(struct sending *sending, const char *query, enum post_answer expected,
                  struct err *err)
{
    static const char *const headers[] = {"Content-Type: application/json"};
    const struct call call = {
        .query = query,
        .headers = headers,
        .header_count = 1,
        .body = sending->request->body,
        .length = sending->request->body_length,
    };
    scoped_call_result answer = {0};
    if (!sending_call(sending, &call, &answer, err))
        return false;
    bool said_ok = expected == ANY_BODY || strcmp(text_string(&answer.body), "ok") == 0;
    if (answer.class == DELIVERY_DONE && answer.reply.body_whole && !said_ok)
        return sending_judge(sending, &answer, DELIVERY_PERMANENT,
                             "the receiver rejects the message in the text of its answer");
    return sending_end(sending, &answer, NULL);
}

json_t *sending_body(const struct sending *sending, struct err *err)
{
    return json_parse(sending->request->body, sending->request->body_length, "the frozen message",
                      err);
}

bool body_print_within(json_t *root, size_t max_bytes, struct arena *arena,
                       struct message *ret_message, struct err *err)
{
    scoped_json *held = root;
    scoped_text text;
    text_init(&text, max_bytes);
    if (held == NULL)
        return err_set(err, ERR_LIMIT, "what a message would say is too long, or no UTF-8");
    json_print(held, JSON_STYLE_LINE, &text);
    *ret_message = (struct message){"application/json", text_keep_start(&text, arena), text.length};
    return text_ok(&text, "a message", err);
}

bool body_print(json_t *root, struct arena *arena, struct message *ret_message, struct err *err)
{
    return body_print_within(root, BODY_MAX_BYTES, arena, ret_message, err);
}
