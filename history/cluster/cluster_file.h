/* Configuration files of the data folder: read, mended, replaced; for the files of history/ only.
 *
 * They are written whole, but a disk that lost power may have kept the name and not the content. */
#ifndef HISTORY_CLUSTER_CLUSTER_FILE_H
#define HISTORY_CLUSTER_CLUSTER_FILE_H

#include "history/cluster/cluster_place.h"
#include "ops/runtime/text.h"

#include <stdbool.h>

enum { CLUSTER_FILE_BYTES_MAX = 1 << 20 };

/* The content of a file of the data folder up to its first NUL, which no such file has; "" when
 * there is none. */
bool cluster_file_read(const struct cluster_place *place, const char *name, struct arena *arena,
                       char **ret_text, struct err *err);

/* Replaces it, for its owner alone. What its owner links there is not followed: root would write
 * where the link leads. */
bool cluster_file_put(const struct cluster_place *place, const char *name, const struct text *text,
                      struct arena *arena, struct err *err);

/* Adds to `out` the old text and those of the wanted lines that it lacks. Its own lines stay; only
 * an end without a line break that begins one of ours goes. Returns whether there was a
 * difference. */
bool cluster_file_mend(const char *old, const struct text *wanted, struct text *out);

#endif
