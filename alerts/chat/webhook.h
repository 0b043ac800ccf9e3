/* The generic webhook: a JSON body, signed as Standard Webhooks says. */
#ifndef ALERTS_CHAT_WEBHOOK_H
#define ALERTS_CHAT_WEBHOOK_H

#include "alerts/deliver.h"
#include "ops/net/secret.h"
#include "ops/runtime/err.h"

#include <stddef.h>
#include <stdint.h>

enum { WEBHOOK_SIGNATURE_BYTES = 48 }; /* "v1," and 44 characters of base64, with the NUL */

struct webhook_content {
    const char *message_id; /* without '.' */
    int64_t timestamp_s;
    const char *body;
    size_t body_length;
};

/* "v1,<base64 of HMAC-SHA-256 over id.timestamp.body>". ERR_USAGE when the secret is not whsec_ +
 * base64 of 24 to 64 bytes. */
bool webhook_sign(const struct secret *secret, const struct webhook_content *content,
                  char out[WEBHOOK_SIGNATURE_BYTES], struct err *err);

/* Headers of one attempt: "Name: value" each. */
struct webhook_headers {
    const char *items[8];
    size_t count;
};

/* The headers of an attempt to deliver the request; secret NULL = unsigned. ERR_USAGE as above. The
 * result holds nothing from which the secret can be had. */
bool webhook_headers_make(const struct delivery_request *request, const struct secret *secret,
                          struct arena *arena, struct webhook_headers *ret_headers,
                          struct err *err);

#endif
