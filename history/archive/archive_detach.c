/* Takes a month out of the ledger, in one transaction, while its file is read a last time. The
 * entry is complete before the tables are locked, so that appends wait for nothing but catalogs. */
#include "history/archive/archive_entry.h"
#include "history/archive/archive_read.h"
#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct detaching {
    struct db *db;
    const char *path;
    const struct archive_file *file; /* as it was written */
    int64_t id;
    struct copy copy;
};

static bool sections_copy(void *context, const struct archive_profile *profile, struct err *err)
{
    struct detaching *detaching = context;
    struct copy *copy = &detaching->copy;
    (void)err; /* copy_end tells */
    for (size_t i = 0; i < PROFILE_SECTION_COUNT; i++) {
        const struct entry_section *section = &entry_kinds[ENTRY_PROFILE].sections[i];
        if (!section->monthly || profile->sections[i].rows == 0)
            continue;
        copy_row(copy);
        copy_i64(copy, detaching->id);
        copy_i64(copy, profile->id);
        copy_text(copy, section->name);
        copy_i64(copy, profile->sections[i].rows);
        copy_bytes(copy, profile->sections[i].sha256, SHA256_BYTES);
    }
    return true;
}

static bool detach_within(struct detaching *detaching, struct err *err)
{
    struct archive_month month;
    if (!archive_begin(detaching->db, detaching->file->month, &month, err))
        return false;
    if (!month.is_over)
        return err_set(err, ERR_INPUT, "%s is not over: only past months can be detached",
                       detaching->file->month);
    if (month.archive_id != 0)
        return err_set(err, ERR_CONFLICT, "%s was detached meanwhile (x%" PRId64 ")",
                       detaching->file->month, month.archive_id);
    detaching->id = month.id;
    const struct archive_note note = {"detached", detaching->path, detaching->file};
    /* The hashes of what the file holds; the file is what it was when it was written. */
    struct archive_file file;
    const struct archive_sink sink = {.context = detaching, .profile = sections_copy};
    if (!copy_begin(&detaching->copy, detaching->db, Q_archived_sections_copy, err))
        return false;
    bool read = archive_read(detaching->path, &sink, &file, err);
    detaching->copy.failed |= !read;
    if (!copy_end(&detaching->copy, NULL, read ? err : NULL) || !read)
        return false;
    if (memcmp(file.sha256, detaching->file->sha256, SHA256_BYTES) != 0)
        return err_set(err, ERR_INPUT, "%s was changed since it was written: nothing was detached",
                       detaching->path);
    if (!archive_append(&month, &note, err))
        return false;
    char suffix[24];
    (void)snprintf(suffix, sizeof suffix, "_x%" PRId64, detaching->id);
    if (!query_do(detaching->db, Q_month_detach, ARGS(detaching->file->month, suffix), err))
        return false;
    /* A transaction that began in the month may have ended only now. */
    scoped_result *now = NULL;
    if (!query_row(detaching->db, Q_archive_month, ARGS(detaching->file->month), &now, err))
        return false;
    return result_i64(now, 0, C_archive_month_profile_count) == detaching->file->profile_count ||
           err_set(err, ERR_CONFLICT, "profiles came into %s meanwhile: write it again",
                   detaching->file->month);
}

bool archive_detach(struct db *db, const char *path, const struct archive_file *file,
                    int64_t *ret_id, struct err *err)
{
    struct detaching detaching = {.db = db, .path = path, .file = file};
    if (!db_begin(db, err) || !db_end(db, detach_within(&detaching, err), err))
        return false;
    *ret_id = detaching.id;
    return true;
}
