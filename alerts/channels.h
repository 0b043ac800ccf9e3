/* Channels: the kinds of receiver that we can talk to.
 *
 * To add one: a file in the room of its subject with a `const struct channel channel_KIND`, and
 * KIND in CHANNELS here. Configuration, help, outbox, retries and address policy are the same for
 * all.
 */
#ifndef ALERTS_CHANNELS_H
#define ALERTS_CHANNELS_H

#include "alerts/deliver.h"
#include "alerts/message.h"
#include "alerts/sending.h"
#include "ops/net/secret.h"

#include <stddef.h>

/* How long a record is tried: it is as good a week later. */
#define RECORD_LIFETIME_MS (INT64_C(7) * 24 * 3600 * 1000)

/* Keys of the configuration that a kind cannot do without. */
enum channel_need {
    NEEDS_URL = 1,
    NEEDS_SECRET = 2,
    NEEDS_CHANNEL = 4,
    NEEDS_REPOSITORY = 8,
    NEEDS_ADDRESSES = 16
};

struct channel {
    const char *kind; /* as the configuration says it */
    unsigned needs;   /* of enum channel_need */
    const char *default_url;
    const char *const *hosts; /* where the service lives; another host must be in allow_addresses */
    size_t host_count;
    int64_t min_interval_ms; /* between messages, as the service wishes it */
    bool shows_state;        /* holds the present state of something: a pass is news too, and a
                                waiting message is void once there is a newer one */
    bool by_commit;          /* that something is a commit, not the alert */
    bool at_request;         /* its place is a pull or merge request */
    bool keeps_record; /* takes every judgement with the candidate's profiles, in order, whatever
                          people want to hear, and reports that are sent there, with their pages */
    bool is_mail;      /* its URL is smtps or smtp */

    /* Whether this kind has a place for the message; NULL = always. */
    bool (*takes)(const struct notice *notice, const struct destination *to);

    /* The message; deterministic. ERR_LIMIT. */
    bool (*body_build)(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err);

    /* What shows to be wrong before anything is sent, as `send` would say it (ERR_USAGE,
     * ERR_LIMIT); NULL = nothing beyond the URL. */
    bool (*check)(const struct sending *sending, struct err *err);

    /* The URL to which `send` connects; NULL = the destination's own. ERR_LIMIT. */
    bool (*place)(const struct sending *sending, const char **ret_url, struct err *err);

    /* Delivers sending->request and fills sending->delivery. The errors are those of deliver():
     * ERR_USAGE also when the secret is not of the form that this kind needs. Nothing that it says
     * holds a secret. */
    bool (*send)(struct sending *sending, struct err *err);
};

#define CHANNELS(X) \
    X(webhook) \
    X(slack) \
    X(slack_api) \
    X(discord) \
    X(teams) \
    X(google_chat) \
    X(mattermost) \
    X(mail) \
    X(github_status) \
    X(github_check) \
    X(github_comment) \
    X(gitlab_status) \
    X(gitlab_note) \
    X(wandb)

#define CHANNEL_DECLARE(name) extern const struct channel channel_##name;
CHANNELS(CHANNEL_DECLARE)
#undef CHANNEL_DECLARE

/* ERR_USAGE with the nearest kind when there is none of that name. */
bool channel_find(const char *kind, const struct channel **ret_channel, struct err *err);

#endif
