/* Restoring the embedded cluster from a backup (history/cluster/backup.h).
 *
 * The copy is made and run beside the cluster that is there, and takes its place by two renames
 * when the caller has verified it; what was there keeps all it has under another name. Killed
 * between the two, the next command finishes. The cluster's lock is held all the time.
 */
#ifndef HISTORY_CLUSTER_RESTORE_H
#define HISTORY_CLUSTER_RESTORE_H

#include "history/cluster/cluster_workshop.h"
#include "schema/documents/backup_note.h"

struct restore {
    struct cluster_place place; /* of the cluster that is replaced */
    struct workshop shop;       /* where the copy is */
    struct arena *arena;
    int lock_fd;
    bool runs;             /* the copy's server was started */
    const char *url;       /* of the copy, for the application's role */
    const char *owner_url; /* for the owner of the schema */
    const char *old_home;  /* where what was there lies after restore_finish; NULL: nothing */
};

/* Reads the note of a backup and checks its hash. ERR_MISSING: there is no backup at that path;
 * ERR_INPUT: a note that was changed; ERR_UNAVAILABLE: a newer stepledger took it. */
bool restore_note_read(const char *path, struct arena *arena, struct backup_note *ret_note,
                       struct err *err);

/* Takes the lock. ERR_INPUT unless `replace`: there is a cluster already. The restore is to be
 * closed in any case. */
bool restore_open(struct restore *restore, bool replace, struct arena *arena, struct err *err);

/* Copies the data folder of the backup, checks it against the note and by its manifest, and starts
 * it. ERR_INPUT: the backup is not what was taken; ERR_UNAVAILABLE: its PostgreSQL is not here;
 * ERR_FULL. */
bool restore_copy(struct restore *restore, const char *path, const struct backup_note *note,
                  struct err *err);

/* Stops the copy, then the server that is replaced, and renames. */
bool restore_finish(struct restore *restore, struct err *err);

/* Ends the copy, and removes it unless it has its place. */
void restore_close(struct restore *restore);

#endif
