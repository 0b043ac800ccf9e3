/* What a mail server's reply means for the message (RFC 5321 §4.2, RFC 4954 §6).
 * Pure tables.
 *
 * A server that takes the letter for some of the recipients has taken it: to send it to them again
 * would repeat it, so those whom it puts off are tried again alone. When it takes it for none, one
 * recipient that may go better later is reason enough to come again.
 */
#ifndef ALERTS_MAIL_MAIL_REPLY_H
#define ALERTS_MAIL_MAIL_REPLY_H

#include "alerts/deliver.h"
#include "alerts/mail/mail_letter.h"
#include "ops/net/http.h"

struct mail_reply {
    enum http_outcome outcome; /* answered: the server decided about the letter */
    int code;                  /* the reply that decides; 0 unless answered */
    char detail[16];           /* its enhanced code, "5.1.1" (RFC 3463); "" when there is none */
    bool at_greeting;          /* our name is what it refuses */
    int recipient_codes[MAIL_RECIPIENTS_MAX]; /* of a letter that it took, in their order */
    size_t recipient_count;
    const char *why; /* one redacted sentence; NULL when answered */
};

struct mail_meaning {
    enum delivery_class class;
    enum delivery_refusal refusal; /* of a permanent failure */
    bool pause;                    /* the server asks for time, not only for this message */
    const char *why;               /* constant text for people; NULL when done */
};

/* How many recipients of a letter that the server took it has put off (4xx), or refused (5xx). */
size_t mail_reply_deferred(const struct mail_reply *reply);
size_t mail_reply_refused(const struct mail_reply *reply);

/* What came of an exchange that went as *reply says. */
struct mail_meaning mail_reply_meaning(const struct mail_reply *reply);

/* Of the replies to the recipients of a letter that the server took for none, the one that
 * decides: codes[count], count > 0, in their order. */
int mail_reply_decisive(const int *codes, size_t count);

#endif
