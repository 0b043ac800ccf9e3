/* What an attempt means for the message: done, never again, or again later. Pure
 * tables. */
#ifndef ALERTS_CLASSIFY_H
#define ALERTS_CLASSIFY_H

#include "alerts/deliver.h"
#include "ops/net/http.h"

/* The class of an exchange that went as *reply says. *ret_why is constant text for people that goes
 * behind what happened, NULL when done. */
enum delivery_class reply_classify(const struct http_reply *reply, const char **ret_why);

/* What a permanent failure of this kind refuses. */
enum delivery_refusal reply_refusal(const struct http_reply *reply);

#endif
