/* Which traces in Chrome's JSON are read of those that lie in a directory.
 *
 * Profilers write them beside XPlane files, which hold more, and JAX writes one of them twice. By
 * their places alone; nothing is opened. What lies by another capture is one of its own.
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

/* Tells of traces[count], by folder and name, which are read: none that an XPlane file tells as
 * well (of its host; of the whole job, where it is the job's), no export in the directory of a job
 * that has XPlane files; of what is left of each folder that of the whole job, or of several hosts
 * each host's once, and all exports. */
void traces_choose(const char *const *traces, size_t count, const char *const *xplanes,
                   size_t xplane_count, bool *ret_chosen);

#endif
