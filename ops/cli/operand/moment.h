/* Times that people write. */
#ifndef OPS_CLI_OPERAND_MOMENT_H
#define OPS_CLI_OPERAND_MOMENT_H

#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A date, or a date and a time as ISO 8601 has them: "2026-11-30", "2026-11-30T08:00",
 * "2026-11-30 08:00:00.123456Z", "2026-11-30T08:00+01:00"; without a zone in UTC. Microseconds
 * since 1970. false: it is none of them. */
bool moment_read(const char *text, int64_t *ret_wall_us);

/* The same, or how long ago: "90m", "24h", "7d", "4w". option is for the message. ERR_USAGE. */
bool moment_read_past(const char *text, const char *option, int64_t *ret_wall_us, struct err *err);

#endif
