/* How long ago, for people. */
#ifndef OPS_CLI_AGE_H
#define OPS_CLI_AGE_H

#include <stdint.h>

enum { AGE_BYTES = 32 };

/* "3.2 s", "14.0 min", "5.1 h", "2.0 days"; buffer holds AGE_BYTES. Returns buffer. */
const char *age_text(int64_t ms, char buffer[AGE_BYTES]);

#endif
