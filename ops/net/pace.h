/* When a call that is waited for is tried again, and after how long: W&B and storage behind it.
 *
 * Deliveries are another matter: their attempts live in a row (alerts/classify.h). Here a command
 * holds the line, so that attempts, waits and the whole are bounded.
 */
#ifndef OPS_NET_PACE_H
#define OPS_NET_PACE_H

#include "ops/net/http.h"
#include "ops/runtime/retry.h"

#include <stdatomic.h>

/* Kinds of traffic differ in the statuses that are worth another attempt. */
enum pace_traffic { PACE_GRAPHQL, PACE_UPSERT, PACE_FILE };

/* Shared by all who talk to one host: nobody asks before this time of clock_monotonic_ms. */
struct pace_gate {
    _Atomic int64_t until_ms;
    _Atomic int64_t unmet_ms; /* of clock_monotonic_ms: a time that the host asked for and that was
                                 given up instead of waited for; 0 = none */
};

struct pace {
    const struct retry_policy *policy;
    struct pace_gate *gate;
    enum pace_traffic traffic;
    const _Atomic bool *stop; /* ends every wait when it turns true; NULL = nothing does */
    int attempt;              /* attempts that failed */
    int64_t started_ms;       /* of the first */
};

/* Begins; nothing is waited for. The caller may set `stop`. */
struct pace pace_of(const struct retry_policy *policy, struct pace_gate *gate,
                    enum pace_traffic traffic);

/* true when the exchange may go better another time. An answer that was cut is. */
bool pace_worth(enum pace_traffic traffic, const struct http_reply *reply);

/* Waits until the gate is open, or `stop`. */
void pace_enter(const struct pace *pace);

/* After a failure that is worth it: closes the gate for as long as the host asked, and sleeps a
 * backoff. false, without a wait, when an attempt, the time or the host's patience is used up;
 * *ret_why is then constant text that goes behind what happened. */
bool pace_again(struct pace *pace, const struct http_reply *reply, const char **ret_why);

/* The quota that an answer tells (RateLimit-Remaining, RateLimit-Reset; "" = not said): with
 * nothing left the gate closes until the reset. */
void pace_quota(struct pace_gate *gate, const char *remaining, const char *reset);

/* The Retry-After header (RFC 9110 §10.2.3), in milliseconds from now_us (wall clock): seconds,
 * also with a fraction as some services send, or an HTTP date. A date that is past is 0, more than
 * a day counts as a day. -1 when the text is neither. */
int64_t retry_after_ms(const char *text, int64_t now_us);

/* What the clock of who answered shows (its header Date), or wall_us, ours, where it does not say:
 * the times that it names are meant by its clock, and one of the two may be wrong. */
int64_t reply_wall_us(const struct http_reply *reply, int64_t wall_us);

#endif
