/* The Retry-After header (RFC 9110 §10.2.3): how long a receiver asks us to stay away. */
#ifndef OPS_NET_RETRY_AFTER_H
#define OPS_NET_RETRY_AFTER_H

#include <stdint.h>

/* Milliseconds from now_us (wall clock): seconds, also with a fraction as some services send, or an
 * HTTP date. A date that is past is 0, more than a day counts as a day. -1 when the text is
 * neither. */
int64_t retry_after_ms(const char *text, int64_t now_us);

#endif
