/* Brings a month back. Its rows go from the file to the server as they are, with their day behind
 * them; what the file says of a profile must be what the profile's entry holds. */
#include "history/archive/archive_entry.h"
#include "history/archive/archive_read.h"
#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>

struct attaching {
    struct db *db;
    struct {
        int64_t id;
        int32_t days; /* of recorded_on, since 2000-01-01 */
    } page[ARCHIVE_PAGE];
    size_t count;
    int32_t days; /* of the rows that come */
    bool copies;
    enum profile_section section; /* whose rows are copied */
    struct copy copy;
};

static bool copy_close(struct attaching *attaching, struct err *err)
{
    bool was_open = attaching->copies;
    attaching->copies = false;
    return !was_open || copy_end(&attaching->copy, NULL, err);
}

/* A profile after rows starts the next page of the file; no COPY is open from there on. */
static bool profile_take(void *context, const struct archive_profile *profile, struct err *err)
{
    struct attaching *attaching = context;
    if (attaching->copies)
        attaching->count = 0;
    if (!copy_close(attaching, err))
        return false;
    attaching->page[attaching->count].id = profile->id;
    return archive_entry_find(attaching->db, profile, &attaching->page[attaching->count++].days,
                              err);
}

static bool rows_take(void *context, int64_t profile_id, enum profile_section section,
                      struct err *err)
{
    struct attaching *attaching = context;
    for (size_t i = 0; i < attaching->count; i++)
        if (attaching->page[i].id == profile_id)
            attaching->days = attaching->page[i].days;
    if (attaching->copies && attaching->section == section)
        return true;
    if (!copy_close(attaching, err) ||
        !copy_begin(&attaching->copy, attaching->db,
                    entry_kinds[ENTRY_PROFILE].sections[section].restore, err))
        return false;
    attaching->copies = true;
    attaching->section = section;
    return true;
}

static bool row_take(void *context, int column_count, struct err *err)
{
    (void)column_count;
    (void)err;
    copy_raw_row(&((struct attaching *)context)->copy);
    return true;
}

static bool bytes_take(void *context, const void *bytes, size_t length, struct err *err)
{
    (void)err;
    copy_raw(&((struct attaching *)context)->copy, bytes, length);
    return true;
}

static bool row_finish(void *context, struct err *err)
{
    uint8_t column[8];
    struct attaching *attaching = context;
    (void)err;
    be_put(column, 4, 4);
    be_put(column + 4, (uint32_t)attaching->days, 4);
    copy_raw(&attaching->copy, column, sizeof column);
    return true;
}

bool archive_attach(struct db *db, const char *path, struct archive_file *ret_file, int64_t *ret_id,
                    struct err *err)
{
    struct archive_month month;
    struct archive_file *file = ret_file;
    scoped_transaction *open = NULL;
    if (!archive_read(path, NULL, file, err) || !transaction_open(db, &open, err) ||
        !archive_begin(db, file->month, &month, err))
        return false;
    if (month.archive_id == 0)
        return err_set(err, ERR_CONFLICT, "%s is in the ledger: there is nothing to bring back",
                       file->month);
    if (month.profile_count != file->profile_count)
        return err_set(err, ERR_INPUT,
                       "the archive holds %" PRId64 " profiles of %s, the ledger recorded %" PRId64,
                       file->profile_count, file->month, month.profile_count);
    if (!query_do(db, Q_month_add, ARGS(file->month), err))
        return false;
    struct attaching attaching = {.db = db};
    const struct archive_sink sink = {.context = &attaching,
                                      .profile = profile_take,
                                      .rows = rows_take,
                                      .row = row_take,
                                      .bytes = bytes_take,
                                      .row_end = row_finish};
    bool read = archive_read(path, &sink, file, err);
    attaching.copy.failed |= !read;
    if (!copy_close(&attaching, read ? err : NULL) || !read)
        return false;
    const struct archive_note note = {"attached", path, file};
    *ret_id = month.id;
    return archive_append(&month, &note, err) && transaction_close(&open, err);
}
