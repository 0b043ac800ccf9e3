/* What a file's path says: the job that it belongs to, the session, the rank of its process.
 *
 * JAX writes `<job>/plugins/profile/<time>/<host>.xplane.pb`; launchers that give each process a
 * folder of its own put `process_<rank>` between. PyTorch's handler for TensorBoard writes
 * `<worker>.<time>.pt.trace.json`, the worker being `<machine>_<pid>` unless it was given a name.
 * Who copies files elsewhere loses all of it, so the path is never the only thing that tells which
 * files belong together (ingest/source/join.h).
 */
#ifndef INGEST_SOURCE_PLACE_H
#define INGEST_SOURCE_PLACE_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/optional.h"

#include <stdint.h>

struct file_place {
    const char *job;        /* the directory that holds plugins/profile or process_N; NULL: the file
                               lies loose */
    const char *folder;     /* that the file lies in */
    const char *host;       /* the file's name without its ending */
    const char *run;        /* what all is of one run: the job, else in the folder of PyTorch's
                               handler the worker's process, or, where it was named, the folder;
                               NULL: nothing tells */
    const char *machine;    /* of a worker's name; NULL */
    struct opt_i64 rank;    /* in the middle of a name, as in `report_rank1.sqlite` … */
    const char *unranked;   /* … which is that of other ranks, too, but for the number */
    int64_t session_s;      /* the time that the session's folder is named after; -1 */
    struct opt_i64 process; /* rank: of a folder process_N or rank_N, where it holds XPlane files
                               of no other host, or of the file's name */
};

/* path may be relative; links are not followed. All results lie in the arena. */
struct file_place file_place_of(const char *path, struct arena *arena);

/* The directory that place->run is told by: it may come again for another job. */
const char *file_place_run_folder(const struct file_place *place);

/* Whether nothing but the folder tells what else the file belongs to: neither job nor session. */
bool file_place_is_loose(const struct file_place *place);

/* Whether a trace is of the host whose XPlane file lies at the other place, or of the job's only
 * host, where both lie in one job. */
bool file_place_is_trace_of(const struct file_place *trace, const struct file_place *xplane);

#endif
