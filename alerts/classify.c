/* The tables: one over statuses, first match wins, one over outcomes without an answer. */
#include "alerts/classify.h"

#include <limits.h>
#include <stddef.h>

static const struct {
    int from, to;
    enum delivery_class class;
    const char *why;
    enum delivery_refusal refusal;
} statuses[] = {
    {200, 299, DELIVERY_DONE, NULL, REFUSAL_NONE},
    {300, 399, DELIVERY_PERMANENT, "redirects are not followed; configure the final URL",
     REFUSAL_DESTINATION},
    {401, 401, DELIVERY_PERMANENT, "the receiver does not accept our credential or signature",
     REFUSAL_DESTINATION},
    {403, 403, DELIVERY_PERMANENT, "the receiver does not permit this", REFUSAL_DESTINATION},
    {404, 404, DELIVERY_PERMANENT, "the receiver knows no such address", REFUSAL_DESTINATION},
    {408, 408, DELIVERY_RETRY, "the receiver did not get the request in time", REFUSAL_NONE},
    {410, 410, DELIVERY_PERMANENT, "the receiver is gone for good", REFUSAL_FOR_GOOD},
    {413, 413, DELIVERY_PERMANENT, "the receiver finds the message too large", REFUSAL_NONE},
    {425, 425, DELIVERY_RETRY, "the receiver asks to come again", REFUSAL_NONE},
    {429, 429, DELIVERY_RETRY, "the receiver asks to slow down", REFUSAL_NONE},
    {400, 499, DELIVERY_PERMANENT, "the receiver rejects the message", REFUSAL_NONE},
    {501, 501, DELIVERY_PERMANENT, "the receiver does not take such requests", REFUSAL_DESTINATION},
    {503, 503, DELIVERY_RETRY, "the receiver is not available", REFUSAL_NONE},
    {500, 599, DELIVERY_AMBIGUOUS, "the receiver failed, perhaps after taking the message",
     REFUSAL_NONE},
    {INT_MIN, INT_MAX, DELIVERY_AMBIGUOUS, "this is no HTTP status", REFUSAL_NONE},
};

static const struct {
    enum delivery_class class;
    const char *why;
} outcomes[] = {
    [HTTP_LOST] = {DELIVERY_AMBIGUOUS, "the receiver may have taken the message"},
    [HTTP_NOT_SENT] = {DELIVERY_RETRY, "nothing was sent"},
    [HTTP_FORBIDDEN] = {DELIVERY_PERMANENT, "nothing was sent"},
    [HTTP_UNFIT] = {DELIVERY_PERMANENT, "nothing was sent"},
};

static size_t status_row(int status)
{
    size_t row = 0;
    while (status < statuses[row].from || status > statuses[row].to)
        row++; /* ends: the last row takes every status */
    return row;
}

enum delivery_class reply_classify(const struct http_reply *reply, const char **ret_why)
{
    if (reply->outcome != HTTP_ANSWERED) {
        *ret_why = outcomes[reply->outcome].why;
        return outcomes[reply->outcome].class;
    }
    size_t row = status_row(reply->status);
    *ret_why = statuses[row].why;
    return statuses[row].class;
}

enum delivery_refusal reply_refusal(const struct http_reply *reply)
{
    return reply->outcome == HTTP_ANSWERED ? statuses[status_row(reply->status)].refusal
                                           : REFUSAL_DESTINATION;
}
