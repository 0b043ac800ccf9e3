/* Which traces in Chrome's JSON are read of those that lie in a directory.
 *
 * Profilers write them beside XPlane files, which hold more, and JAX writes one of them twice. By
 * their places alone; nothing is opened.
 */
#ifndef INGEST_TRACES_H
#define INGEST_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes of a path up to the slash before its last name. */
static inline size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path);
}

static inline bool same_folder(const char *a, const char *b)
{
    size_t length = folder_length(a);
    return length == folder_length(b) && memcmp(a, b, length) == 0;
}

/* Whether the path lies in the folder of one of the files, above or below it. */
bool paths_near(const char *const *files, size_t count, const char *path);

/* Tells of traces[count], by path, which are read: none near an XPlane file; else of each folder
 * that of the whole job, or of several hosts each host's once. */
void traces_choose(const char *const *traces, size_t count, const char *const *xplanes,
                   size_t xplane_count, bool *ret_chosen);

#endif
