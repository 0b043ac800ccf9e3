/* Destinations: the [destination NAME] sections of the configuration, read, checked and turned into
 * a policy.
 *
 *     [destination team-hook]
 *     kind = webhook                     # alerts/channels.h lists the kinds
 *     url = env:TEAM_HOOK_URL            # env:NAME, file:/PATH (mode 0600), credential:NAME (of
 *                                        # systemd), or the URL when it is no secret; left out: the
 *                                        # service's own address
 *     secret = file:/etc/stepledger/hook # signing key or token
 *     channel = C0123456789              # slack_api
 *     repository = acme/train            # github_*, gitlab_*; wandb: ENTITY/PROJECT
 *     issue = 7                          # *_comment, *_note; default: from the branch (pull/7)
 *     login = stepledger[bot]            # github_comment with an app's token
 *     context = stepledger               # *_status, *_check
 *     from = stepledger@example.com      # mail
 *     to = team@example.com, b@c.example # mail
 *     helo = ledger.example.com          # mail: our name; default: this machine's full name
 *     on_dead = ops-mail                 # is told of messages that are given up here
 *     on_ambiguity = retry               # or give_up: no message twice, rather one lost
 *     min_interval_ms = 1000             # between messages
 *
 * and the keys of the policy (ops/net/section.h).
 *
 * Secrets are not read here: a wrong reference shows when it is used.
 */
#ifndef ALERTS_DESTINATION_H
#define ALERTS_DESTINATION_H

#include "ops/net/http.h"
#include "ops/net/section.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"
#include "schema/documents/optional.h"

#include <stdbool.h>

/* The longest timeout_ms, for those who must wait longer than any delivery (a lease). */
enum { DESTINATION_TIMEOUT_MAX_MS = SECTION_TIMEOUT_MAX_MS };

struct destination {
    const char *name;
    const char *kind;
    const char *url_ref;    /* where the URL is kept (ops/net/secret.h), or a literal one */
    const char *secret_ref; /* where the secret is kept; NULL = none */
    const char *channel;    /* of Slack: its id */
    const char *repository; /* of a forge: "owner/name", of GitLab also a number */
    const char *issue;      /* of comments: number of the pull or merge request, or issue; NULL: the
                               candidate's branch says it (pull/7) */
    const char *login;      /* of comments: who we are; NULL: the service is asked */
    const char *context;    /* of statuses and checks: their name */
    const char *from, *to;  /* of mail: addresses, of `to` separated by commas */
    const char *helo;       /* of mail: the name by which we greet; NULL = found out */
    const char *on_dead;    /* destination that is told of messages given up here; NULL = none */
    bool gives_up_in_doubt; /* a message that may have arrived is not sent again */
    int64_t min_interval_ms; /* between two messages; -1: as its kind needs */
    struct http_policy policy;
};

/* The names of all sections, each once, in the order of the configuration. */
struct string_list destination_names(const struct conf *conf, struct arena *arena);

/* Fills *ret_destination from the configuration; later entries win over earlier ones. ERR_USAGE
 * when it is unknown, incomplete (a key that its kind needs) or has a bad entry: names file and
 * line, and what was probably meant. Values of url and secret are never quoted. */
bool destination_find(const struct conf *conf, const char *name, struct arena *arena,
                      struct destination *ret_destination, struct err *err);

/* The keys of its section, for those who explain them. */
struct section_keys destination_keys(void);

#endif
