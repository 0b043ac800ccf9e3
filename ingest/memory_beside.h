/* Which captures the device memory profiles of a directory are of: by their places alone.
 */
#ifndef INGEST_MEMORY_BESIDE_H
#define INGEST_MEMORY_BESIDE_H

#include "ingest/ingest.h"

/* Without captures each is a profile by itself. */
bool memory_alone(const char **paths, size_t count, struct arena *arena,
                  struct profile_list *ret_profiles, struct err *err);

/* Adds each to the capture whose folder is next to its own, of several to the last. */
bool memory_assign(const char **paths, size_t count, struct arena *arena,
                   struct profile_list *profiles, struct err *err);

#endif
