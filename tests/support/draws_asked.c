#include "tests/support/draws_asked.h"

#include <stdlib.h>
#include <string.h>

/* Apart from each other by more than the draws of a measurement are. */
static const uint64_t seed_step = 1000000007;

struct draws_asked draws_asked(size_t default_count, const char *rows)
{
    const char *count = getenv("DRAWS"), *seed = getenv("SEED");
    return (struct draws_asked){
        .count = count == NULL ? default_count : (size_t)strtoul(count, NULL, 10),
        .first_seed = seed == NULL ? 0 : strtoull(seed, NULL, 10) * seed_step,
        .only = rows == NULL ? NULL : getenv(rows),
    };
}

bool draws_are_of(const struct draws_asked *asked, const char *row)
{
    return asked->only == NULL || strstr(row, asked->only) != NULL;
}
