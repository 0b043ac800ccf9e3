/* The rule of join.h on two files. For the files of this room only. */
#ifndef INGEST_SOURCE_JOIN_PAIR_H
#define INGEST_SOURCE_JOIN_PAIR_H

#include "ingest/source/join.h"

/* Why two files do not belong together. */
enum misfit {
    FITS,
    MISFIT_MEMORY,
    MISFIT_ONE_HOST,
    MISFIT_AT_ONCE,
    MISFIT_HOSTS_NOT_SAID,
    MISFIT_FORMS,
    MISFIT_STEPS,
    MISFIT_RUNS,
    MISFIT_KEYS,
    MISFIT_COUNTS,
    MISFIT_TIMES,
    MISFIT_CHIPS,
    MISFIT_NO_TIMES
};

/* Whether two files belong together as far as they tell, else the first reason why not. */
enum misfit join_misfit(const struct join_file *a, const struct join_file *b);

/* The same in words, a clause about both; for files that do not fit. */
const char *join_misfit_words(const struct join_file *a, const struct join_file *b,
                              struct arena *arena);

/* Whether two files that do not fit lie so that somebody may have expected them to. */
bool join_is_noted(const struct join_file *a, const struct join_file *b);

/* Whether the names of two files are equal but for the rank in each. */
bool join_is_ranked_alike(const struct join_file *a, const struct join_file *b);

/* How many processes are in a group; 0: it does not name them all. */
size_t join_group_size(const char *group);

/* Whether the file, whose rank is not known, tells of that group. */
bool join_is_of_group(const struct join_file *file, const char *group);

/* What the host of a file is called: by the file, else by its name. */
const char *join_name_of(const struct join_file *file);

#endif
