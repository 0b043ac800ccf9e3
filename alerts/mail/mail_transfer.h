/* One guarded SMTP exchange (RFC 5321): one letter, handed over once.
 *
 * TLS is required (smtps, or STARTTLS before anything is said) unless the policy allows plain text;
 * a login goes out over TLS alone. The address is decided as for HTTP (ops/net/guard.h). Recipients
 * that are refused do not keep the letter from the others. What a reply means is not decided here
 * (alerts/mail/mail_reply.h), and nothing is tried twice.
 */
#ifndef ALERTS_MAIL_MAIL_TRANSFER_H
#define ALERTS_MAIL_MAIL_TRANSFER_H

#include "alerts/mail/mail_letter.h"
#include "alerts/mail/mail_reply.h"
#include "ops/net/http.h"

struct mail_transfer {
    const char *url;             /* of mail_name_put; never shown */
    const char *our_name;        /* that it holds */
    bool plain;                  /* no TLS is asked for: only to addresses that are listed */
    const char *user, *password; /* NULL = no login */
    const struct mail_envelope *envelope;
    const char *letter;
    size_t length;
};

/* Performs the exchange. false only for errors of ours (ERR_LIMIT memory, ERR_BUG libcurl) before
 * anything was sent; all else is in *ret_reply. */
bool mail_perform(const struct http_policy *policy, const struct mail_transfer *transfer,
                  struct arena *arena, struct mail_reply *ret_reply, struct err *err);

#endif
