/* The tables: one over statuses, first match wins, one over outcomes without an answer. */
#include "alerts/classify.h"

#include <limits.h>
#include <stddef.h>

static const struct {
    int from, to;
    enum delivery_class class;
    const char *why;
} statuses[] = {
    {200, 299, DELIVERY_DONE, NULL},
    {300, 399, DELIVERY_PERMANENT, "redirects are not followed; configure the final URL"},
    {401, 401, DELIVERY_PERMANENT, "the receiver does not accept our credential or signature"},
    {403, 403, DELIVERY_PERMANENT, "the receiver does not permit this"},
    {404, 404, DELIVERY_PERMANENT, "the receiver knows no such address"},
    {408, 408, DELIVERY_RETRY, "the receiver did not get the request in time"},
    {410, 410, DELIVERY_PERMANENT, "the receiver is gone for good"},
    {413, 413, DELIVERY_PERMANENT, "the receiver finds the message too large"},
    {425, 425, DELIVERY_RETRY, "the receiver asks to come again"},
    {429, 429, DELIVERY_RETRY, "the receiver asks to slow down"},
    {400, 499, DELIVERY_PERMANENT, "the receiver rejects the message"},
    {501, 501, DELIVERY_PERMANENT, "the receiver does not take such requests"},
    {503, 503, DELIVERY_RETRY, "the receiver is not available"},
    {500, 599, DELIVERY_AMBIGUOUS, "the receiver failed, perhaps after taking the message"},
    {INT_MIN, INT_MAX, DELIVERY_AMBIGUOUS, "this is no HTTP status"},
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

enum delivery_class reply_classify(const struct http_reply *reply, const char **ret_why)
{
    if (reply->outcome != HTTP_ANSWERED) {
        *ret_why = outcomes[reply->outcome].why;
        return outcomes[reply->outcome].class;
    }
    size_t row = 0;
    while (reply->status < statuses[row].from || reply->status > statuses[row].to)
        row++; /* ends: the last row takes every status */
    *ret_why = statuses[row].why;
    return statuses[row].class;
}
