/* Verifies the file of a month that left the ledger: every row of it against the hashes in it,
 * those against the entries of the chains. */
#include "history/archive/archive_entry.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct archive_walk {
    struct db *db;
    struct arena *arena; /* of the report */
    struct verify_report *report;
};

enum { ENTRY_NAME_BYTES = 24 }; /* "p" and a number */

static bool profile_check(void *context, const struct archive_profile *profile, struct err *err)
{
    int32_t ignored;
    struct archive_walk *walk = context;
    struct err trouble = {0};
    if (archive_entry_find(walk->db, profile, &ignored, &trouble))
        return true;
    if (trouble.kind != ERR_INPUT) {
        *err = trouble;
        return false;
    }
    char entry[ENTRY_NAME_BYTES];
    (void)snprintf(entry, sizeof entry, "p%" PRId64, profile->id);
    verify_add(walk->report, walk->arena,
               &(const struct verify_finding){.entry = entry, .what = trouble.text});
    return true;
}

/* The file is the one that the month's entry names. */
static bool file_check(struct archive_walk *walk, const char *path, const struct archive_file *file,
                       struct err *err)
{
    size_t length;
    scoped_result *archive = NULL;
    if (!query_run(walk->db, Q_archive_check, ARGS(file->month), &archive, err))
        return false;
    if (PQntuples(archive) == 0)
        return true; /* a copy of what is in the ledger */
    char entry[ENTRY_NAME_BYTES];
    (void)snprintf(entry, sizeof entry, "x%" PRId64, result_i64(archive, 0, C_archive_check_id));
    struct verify_finding finding = {.chain = "ledger", .entry = entry};
    const uint8_t *sha256 = result_bytes(archive, 0, C_archive_check_file_sha256, &length);
    if (length != SHA256_BYTES || memcmp(sha256, file->sha256, SHA256_BYTES) != 0) {
        finding.what =
            arena_printf(walk->arena, "%s is not the file that %s went into", path, file->month);
        verify_add(walk->report, walk->arena, &finding);
    }
    if (result_i64(archive, 0, C_archive_check_profile_count) != file->profile_count) {
        finding.what = arena_printf(walk->arena, "%s holds %" PRId64 " profiles of %" PRId64, path,
                                    file->profile_count,
                                    result_i64(archive, 0, C_archive_check_profile_count));
        verify_add(walk->report, walk->arena, &finding);
    }
    return true;
}

bool archive_verify(struct db *db, const char *path, struct arena *arena,
                    struct verify_report *report, struct archive_file *ret_file, struct err *err)
{
    struct err trouble = {0};
    struct archive_walk walk = {db, arena, report};
    const struct archive_sink sink = {.context = &walk, .profile = profile_check};
    if (archive_read(path, &sink, ret_file, &trouble))
        return file_check(&walk, path, ret_file, err);
    if (trouble.kind != ERR_INPUT) {
        *err = trouble;
        return false;
    }
    verify_add(report, arena, &(const struct verify_finding){.what = trouble.text});
    return true;
}
