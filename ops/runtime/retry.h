/* Retries: one policy struct for everything that tries again.
 *
 * Full jitter: wait = uniform(0, min(cap, base * 2^attempt)), never below a floor that the peer
 * asked for. Attempts live in the row of the work, not here, so a restart does not forget them.
 */
#ifndef OPS_RUNTIME_RETRY_H
#define OPS_RUNTIME_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct retry_policy {
    int64_t base_ms;
    int64_t cap_ms;
    int64_t max_attempts;
    int64_t deadline_ms; /* from the first attempt; 0 = none */
};

/* Milliseconds to wait before attempt number `attempt` (1 = the first retry); unit_random in [0,
 * 1). */
int64_t retry_delay_ms(const struct retry_policy *policy, int attempt, double unit_random);

/* A number in [0, 1) from the system's generator, for jitter. */
double retry_random(void);

#endif
