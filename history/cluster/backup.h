/* A backup of the embedded cluster: a folder with PostgreSQL's data folder and the note that seals
 * it (schema/documents/backup_note.h).
 *
 * It is made in a folder beside its own name, verified, put on the disk, and then renamed: under
 * its name a backup is whole. The folder is locked while it is made; what an attempt that was
 * killed left is removed by the next backup into the same parent.
 */
#ifndef HISTORY_CLUSTER_BACKUP_H
#define HISTORY_CLUSTER_BACKUP_H

#include "history/db.h"
#include "ops/runtime/digest.h"
#include "schema/documents/backup_note.h"

struct backup {
    const char *path; /* what it will be called; absolute */
    const char *part; /* beside it; NULL once it has its name */
    struct arena *arena;
    int lock_fd; /* of the part */
};

/* The name of the note in a backup. */
extern const char backup_note_name[];

/* Makes the folder beside `path`. ERR_INPUT: there is something at that name already, or it cannot
 * get one; ERR_MISSING: the folder that it shall lie in; ERR_CONFLICT: another command is making
 * it. The backup is to be closed in any case. */
bool backup_open(struct backup *backup, const char *path, struct arena *arena, struct err *err);

/* Notes how far the ledger is; before backup_take. */
bool backup_note_begin(struct db *db, struct arena *arena, struct backup_note *ret_note,
                       struct err *err);

/* Copies the running cluster as it is at one moment from now on, and verifies the copy by its
 * manifest, whose hash it notes. ERR_FULL; ERR_UNAVAILABLE: the server was made by an older
 * stepledger and not restarted since. */
bool backup_take(struct backup *backup, struct backup_note *note, struct err *err);

/* The hash of the manifest in a data folder, hex. ERR_MISSING. */
bool backup_manifest_hash(const char *data, char ret_sha256[SHA256_HEX_BYTES], struct err *err);

/* Gives the backup its name; its note is in it. */
bool backup_finish(struct backup *backup, struct err *err);

/* Removes what did not get its name. */
void backup_close(struct backup *backup);

/* The cluster's last backup: when it began, as clock_iso has it, and where it was put, in the
 * arena. NULL: none is known. */
struct backup_memory {
    const char *begun_at_utc, *path;
    int64_t age_ms; /* since it was done; never negative */
};
bool backup_memory_read(struct arena *arena, struct backup_memory *ret_memory, struct err *err);
bool backup_memory_write(const struct backup *backup, const struct backup_note *note,
                         struct err *err);

#endif
