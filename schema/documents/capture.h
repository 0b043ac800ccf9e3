/* Which files are one profile, and what they say of the hosts that they are of. */
#ifndef SCHEMA_DOCUMENTS_CAPTURE_H
#define SCHEMA_DOCUMENTS_CAPTURE_H

#include "schema/documents/optional.h"

/* One input file of the profile. */
struct source_file {
    const char *path, *host, *sha256;
    int64_t size_bytes;
};

/* One host's part of a capture: what tells which files belong together. */
struct capture_host {
    const char *host, *sha256; /* as in sources; host NULL: the file does not say */
    struct opt_i64 process,
        process_count;               /* rank in the job, and how many the file says there are */
    struct opt_i64 begin_ns, end_ns; /* since 1970; absent: its clock does not tell */
    int64_t base_ns;                 /* the time on its clock that its picoseconds count from */
    struct string_list chips;  /* numbers of its chips in the job; empty: the file does not say */
    struct string_list groups; /* of processes that it is in: their ranks in the job, "0,1,2,3";
                                  empty: the file does not say */
};

struct capture {
    const char *key;            /* --capture; NULL = not given */
    struct capture_host *hosts; /* by process, then host, then hash, whatever order they came in */
    size_t host_count;
    struct opt_i64 expected_count; /* hosts of the job, as far as anything says */
    struct string_list missing;    /* those that are not here: "process 1" */
    struct string_list notes;      /* why these hosts are one capture, and what is missing */
};

/* What the parts of a capture are, "host" or "process": several of these may be of one machine. */
const char *capture_host_kind(const struct capture *capture);

#endif
