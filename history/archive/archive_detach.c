/* Takes a month out of the ledger, in one transaction, while its file is read a last time. The
 * entry is complete before the tables are locked, so that appends wait for nothing but catalogs. */
#include "history/archive/archive_entry.h"
#include "history/archive/archive_read.h"
#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct detaching {
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
        copy_values(copy, detaching->id, profile->id, section->name, profile->sections[i].rows);
        copy_bytes(copy, profile->sections[i].sha256, SHA256_BYTES);
    }
    return true;
}

static bool is_over(const struct archive_month *month, const char *name, struct err *err)
{
    return month->is_over ||
           err_set(err, ERR_INPUT, "%s is not over: only past months can be detached", name);
}

bool archive_detachable(struct db *db, const char *name, struct err *err)
{
    struct archive_month month;
    scoped_transaction *open = NULL;
    return archive_month_check(name, err) && snapshot_open(db, &open, err) &&
           query_do(db, Q_index_prefer, NULL, err) && archive_month_find(db, name, &month, err) &&
           is_over(&month, name, err);
}

bool archive_detach(struct db *db, const char *path, const struct archive_file *written,
                    int64_t *ret_id, struct err *err)
{
    struct archive_month month;
    scoped_transaction *open = NULL;
    if (!transaction_open(db, &open, err) || !archive_begin(db, written->month, &month, err) ||
        !is_over(&month, written->month, err))
        return false;
    if (month.archive_id != 0)
        return err_set(err, ERR_CONFLICT, "%s was detached meanwhile (x%" PRId64 ")",
                       written->month, month.archive_id);
    /* The hashes of what the file holds; the file is what it was when it was written. */
    struct archive_file file;
    struct detaching detaching = {.id = month.id};
    const struct archive_sink sink = {.context = &detaching, .profile = sections_copy};
    if (!copy_begin(&detaching.copy, db, Q_archived_sections_copy, err))
        return false;
    bool read = archive_read(path, &sink, &file, err);
    detaching.copy.failed |= !read;
    if (!copy_end(&detaching.copy, NULL, read ? err : NULL) || !read)
        return false;
    if (memcmp(file.sha256, written->sha256, SHA256_BYTES) != 0)
        return err_set(err, ERR_INPUT, "%s was changed since it was written: nothing was detached",
                       path);
    char suffix[24];
    const struct archive_note note = {"detached", path, written};
    (void)snprintf(suffix, sizeof suffix, "_x%" PRId64, month.id);
    if (!archive_append(&month, &note, err) ||
        !query_do(db, Q_month_detach, ARGS(written->month, suffix), err))
        return false;
    /* A transaction that began in the month may have ended only now. */
    scoped_result *now = NULL;
    if (!query_row(db, Q_archive_month, ARGS(written->month), &now, err))
        return false;
    if (result_i64(now, 0, C_archive_month_profile_count) != written->profile_count) {
        (void)unlink(path);
        return err_set(err, ERR_CONFLICT, "profiles came into %s meanwhile: write it again",
                       written->month);
    }
    *ret_id = month.id;
    return transaction_close(&open, err);
}
