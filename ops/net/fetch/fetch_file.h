/* One file of a download (ops/net/fetch/fetch_folder.h): the part file, its lock, its digest, and
 * the attempts until it is whole. */
#ifndef OPS_NET_FETCH_FETCH_FILE_H
#define OPS_NET_FETCH_FETCH_FILE_H

#include "ops/net/fetch/fetch_folder.h"

#include <stdatomic.h>

/* What the threads of one download share. */
struct fetch_job {
    const struct fetch_source *source;
    int root_fd;
    struct pace_gate gate;
    _Atomic int64_t bytes_done;  /* in part files and whole ones */
    _Atomic int64_t bytes_moved; /* over the network */
    _Atomic size_t files_kept, files_resumed;
    _Atomic size_t next;
    _Atomic bool stop; /* another thread failed */
};

/* Makes item number index whole under its own name. Errors as fetch_all; when `stop` was set
 * meanwhile, ERR_CONFLICT. */
bool fetch_file(struct fetch_job *job, size_t index, struct err *err);

#endif
