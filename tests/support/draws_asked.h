/* What the environment asks of a measurement by random draws: how many, of which seed, which rows.
 */
#ifndef TESTS_SUPPORT_DRAWS_ASKED_H
#define TESTS_SUPPORT_DRAWS_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct draws_asked {
    size_t count;        /* DRAWS */
    uint64_t first_seed; /* of SEED; 0 where it says nothing */
    const char *only;    /* part of the names of rows; NULL: all */
};

/* rows: the variable that asks for rows; NULL: there is none. */
struct draws_asked draws_asked(size_t default_count, const char *rows);

/* Whether a row is asked for. */
bool draws_are_of(const struct draws_asked *asked, const char *row);

#endif
