/* One guarded SMTP exchange (RFC 5321): one letter, handed over once.
 *
 * TLS is required (smtps, or STARTTLS before anything is said) unless the policy allows plain text;
 * a login goes out over TLS alone. The address is decided as for HTTP (ops/net/guard.h). Recipients
 * that are refused do not keep the letter from the others. What a reply means for a message is not
 * decided here, and nothing is tried twice.
 */
#ifndef OPS_NET_SMTP_SMTP_H
#define OPS_NET_SMTP_SMTP_H

#include "ops/net/http.h"

enum { SMTP_RECIPIENTS_MAX = 50 };

/* Who a letter is from and for: addresses without names. */
struct smtp_envelope {
    const char *from;
    const char *to[SMTP_RECIPIENTS_MAX];
    size_t to_count;
};

struct smtp_exchange {
    const char *url;             /* of smtp_place; never shown */
    const char *our_name;        /* that it holds */
    bool plain;                  /* no TLS is asked for: only to addresses that are listed */
    const char *user, *password; /* NULL = no login */
    const struct smtp_envelope *envelope;
    const char *letter;
    size_t length;
};

struct smtp_reply {
    enum http_outcome outcome; /* answered: the server decided about the letter */
    int code;                  /* the reply that decides; 0 unless answered */
    char detail[16];           /* its enhanced code, "5.1.1" (RFC 3463); "" when there is none */
    bool at_greeting;          /* our name is what it refuses */
    int recipient_codes[SMTP_RECIPIENTS_MAX]; /* of a letter that it took, in their order */
    size_t recipient_count;
    const char *why; /* one redacted sentence; NULL when answered */
};

/* Performs the exchange. false only for errors of ours (ERR_BUG libcurl) before anything
 * was sent; all else is in *ret_reply. */
bool smtp_perform(const struct http_policy *policy, const struct smtp_exchange *exchange,
                  struct arena *arena, struct smtp_reply *ret_reply, struct err *err);

/* Of the replies to the recipients of a letter that the server took for none, the one that
 * decides: codes[count], count > 0, in their order. One that may go better later is reason enough
 * to come again. */
int smtp_reply_decisive(const int *codes, size_t count);

/* Whether a mail server can be greeted by the name (EHLO, RFC 5321 §4.1.1.1): relays refuse what is
 * no full domain name (ledger.example.com), nor [192.0.2.7], nor [IPv6:2001:db8::7]. */
bool smtp_name_fits(const char *name);

/* The URL of the mail server with our name as its path, where libcurl looks for it: the configured
 * one (NULL = none), else that of the URL itself, else this machine's full name, else the address
 * from which it reaches the server, in brackets. Asks the resolver; sends nothing else. ERR_USAGE:
 * it is no URL. */
bool smtp_place(const char *configured, const char *url, struct arena *arena, const char **ret_url,
                const char **ret_name, struct err *err);

#endif
