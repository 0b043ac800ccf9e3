/* What W&B's refusals say, for people: the text of an answer in each of its forms, without
 * secrets, with the place that the call was about. */
#ifndef OPS_NET_WANDB_WANDB_FAILURE_H
#define OPS_NET_WANDB_WANDB_FAILURE_H

#include "ops/net/wandb/wandb_client.h"
#include "ops/runtime/text.h"

/* Fills *err for an exchange that did not go well, or whose whole answer with 2xx is no GraphQL;
 * body is the answer's; why is what pace_again said, NULL when it was not asked. Returns false. */
bool wandb_failure(const struct wandb_client *client, const char *call,
                   const struct http_reply *reply, const struct text *body, const char *why,
                   struct err *err);

/* Fills *err for an answer with status 200 whose `errors` is not empty. Returns false. */
bool wandb_refusal(const struct wandb_client *client, const char *call, const json_t *errors,
                   struct err *err);

/* Appends "W&B at URL (from SOURCE), entity …, project …, key from …". */
void wandb_place_add(struct text *out, const struct wandb_client *client);

#endif
