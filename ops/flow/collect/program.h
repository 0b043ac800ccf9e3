/* Other programs, run for what they say: git, python3. */
#ifndef OPS_FLOW_COLLECT_PROGRAM_H
#define OPS_FLOW_COLLECT_PROGRAM_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program_output {
    const char *text; /* what it wrote to stdout, NUL-terminated, in the arena */
    size_t length;
    int exit_code; /* of the program; 128 + n when signal n ended it */
};

/* What a program is given; beyond it, it is killed, and what it started with it. */
struct program_limits {
    size_t bytes; /* that it says */
    int64_t ms;   /* until it has ended */
};

/* Runs argv (ended by NULL, the program found by PATH) without input and with its stderr thrown
 * away, and waits for its end. ERR_MISSING: there is no such program. ERR_INPUT: it says more than
 * the limits allow. ERR_UNAVAILABLE: it takes longer. */
bool program_run(const char *const *argv, const struct program_limits *limits, struct arena *arena,
                 struct program_output *ret_output, struct err *err);

enum { GIT_WORDS_MAX = 8 };

/* What git says of a folder to words (ended by NULL, GIT_WORDS_MAX at most), without blanks around
 * it; NULL when it refuses. A folder is not trusted because it lies here: nothing runs that its own
 * configuration names (code_origin.c asks for filters, which `status` would run), and nothing is
 * fetched. ERR_MISSING: there is no git. ERR_INPUT, ERR_UNAVAILABLE: as program_run's. */
bool git_ask(const char *folder, const char *const *words, struct arena *arena,
             const char **ret_text, struct err *err);

#endif
