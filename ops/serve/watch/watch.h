/* A folder that is watched: captures that appear in it become jobs.
 *
 * What lies in the folder itself is one capture per file; what lies below is found as `ingest`
 * finds it (a session directory is a capture, a file in it a host). A capture is taken when it is
 * whole: every file of it arrived by a rename, or has not changed for watch_settle_ms. inotify only
 * says when to look; the folder is searched every watch_poll_ms all the same, so nothing is missed
 * on a network file system or after an overflow. The same files are submitted once, also over
 * restarts: the queue knows them by path, size and time.
 */
#ifndef OPS_SERVE_WATCH_WATCH_H
#define OPS_SERVE_WATCH_WATCH_H

#include "ops/flow/submit/submit.h"

struct watch; /* opaque */

struct watch_setting {
    const char *folder;
    struct submission submission; /* db and dedupe_key are set by the watch */
};

/* ERR_MISSING, ERR_INPUT: no such folder. The setting must outlive the watch. */
bool watch_open(const struct watch_setting *setting, struct watch **ret_watch, struct err *err);
/* Accepts NULL. */
void watch_close(struct watch *watch);

/* Readable when something happened in the folder; -1 where inotify does not work. */
int watch_socket(const struct watch *watch);

/* When the next search is due, of the monotonic clock. */
int64_t watch_due_ms(const struct watch *watch);

/* Searches when it is due or something happened, and submits what is whole; *ret_count jobs were
 * added. false: the database failed. A capture that cannot be read is logged and tried again when
 * it changes. */
bool watch_turn(struct watch *watch, struct db *db, int64_t *ret_count, struct err *err);

#endif
