/* Reads which months are in files. */
#include "history/archive/archive.h"

#include "history/client/client.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <string.h>

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

static bool archive_copy(const PGresult *rows, int row, struct arena *arena, struct archive *out,
                         struct err *err)
{
    size_t length;
    const uint8_t *sha256 = result_bytes(rows, row, 3, &length);
    *out = (struct archive){
        .id = result_i64(rows, row, 0),
        .file_bytes = result_i64(rows, row, 4),
        .profile_count = result_i64(rows, row, 5),
        .row_count = result_i64(rows, row, 6),
    };
    if (length == SHA256_BYTES)
        memcpy(out->file_sha256, sha256, SHA256_BYTES);
    return (result_copy_text(rows, row, 1, arena, &out->month) &&
            result_copy_text(rows, row, 2, arena, &out->file_name) &&
            result_copy_time(rows, row, 7, arena, &out->recorded_at_utc)) ||
           arena_failed(arena, "an archive", err);
}

bool archive_list(struct db *db, struct arena *arena, struct archive_list *ret_list,
                  struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, Q_archive_list, NULL, &rows, err))
        return false;
    struct archive_list list = {.count = (size_t)PQntuples(rows)};
    list.items = arena_array(arena, struct archive, list.count);
    if (list.items == NULL)
        return arena_failed(arena, "the archives", err);
    for (size_t i = 0; i < list.count; i++)
        if (!archive_copy(rows, (int)i, arena, &list.items[i], err))
            return false;
    *ret_list = list;
    return true;
}

bool archive_of_profile(struct db *db, int64_t profile_id, struct arena *arena,
                        struct archive *ret_archive, bool *ret_found, struct err *err)
{
    struct args args = {0};
    args_i64(&args, profile_id);
    scoped_result *rows = NULL;
    if (!query_run(db, Q_archive_of_profile, &args, &rows, err))
        return false;
    *ret_found = PQntuples(rows) > 0;
    return !*ret_found || archive_copy(rows, 0, arena, ret_archive, err);
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
