/* The table over reply codes, first match wins; exchanges without a reply are classified as those
 * of HTTP. */
#include "alerts/mail/mail_reply.h"
#include "alerts/classify.h"

#include <limits.h>

static const struct {
    int from, to;
    enum delivery_class class;
    enum delivery_refusal refusal;
    bool pause;
    const char *why;
} codes[] = {
    {200, 299, DELIVERY_DONE, REFUSAL_NONE, false, NULL},
    {421, 421, DELIVERY_RETRY, REFUSAL_NONE, true, "the mail server closes and asks to come again"},
    {450, 450, DELIVERY_RETRY, REFUSAL_NONE, false,
     "the mailbox is not available now, or mail is greylisted"},
    {451, 451, DELIVERY_RETRY, REFUSAL_NONE, false, "the mail server met a trouble of its own"},
    {452, 452, DELIVERY_RETRY, REFUSAL_NONE, false,
     "the mail server has no room, or takes fewer recipients"},
    {454, 454, DELIVERY_RETRY, REFUSAL_NONE, false, "the mail server cannot do TLS or logins now"},
    {400, 499, DELIVERY_RETRY, REFUSAL_NONE, false, "the mail server asks to come again"},
    {504, 504, DELIVERY_PERMANENT, REFUSAL_DESTINATION, false,
     "the mail server does not accept our name or a parameter; set helo to a full name"},
    {500, 503, DELIVERY_PERMANENT, REFUSAL_DESTINATION, false,
     "the mail server does not know such a command"},
    {530, 530, DELIVERY_PERMANENT, REFUSAL_DESTINATION, false,
     "the mail server wants a login; configure the secret"},
    {534, 535, DELIVERY_PERMANENT, REFUSAL_DESTINATION, false,
     "the mail server does not accept our login"},
    {538, 538, DELIVERY_PERMANENT, REFUSAL_DESTINATION, false,
     "the mail server does not accept our login"},
    {550, 550, DELIVERY_PERMANENT, REFUSAL_DESTINATION, false,
     "the mail server refuses the mailbox or our mail"},
    {551, 551, DELIVERY_PERMANENT, REFUSAL_DESTINATION, false,
     "the recipient is not at this mail server"},
    {552, 552, DELIVERY_PERMANENT, REFUSAL_NONE, false,
     "the mailbox is full or the message too large"},
    {553, 553, DELIVERY_PERMANENT, REFUSAL_DESTINATION, false,
     "the mail server does not allow such an address"},
    {554, 554, DELIVERY_PERMANENT, REFUSAL_NONE, false,
     "the mail server refuses us or the message"},
    {500, 599, DELIVERY_PERMANENT, REFUSAL_NONE, false, "the mail server rejects the message"},
    {INT_MIN, INT_MAX, DELIVERY_AMBIGUOUS, REFUSAL_NONE, false,
     "this is no reply of a mail server"},
};

struct mail_meaning mail_reply_meaning(const struct smtp_reply *reply)
{
    if (reply->outcome != HTTP_ANSWERED) {
        const struct http_reply silent = {.outcome = reply->outcome};
        struct mail_meaning meaning = {.refusal = reply_refusal(&silent)};
        meaning.class = reply_classify(&silent, &meaning.why);
        return meaning;
    }
    size_t row = 0;
    while (reply->code < codes[row].from || reply->code > codes[row].to)
        row++; /* ends: the last row takes every code */
    return (struct mail_meaning){codes[row].class, codes[row].refusal, codes[row].pause,
                                 codes[row].why};
}

static size_t recipients_count(const struct smtp_reply *reply, int from, int to)
{
    size_t count = 0;
    for (size_t i = 0; i < reply->recipient_count; i++)
        count += reply->recipient_codes[i] >= from && reply->recipient_codes[i] <= to;
    return count;
}

size_t mail_reply_deferred(const struct smtp_reply *reply)
{
    return recipients_count(reply, 400, 499);
}

size_t mail_reply_refused(const struct smtp_reply *reply)
{
    return recipients_count(reply, 500, 999);
}
