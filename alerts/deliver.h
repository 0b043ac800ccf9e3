/* One delivery: a frozen message to a configured destination, in one request or in the few that its
 * kind needs. No SQL here, no retries: the caller's row keeps them.
 *
 * Safety rules: ops/net/README.md (address decided at connect time, no redirects, TLS verified,
 * caps, nothing secret in errors).
 */
#ifndef ALERTS_DELIVER_H
#define ALERTS_DELIVER_H

#include "alerts/destination.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum delivery_class {
    DELIVERY_DONE,      /* 2xx */
    DELIVERY_PERMANENT, /* configuration, payload or authorization: do not try again */
    DELIVERY_RETRY,     /* surely not processed: DNS, refused, TLS, 429, 503 */
    DELIVERY_AMBIGUOUS, /* timeout or reset after the request was sent, 500/502/504 */
    DELIVERY_CLASS_COUNT
};
extern const char
    *const delivery_class_names[DELIVERY_CLASS_COUNT]; /* done permanent retry ambiguous */

/* Of a permanent failure: what is refused, the message or where it goes. */
enum delivery_refusal {
    REFUSAL_NONE,        /* the message alone */
    REFUSAL_DESTINATION, /* our credential, the address, or how the destination is configured */
    REFUSAL_FOR_GOOD     /* the receiver says that it is gone */
};

struct delivery {
    enum delivery_class class;
    enum delivery_refusal refusal;
    int http_status;        /* or the code of SMTP; 0 = no response */
    bool pause;             /* the whole destination asks for time, not only for this message */
    int64_t retry_after_ms; /* -1 = not said */
    const char *reason;     /* redacted, fit to be logged and stored; when done: what went wrong
                               beside it, NULL = nothing */
    const char *remote_ref; /* what the receiver called it; NULL = nothing */
    const char *settled;    /* of a retry: who needs no further attempt, for the next request; NULL
                               = nothing new */
};

struct delivery_request {
    const char *content_type, *body;
    size_t body_length;
    const char
        *message_id; /* webhook-id: the receiver can dedupe by it; letters, digits, '-', '_' */
    int64_t wall_us; /* webhook-timestamp; also what an HTTP date in Retry-After is measured from */
    const char *thread_ref; /* what the receiver calls the alert's message on top; NULL = none */
    int64_t created_us;     /* when the message was made; the same on every attempt */
    const char *settled;    /* what an earlier attempt said so; NULL = none did */
};

/* Whether a delivery could be tried: the secrets can be read and the URL is fit. Nothing is sent,
 * no name looked up. The errors name what is wrong, and hold no secret. */
bool deliver_check(const struct destination *destination, struct arena *arena, struct err *err);

/* Whether a message would get there, as far as that shows without sending one: deliver_check, then
 * a connection, TLS included, within timeout_ms. *ret_why: what a delivery would say; NULL: it
 * would get to ask. ERR_USAGE and the other kinds of deliver_check, ERR_LIMIT, ERR_BUG. */
bool deliver_reach(const struct destination *destination, int64_t timeout_ms, struct arena *arena,
                   const char **ret_why, struct err *err);

/* Sends once. false only for troubles of this machine (ERR_LIMIT memory, ERR_FULL descriptors,
 * ERR_BUG a broken library); then ret_delivery->class alone is filled: DELIVERY_RETRY where surely
 * nothing was sent, else DELIVERY_AMBIGUOUS. What configuration, network or receiver said is in
 * *ret_delivery. */
bool deliver(const struct destination *destination, const struct delivery_request *request,
             struct arena *arena, struct delivery *ret_delivery, struct err *err);

#endif
