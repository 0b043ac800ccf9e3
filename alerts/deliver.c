/* Joins secrets, the channel and its outcome into one delivery. */
#include "alerts/deliver.h"
#include "alerts/channels.h"
#include "alerts/sending.h"
#include "ops/net/reach.h"
#include "ops/net/url.h"
#include "ops/runtime/clock.h"

#include <string.h>

const char *const delivery_class_names[DELIVERY_CLASS_COUNT] = {
    [DELIVERY_DONE] = "done",
    [DELIVERY_PERMANENT] = "permanent",
    [DELIVERY_RETRY] = "retry",
    [DELIVERY_AMBIGUOUS] = "ambiguous",
};

static void sending_done(struct sending *sending)
{
    secret_done(&sending->url);
    secret_done(&sending->key);
}
#define scoped_sending __attribute__((cleanup(sending_done))) struct sending

static bool sending_prepare(struct sending *sending, struct err *err)
{
    const struct destination *to = sending->to;
    if (!channel_find(to->kind, &sending->channel, err))
        return false;
    /* A line break in a header would begin another header; a '.' in the id would blur what
     * is signed. */
    static const char id_chars[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const char *id = sending->request->message_id;
    if (id[0] == '\0' || id[strspn(id, id_chars)] != '\0')
        return err_set(err, ERR_INPUT, "the message's id holds more than letters, digits, - and _");
    for (const char *p = sending->request->content_type; *p != '\0'; p++) {
        if (*p < ' ' || *p > '~')
            return err_set(err, ERR_INPUT, "the message's content type is not plain ASCII");
    }
    if (!secret_read(to->url_ref, "url", SECRET_LITERAL_ALLOWED, &sending->url, err) ||
        (to->secret_ref != NULL &&
         !secret_read(to->secret_ref, "secret", SECRET_LITERAL_REFUSED, &sending->key, err)))
        return false;
    /* The addresses of a service are its own: another host gets its messages and credentials
     * only when the operator lists that host's address. */
    const struct channel *channel = sending->channel;
    if (channel->hosts == NULL || sending->to->policy.allowed.count > 0 ||
        url_host_is(sending->url.text, channel->hosts, channel->host_count))
        return true;
    return err_set(err, ERR_USAGE,
                   "url: a %s destination is at %s; another host is refused unless "
                   "allow_addresses lists its address",
                   channel->kind, channel->hosts[0]);
}

bool deliver_check(const struct destination *destination, struct arena *arena, struct err *err)
{
    static const struct delivery_request nothing = {.content_type = "", .message_id = "check"};
    scoped_sending sending = {.to = destination, .request = &nothing, .arena = arena};
    bool smtps;
    if (!sending_prepare(&sending, err))
        return false;
    if (sending.channel->check != NULL && !sending.channel->check(&sending, err))
        return false;
    return sending.channel->is_mail
               ? url_mail_check(sending.url.text, &smtps, err)
               : url_check(sending.url.text, destination->policy.allow_http, err);
}

bool deliver_reach(const struct destination *destination, int64_t timeout_ms, struct arena *arena,
                   const char **ret_why, struct err *err)
{
    static const struct delivery_request nothing = {.content_type = "", .message_id = "check"};
    scoped_sending sending = {.to = destination, .request = &nothing, .arena = arena};
    struct http_policy policy = destination->policy;
    const char *why, *place;
    if (policy.timeout_ms > timeout_ms)
        policy.timeout_ms = timeout_ms;
    if (!sending_prepare(&sending, err))
        return false;
    place = sending.url.text;
    if ((sending.channel->place != NULL && !sending.channel->place(&sending, &place, err)) ||
        !reach(&policy, place, arena, &why, err))
        return false;
    *ret_why = why == NULL
                   ? NULL
                   : arena_printf(arena, "%s: %s", url_redacted(arena, sending.url.text), why);
    return arena_ok(arena, "the outcome of a connection", err);
}

bool deliver(const struct destination *destination, const struct delivery_request *request,
             struct arena *arena, struct delivery *ret_delivery, struct err *err)
{
    scoped_sending sending = {
        .to = destination,
        .request = request,
        .arena = arena,
        .until_ms = clock_monotonic_ms() + destination->policy.timeout_ms,
        .delivery = ret_delivery,
    };
    struct err fault = {0};
    if (sending_prepare(&sending, &fault) && sending.channel->send(&sending, &fault))
        return true;
    *ret_delivery =
        (struct delivery){.class = sending.is_begun ? DELIVERY_AMBIGUOUS : DELIVERY_RETRY};
    /* What the operator can mend is an outcome of the delivery; what this machine lacks is an error
     * of ours. */
    if (fault.kind == ERR_LIMIT || fault.kind == ERR_FULL || fault.kind == ERR_IO ||
        fault.kind == ERR_BUG)
        return err_set(err, fault.kind, "%s", fault.text);
    *ret_delivery = (struct delivery){
        .class = DELIVERY_PERMANENT,
        .refusal = REFUSAL_DESTINATION,
        .retry_after_ms = -1,
        .reason = arena_strdup(arena, fault.text),
    };
    return true;
}
