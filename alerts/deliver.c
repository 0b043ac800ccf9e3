/* Joins secrets, channel headers, the guarded POST and its classification into one delivery. */
#include "alerts/deliver.h"
#include "alerts/channels.h"
#include "alerts/classify.h"
#include "alerts/retry_after.h"
#include "alerts/url.h"

#include <string.h>

const char *const delivery_class_names[DELIVERY_CLASS_COUNT] = {
    [DELIVERY_DONE] = "done",
    [DELIVERY_PERMANENT] = "permanent",
    [DELIVERY_RETRY] = "retry",
    [DELIVERY_AMBIGUOUS] = "ambiguous",
};

/* What the operator can mend is an outcome of the delivery; what this machine lacks is an error of
 * ours. */
static bool fault_is_ours(const struct err *fault)
{
    return fault->kind == ERR_LIMIT || fault->kind == ERR_FULL || fault->kind == ERR_BUG;
}

static bool fault_settle(const struct err *fault, struct arena *arena,
                         struct delivery *ret_delivery, struct err *err)
{
    if (fault_is_ours(fault))
        return err_set(err, fault->kind, "%s", fault->text);
    *ret_delivery = (struct delivery){
        .class = DELIVERY_PERMANENT,
        .retry_after_ms = -1,
        .reason = arena_strdup(arena, fault->text),
    };
    return ret_delivery->reason != NULL || arena_failed(arena, "the outcome of a delivery", err);
}

/* A line break in a header would begin another header; a '.' in the id would blur what is signed.
 */
static bool request_check(const struct delivery_request *request, struct err *err)
{
    static const char id_chars[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const char *id = request->message_id;
    if (id[0] == '\0' || id[strspn(id, id_chars)] != '\0')
        return err_set(err, ERR_INPUT, "the message's id holds more than letters, digits, - and _");
    for (const char *p = request->content_type; *p != '\0'; p++) {
        if (*p < ' ' || *p > '~')
            return err_set(err, ERR_INPUT, "the message's content type is not plain ASCII");
    }
    return true;
}

struct attempt {
    const struct destination *destination;
    const struct delivery_request *request;
    struct arena *arena;
    struct secret url, key;
    struct channel_headers headers;
};

static void attempt_done(struct attempt *attempt)
{
    secret_done(&attempt->url);
    secret_done(&attempt->key);
}
#define scoped_attempt __attribute__((cleanup(attempt_done))) struct attempt

static bool attempt_prepare(struct attempt *attempt, struct err *err)
{
    const struct destination *to = attempt->destination;
    const struct channel *channel;
    bool is_signed = to->secret_ref != NULL;
    return channel_find(to->kind, &channel, err) && request_check(attempt->request, err) &&
           secret_read(to->url_ref, "url", SECRET_LITERAL_ALLOWED, &attempt->url, err) &&
           (!is_signed ||
            secret_read(to->secret_ref, "secret", SECRET_LITERAL_REFUSED, &attempt->key, err)) &&
           channel->headers_make(attempt->request, is_signed ? &attempt->key : NULL, attempt->arena,
                                 &attempt->headers, err);
}

static bool reply_settle(const struct attempt *attempt, const struct http_reply *reply,
                         struct delivery *ret_delivery, struct err *err)
{
    struct arena *arena = attempt->arena;
    const char *why;
    struct delivery delivery = {
        .class = reply_classify(reply, &why),
        .http_status = reply->status,
        .retry_after_ms = retry_after_ms(reply->retry_after, attempt->request->wall_us),
    };
    if (delivery.class != DELIVERY_DONE) {
        const char *url = url_redacted(arena, attempt->url.text);
        if (url == NULL)
            return arena_failed(arena, "the outcome of a delivery", err);
        delivery.reason = reply->outcome == HTTP_ANSWERED
                              ? arena_printf(arena, "%s: HTTP %d: %s", url, reply->status, why)
                              : arena_printf(arena, "%s: %s; %s", url, reply->why, why);
        if (delivery.reason == NULL)
            return arena_failed(arena, "the outcome of a delivery", err);
    }
    *ret_delivery = delivery;
    return true;
}

bool deliver(const struct destination *destination, const struct delivery_request *request,
             struct arena *arena, struct delivery *ret_delivery, struct err *err)
{
    scoped_attempt attempt = {.destination = destination, .request = request, .arena = arena};
    struct err fault = {0};
    if (!attempt_prepare(&attempt, &fault))
        return fault_settle(&fault, arena, ret_delivery, err);
    struct http_request http = {
        .url = attempt.url.text,
        .headers = attempt.headers.items,
        .header_count = attempt.headers.count,
        .body = request->body,
        .body_length = request->body_length,
    };
    struct http_reply reply;
    return http_post(&destination->policy, &http, arena, &reply, err) &&
           reply_settle(&attempt, &reply, ret_delivery, err);
}
