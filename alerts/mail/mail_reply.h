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
#include "ops/net/smtp/smtp.h"

struct mail_meaning {
    enum delivery_class class;
    enum delivery_refusal refusal; /* of a permanent failure */
    bool pause;                    /* the server asks for time, not only for this message */
    const char *why;               /* constant text for people; NULL when done */
};

/* How many recipients of a letter that the server took it has put off (4xx), or refused (5xx). */
size_t mail_reply_deferred(const struct smtp_reply *reply);
size_t mail_reply_refused(const struct smtp_reply *reply);

/* What came of an exchange that went as *reply says. */
struct mail_meaning mail_reply_meaning(const struct smtp_reply *reply);

#endif
