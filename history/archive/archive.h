/* Months that leave the ledger for a file, and come back.
 *
 * A month goes in three steps: it is asked whether it may (archive_detachable); its rows are
 * written into a file (archive_write), which is flushed and read again; then, in one transaction,
 * the file is read once more, the hashes of what it holds and an entry are appended, and the
 * month's partitions are detached (archive_detach). Killed anywhere, the month is either in the
 * ledger or in a file that was verified. The format of the file is that of
 * history/archive/archive_read.h.
 */
#ifndef HISTORY_ARCHIVE_ARCHIVE_H
#define HISTORY_ARCHIVE_ARCHIVE_H

#include "history/db.h"
#include "history/verify/verify.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/digest.h"

#include <stddef.h>
#include <stdint.h>

enum { ARCHIVE_MONTH_BYTES = 8 }; /* "2026-01" */

/* A file, as it was read to its end. */
struct archive_file {
    char month[ARCHIVE_MONTH_BYTES];
    int64_t bytes, profile_count, row_count;
    uint8_t sha256[SHA256_BYTES];
};

/* true for "2026-01". */
bool archive_month_valid(const char *month);

/* Whether a month may leave the ledger, asked before its file is written: what is refused leaves
 * none behind. archive_detach asks again. ERR_INPUT: no month, or not over; ERR_USAGE: not the
 * rights of the ledger's owner. */
bool archive_detachable(struct db *db, const char *month, struct err *err);

/* Writes the month ("2026-01") into a new file, as one snapshot, and reads it again. Every profile
 * is verified on the way. ERR_INPUT: no such month, a profile that is not what was recorded, or a
 * file of that name that holds something else; ERR_MISSING: the month is in an archive already, or
 * has no profile. */
bool archive_write(struct db *db, const char *month, const char *path,
                   struct archive_file *ret_file, struct err *err);

/* Appends that the month is in this file and detaches its partitions. *ret_id: x<id>; the detached
 * tables have the names of the partitions with "_x<id>" behind. ERR_USAGE: not the rights of the
 * ledger's owner; ERR_INPUT: the month is not over, or the file is not the one that was written;
 * ERR_CONFLICT: profiles came meanwhile, and the file, which lacks them, is gone; ERR_UNAVAILABLE:
 * readers would not let go. */
bool archive_detach(struct db *db, const char *path, const struct archive_file *file,
                    int64_t *ret_id, struct err *err);

/* true when the file begins as one of these does. */
bool archive_recognize(const char *path);

/* Brings the month back from its file: makes its partitions and fills them. *ret_id: of the entry
 * that says so. ERR_INPUT: the file is not whole, or does not hold what was recorded; ERR_USAGE:
 * not the rights of the owner; ERR_CONFLICT: the month is in the ledger. */
bool archive_attach(struct db *db, const char *path, struct archive_file *ret_file, int64_t *ret_id,
                    struct err *err);

/* Reads the file of a month that left the ledger and verifies every row in it
 * against the chains, which ledger_verify has walked; findings are added to its report, whose arena
 * this is. False when the file is not there, or the ledger could not be read. */
bool archive_verify(struct db *db, const char *path, struct arena *arena,
                    struct verify_report *report, struct archive_file *ret_file, struct err *err);

/* A month that is in a file now. */
struct archive {
    int64_t id;
    const char *month, *file_name, *recorded_at_utc;
    uint8_t file_sha256[SHA256_BYTES];
    int64_t file_bytes, profile_count, row_count;
};

struct archive_list {
    struct archive *items; /* by month */
    size_t count;
};

/* All of them, in the arena. */
bool archive_list(struct db *db, struct arena *arena, struct archive_list *ret_list,
                  struct err *err);

/* Where the contents of a profile are; *ret_found false: in the ledger, or there is no such
 * profile. */
bool archive_of_profile(struct db *db, int64_t profile_id, struct arena *arena,
                        struct archive *ret_archive, bool *ret_found, struct err *err);

/* One sentence about a profile that is in it; returns false with ERR_MISSING. */
bool archive_refuse(const struct archive *archive, int64_t profile_id, struct err *err);

#endif
