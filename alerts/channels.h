/* Channels: the kinds of receiver that we can talk to.
 *
 * To add one: write alerts/KIND.c with a `const struct channel channel_KIND`, and add KIND to
 * CHANNELS here. Everything else (configuration, outbox, retries, address policy) is the same for
 * all.
 */
#ifndef ALERTS_CHANNELS_H
#define ALERTS_CHANNELS_H

#include "alerts/deliver.h"
#include "alerts/message.h"
#include "alerts/secret.h"

#include <stddef.h>

/* Headers of one attempt: "Name: value" each. */
struct channel_headers {
    const char *items[8];
    size_t count;
};

struct channel {
    const char *kind; /* as the configuration says it */

    /* The body of a message about a verdict; deterministic. verdict_id may be NULL. ERR_LIMIT. */
    bool (*body_build)(const struct verdict *verdict, const char *verdict_id, struct arena *arena,
                       struct message *ret_message, struct err *err);

    /* The headers of an attempt to deliver the request; secret is NULL when none is configured.
     * ERR_USAGE: the secret is not of the form that this kind needs. The result holds nothing from
     * which the secret can be had. */
    bool (*headers_make)(const struct delivery_request *request, const struct secret *secret,
                         struct arena *arena, struct channel_headers *ret_headers, struct err *err);
};

#define CHANNELS(X) X(webhook)

#define CHANNEL_DECLARE(name) extern const struct channel channel_##name;
CHANNELS(CHANNEL_DECLARE)
#undef CHANNEL_DECLARE

/* ERR_USAGE with the nearest kind when there is none of that name. */
bool channel_find(const char *kind, const struct channel **ret_channel, struct err *err);

#endif
