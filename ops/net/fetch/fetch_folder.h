/* Downloads: the files of one remote directory into a local one, checked, resumed, a few at a time.
 *
 * A source (struct fetch_source) says which files there are and where their bytes are; this part
 * is the same for all: bounds before the first byte, paths that cannot leave the folder, bytes to a
 * part file that a later call goes on with, MD5 where the source tells it, a rename at the end. So
 * a file under its own name is whole. Redirects are followed by hand, at most three, without the
 * credential when the host changes.
 */
#ifndef OPS_NET_FETCH_FETCH_FOLDER_H
#define OPS_NET_FETCH_FETCH_FOLDER_H

#include "ops/net/pace.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/digest.h"

enum { FETCH_FILES_MAX = 10000, FETCH_CONNECTIONS_MAX = 16, FETCH_PLACE_HEADERS = 2 };
#define FETCH_FILE_MAX_BYTES (INT64_C(64) << 30)
#define FETCH_TOTAL_MAX_BYTES (INT64_C(256) << 30)

struct fetch_item {
    const char *path;   /* below the folder, as the source tells it; checked before use */
    int64_t size_bytes; /* -1 = not told */
    bool has_md5;
    uint8_t md5[MD5_BYTES];
};

/* Where the bytes of an item are now. */
struct fetch_place {
    const char *url; /* may be a secret: never shown */
    struct http_credential credential;
    char *headers[FETCH_PLACE_HEADERS]; /* "Name: value", NULL = none; they go where the
                                           credential goes */
};

struct fetch_source {
    const char *name; /* for messages: "artifact acme/p/profiler:v3" */
    const struct fetch_item *items;
    size_t count;
    const struct http_policy *policy;
    const struct retry_policy *retry;
    int64_t stall_s;     /* a transfer slower than 1 kB/s for so long is broken off */
    int64_t connections; /* at most, 1 to 16 */
    /* Fills *ret_place for an item. is_refused: the place told last did not accept the request; a
     * new one is wanted. Called from several threads, each with an arena of its own. */
    bool (*locate)(void *context, size_t item, bool is_refused, struct arena *arena,
                   struct fetch_place *ret_place, struct err *err);
    void *context;
};

struct fetch_target {
    const char *folder; /* made when it is not there */
    /* Called now and then from the calling thread; may be NULL. */
    void (*progress)(void *context, int64_t bytes_done, int64_t bytes_total);
    void *progress_context;
};

struct fetch_report {
    int64_t bytes_total; /* of all files */
    int64_t bytes_moved; /* over the network in this call */
    size_t files_kept;   /* were whole already */
    size_t files_resumed;
};

/* Fetches all items. ERR_INPUT: a path that leaves the folder, bytes that do not match their digest
 * or size; ERR_LIMIT: more than 10000 files, 64 GiB in one or 256 GiB in all; ERR_MISSING: listed
 * but not stored; ERR_UNAVAILABLE: not reached after all retries; ERR_FULL. After a failure what
 * was fetched stays, and a later call goes on from there. */
bool fetch_all(const struct fetch_source *source, const struct fetch_target *target,
               struct fetch_report *ret_report, struct err *err);

#endif
