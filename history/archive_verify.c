/* Verifies the file of a month that left the ledger: every row of it against the hashes in it,
 * those against the entries of the chains. */
#include "history/archive_entry.h"
#include "history/result.h"
#include "history/verify_run.h"

#include <inttypes.h>
#include <string.h>

struct archive_walk {
    struct verify_run run;
    int64_t wrong_count; /* profiles that the ledger recorded otherwise */
};

static bool profile_check(void *context, const struct archive_profile *profile, struct err *err)
{
    int32_t ignored;
    struct archive_walk *walk = context;
    struct err trouble = {0};
    const struct verify_place place = {.prefix = "p", .subject_id = profile->id};
    if (archive_entry_find(walk->run.db, profile, &ignored, &trouble))
        return true;
    if (trouble.kind != ERR_INPUT) {
        *err = trouble;
        return false;
    }
    walk->wrong_count++;
    verify_note(&walk->run, &place, "%s", trouble.text);
    return true;
}

/* The file is the one that the month's entry names. */
static bool file_check(struct archive_walk *walk, const char *path, const struct archive_file *file,
                       struct err *err)
{
    size_t length;
    static const struct verify_place place = {.chain = "ledger"};
    struct args args = {0};
    args_text(&args, file->month);
    scoped_result *archive = NULL;
    if (!query_run(walk->run.db, Q_archive_check, &args, &archive, err))
        return false;
    if (PQntuples(archive) == 0)
        return true; /* a copy of what is in the ledger */
    const struct verify_place entry = {
        .chain = place.chain, .prefix = "x", .subject_id = result_i64(archive, 0, 0)};
    const uint8_t *sha256 = result_bytes(archive, 0, 1, &length);
    if (length != SHA256_BYTES || memcmp(sha256, file->sha256, SHA256_BYTES) != 0)
        verify_note(&walk->run, &entry, "%s is not the file that %s went into", path, file->month);
    if (result_i64(archive, 0, 2) != file->profile_count)
        verify_note(&walk->run, &entry, "%s holds %" PRId64 " profiles of %" PRId64, path,
                    file->profile_count, result_i64(archive, 0, 2));
    return true;
}

bool archive_verify(struct db *db, const char *path, struct arena *arena,
                    struct verify_report *report, struct archive_file *ret_file, struct err *err)
{
    static const struct verify_place nowhere = {0};
    struct err trouble = {0};
    struct archive_walk walk = {.run = {.db = db, .arena = arena, .report = report}};
    const struct archive_sink sink = {.context = &walk, .profile = profile_check};
    if (archive_read(path, &sink, ret_file, &trouble))
        return file_check(&walk, path, ret_file, err);
    if (trouble.kind != ERR_INPUT) {
        *err = trouble;
        return false;
    }
    verify_note(&walk.run, &nowhere, "%s", trouble.text);
    return true;
}
