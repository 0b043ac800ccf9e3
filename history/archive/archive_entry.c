/* Implements the two ends of a transaction about a month. */
#include "history/archive/archive_entry.h"

#include "history/archive/archive.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

bool archive_month_check(const char *month, struct err *err)
{
    return archive_month_valid(month) ||
           err_set(err, ERR_INPUT, "'%s' is no month; one is written 2026-01", month);
}

bool archive_month_find(struct db *db, const char *month, struct archive_month *ret_month,
                        struct err *err)
{
    scoped_result *found = NULL;
    if (!query_row(db, Q_archive_month, ARGS(month), &found, err))
        return false;
    if (!result_bool(found, 0, C_archive_month_is_owner))
        return err_set(err, ERR_USAGE,
                       "months are detached and attached by the role that owns the ledger "
                       "(stepledger_owner): connect as it with --db");
    *ret_month = (struct archive_month){
        .db = db,
        .is_over = result_bool(found, 0, C_archive_month_is_over),
        .archive_id = result_opt_i64(found, 0, C_archive_month_archive_id).value,
        .profile_count = result_i64(found, 0, C_archive_month_profile_count),
    };
    return true;
}

bool archive_begin(struct db *db, const char *month, struct archive_month *ret_month,
                   struct err *err)
{
    int64_t now_us;
    return query_do(db, Q_index_prefer, NULL, err) && chain_take(db, "ledger", &now_us, err) &&
           archive_month_find(db, month, ret_month, err) &&
           query_number(db, Q_archive_reserve, NULL, &ret_month->id, err);
}

bool archive_append(const struct archive_month *month, const struct archive_note *note,
                    struct err *err)
{
    const struct archive_file *file = note->file;
    return query_do(month->db, Q_archive_add,
                    ARGS(month->id, file->month, note->action, note->path,
                         arg_bytes(file->sha256, SHA256_BYTES), file->bytes, file->profile_count,
                         file->row_count),
                    err) &&
           chain_append_stored(month->db, ENTRY_ARCHIVE, month->id, err);
}

bool archive_entry_find(struct db *db, const struct archive_profile *profile, int32_t *ret_days,
                        struct err *err)
{
    size_t length;
    scoped_result *found = NULL;
    if (!query_run(db, Q_archive_entry, ARGS(profile->id), &found, err))
        return false;
    bool known = PQntuples(found) > 0;
    const uint8_t *recorded =
        known ? result_bytes(found, 0, C_archive_entry_content_sha256, &length) : NULL;
    if (!known || length != SHA256_BYTES ||
        memcmp(recorded, profile->content_sha256, SHA256_BYTES) != 0)
        return err_set(err, ERR_INPUT,
                       "p%" PRId64 " of the archive is not what the ledger recorded", profile->id);
    *ret_days = result_i32(found, 0, C_archive_entry_days_since_2000);
    return true;
}
