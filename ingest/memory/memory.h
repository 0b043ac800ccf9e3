/* Device memory profiles, as `jax.profiler.save_device_memory_profile` writes them: a pprof profile
 * of what is in use on the devices at one moment, by the stack that allocated it.
 *
 * Such a file has no times. As a format it opens as a space without planes; what it tells is
 * summary.memory.
 */
#ifndef INGEST_MEMORY_MEMORY_H
#define INGEST_MEMORY_MEMORY_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/xplane/xplane.h"

/* Opens the file and no plane. */
space_open_fn memory_open;

/* Adds what one file tells to rows of the table `allocations`: an allocation belongs to the
 * innermost frame of its stack that is none of an installed package, a negative size is unknown.
 * ERR_INPUT: no pprof profile, not one of device memory, broken or cut off; ERR_LIMIT. */
bool memory_profile_read(const char *path, struct grouped_rows *rows, struct err *err);

/* The same of a summary's member. */
bool memory_rows_add(const struct memory_summary *memory, struct grouped_rows *rows,
                     struct err *err);

/* A summary's member out of such rows, without its sources; in the rows' arena. */
bool memory_summary_of(struct grouped_rows *rows, struct memory_summary *ret_memory,
                       struct err *err);

/* Fills summary->memory from files[count]: devices of several processes are added up; of files that
 * tell of the same devices the one with most in use counts, and a warning of coverage names the
 * others, and those that cannot be read unless `strict`. A summary that has the member already, or
 * count 0, stays as it is. */
struct memory_files {
    const char *const *paths;
    size_t count;
    bool strict; /* a file that cannot be read fails */
};
bool memory_take(const struct memory_files *files, struct arena *arena, struct summary *summary,
                 struct err *err);

#endif
