/* Reads which months are in files. */
#include "history/archive/archive.h"

#include "history/client/client.h"
#include "ops/runtime/text.h"

#include <inttypes.h>

bool archive_month_valid(const char *month)
{
    static const char form[] = "0000-00";
    for (size_t i = 0; i < sizeof form; i++) {
        bool digit = month[i] >= '0' && month[i] <= '9';
        if (form[i] == '0' ? !digit : month[i] != form[i])
            return false;
    }
    int number = 10 * (month[5] - '0') + month[6] - '0';
    return number >= 1 && number <= 12;
}

#define ARCHIVES(query) \
    ROWS(query, struct archive, "the archives", id, month, file_name, file_sha256, file_bytes, \
         profile_count, row_count, recorded_at_utc)
static const struct row_kind all = {ARCHIVES(Q_archive_list)};
static const struct row_kind of_profile = {ARCHIVES(Q_archive_of_profile)};

bool archive_list(struct db *db, struct arena *arena, struct archive_list *ret_list,
                  struct err *err)
{
    return rows_read(db, &all, NULL, arena, ret_list, err);
}

bool archive_of_profile(struct db *db, int64_t profile_id, struct arena *arena,
                        struct archive *ret_archive, bool *ret_found, struct err *err)
{
    return row_find(db, &of_profile, ARGS(profile_id), arena,
                    (struct row_found){ret_archive, ret_found}, err);
}

bool archive_refuse(const struct archive *archive, int64_t profile_id, struct err *err)
{
    char hex[SHA256_HEX_BYTES];
    text_hex(archive->file_sha256, SHA256_BYTES, hex);
    return err_set(err, ERR_MISSING,
                   "the contents of p%" PRId64 " left the ledger with the month %s: they are in %s "
                   "(sha256 %.12s..., archive x%" PRId64 "); `stepledger import` of that file "
                   "brings them back",
                   profile_id, archive->month, archive->file_name, hex, archive->id);
}
