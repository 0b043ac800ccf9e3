/* One upload to a signed URL: the headers that the signature covers, exactly;
 * no credential. */
#ifndef OPS_NET_WANDB_WANDB_UPLOAD_H
#define OPS_NET_WANDB_WANDB_UPLOAD_H

#include "ops/net/wandb/wandb_client.h"

struct wandb_upload {
    const char *name; /* for messages */
    const char *bytes;
    size_t length;
};

/* PUTs the bytes to node's uploadUrl with its uploadHeaders. *ret_refused: the URL has expired or
 * was used before; ask for a new one. ERR_UNAVAILABLE after all retries; ERR_INPUT: refused for
 * good; ERR_LIMIT: too large for that store. */
bool wandb_upload_put(const struct wandb_client *client, struct pace_gate *gate,
                      const struct json_t *node, const struct wandb_upload *upload,
                      bool *ret_refused, struct err *err);

#endif
