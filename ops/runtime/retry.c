/* Implements the backoff formula and its randomness. */
#include "ops/runtime/retry.h"

#include <sys/random.h>

int64_t retry_delay_ms(const struct retry_policy *policy, int attempt, double unit_random)
{
    int64_t ceiling = policy->base_ms;
    for (int i = 0; i < attempt && ceiling < policy->cap_ms; i++)
        ceiling *= 2;
    if (ceiling > policy->cap_ms)
        ceiling = policy->cap_ms;
    return (int64_t)((double)ceiling * unit_random);
}

double retry_random(void)
{
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return 0.5; /* jitter is a courtesy: without randomness wait the middle */
    return (double)(bits >> 11) * 0x1p-53;
}
