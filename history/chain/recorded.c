/* The digests are kept beside each profile (migration 0140). They are a cache: where they do not
 * make the entry's hash, they are made from the rows. */
#include "history/chain/recorded.h"

#include "history/chain/content.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

enum { PAGE_BUDGET_BYTES = 65536, MEASURES_PAGE = 500, MEASURES_BUDGET_BYTES = 4 << 20 };

void recorded_pack(const struct section_digest sections[PROFILE_SECTION_COUNT],
                   uint8_t out[RECORDED_BYTES])
{
    for (int i = 0; i < PROFILE_SECTION_COUNT; i++, out += RECORDED_SECTION_BYTES) {
        be_put(out, (uint64_t)sections[i].rows, 8);
        memcpy(out + 8, sections[i].sha256, SHA256_BYTES);
    }
}

/* A kind may have got sections since they were kept: those had no row. */
static void unpack(const uint8_t *kept, size_t length, struct section_digest *out)
{
    size_t count = length / RECORDED_SECTION_BYTES;
    memset(out, 0, PROFILE_SECTION_COUNT * sizeof *out);
    for (size_t i = 0; i < count && i < PROFILE_SECTION_COUNT; i++) {
        out[i].rows = (int64_t)be_get(kept, 8);
        memcpy(out[i].sha256, kept + 8, SHA256_BYTES);
        kept += RECORDED_SECTION_BYTES;
    }
}

static bool changed(const char *prefix, int64_t id, const char *what, struct err *err)
{
    return err_set(
        err, ERR_INPUT,
        "%s%" PRId64 " is not what was recorded (%s): it was changed in the database, behind the "
        "ledger's back. `stepledger verify` tells what else was%s",
        prefix, id, what, prefix[0] == 'p' ? "; `stepledger retract` leaves a profile out" : "");
}

static bool no_entry(const char *prefix, int64_t id, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "%s%" PRId64 " has no entry on a chain: it was put into the database, or its "
                   "entry was taken out (`stepledger verify` tells more)",
                   prefix, id);
}

/* What COPY reads is chosen by settings of a transaction. */
static bool content_read(struct db *db, struct content_page *page, struct arena *arena,
                         struct err *err)
{
    bool within = PQtransactionStatus(db->conn) == PQTRANS_INTRANS;
    if (!within && !db_begin_snapshot(db, err))
        return false;
    bool done = content_page_read(db, page, arena, err);
    if (!within)
        db_rollback(db);
    return done;
}

static bool digests_make_hash(enum entry_kind kind, const struct section_digest *sections,
                              const uint8_t *wanted, bool *ret_same, struct err *err)
{
    uint8_t made[SHA256_BYTES];
    if (!content_digest(kind, sections, made, err))
        return false;
    *ret_same = memcmp(made, wanted, SHA256_BYTES) == 0;
    return true;
}

/* From the rows themselves. */
static bool profile_read(struct db *db, struct recorded_profile *out, const uint8_t *wanted,
                         struct err *err)
{
    bool same;
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct content_page page = {
        .kind = ENTRY_PROFILE, .ids = &out->id, .count = 1, .first = out->id, .last = out->id};
    if (!content_read(db, &page, &arena, err))
        return false;
    memcpy(out->sections, page.sections, sizeof out->sections);
    if (!digests_make_hash(ENTRY_PROFILE, out->sections, wanted, &same, err))
        return false;
    return same || changed("p", out->id, "content", err);
}

static bool row_read(struct db *db, const PGresult *rows, int row, struct recorded_profile *out,
                     struct err *err)
{
    bool same;
    size_t length = 0, kept_length = 0;
    const uint8_t *wanted =
        result_is_null(rows, row, 1) ? NULL : result_bytes(rows, row, 1, &length);
    const uint8_t *kept =
        result_is_null(rows, row, 2) ? NULL : result_bytes(rows, row, 2, &kept_length);
    out->archived = result_bool(rows, row, 3);
    if (wanted == NULL || length != SHA256_BYTES)
        return no_entry("p", out->id, err);
    unpack(kept, kept_length, out->sections);
    if (!digests_make_hash(ENTRY_PROFILE, out->sections, wanted, &same, err))
        return false;
    return same || profile_read(db, out, wanted, err);
}

bool recorded_read(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                   struct recorded_profile **ret_recorded, struct err *err)
{
    scoped_result *rows = NULL;
    struct recorded_profile *recorded = arena_array(arena, struct recorded_profile, count);
    if (recorded == NULL)
        return arena_failed(arena, "the hashes of profiles", err);
    if (!query_run(db, Q_profile_sections, ARGS(arg_i64s(arena, ids, count)), &rows, err))
        return false;
    if ((size_t)PQntuples(rows) != count)
        return err_set(err, ERR_MISSING, "the ledger holds %d of %zu profiles that were asked for",
                       PQntuples(rows), count);
    for (size_t i = 0; i < count; i++) {
        recorded[i].id = ids[i];
        if (!row_read(db, rows, (int)i, &recorded[i], err))
            return false;
    }
    *ret_recorded = recorded;
    return true;
}

bool recorded_check(const struct recorded_profile *recorded, enum profile_section section,
                    const struct section_digest *found, struct err *err)
{
    const struct entry_section *info = &entry_kinds[ENTRY_PROFILE].sections[section];
    const struct section_digest *wanted = &recorded->sections[section];
    if (info->monthly && recorded->archived && found->rows == 0)
        return true;
    return (wanted->rows == found->rows &&
            memcmp(wanted->sha256, found->sha256, SHA256_BYTES) == 0) ||
           changed("p", recorded->id, info->name, err);
}

/* The rows of one profile after the other, in the order of the ids. */
static bool measures_check(const PGresult *rows, const struct recorded_profile *recorded,
                           size_t count, struct err *err)
{
    int row = 0;
    for (size_t i = 0; i < count; i++) {
        struct section_digest found;
        scoped_row_hash hash = {0};
        if (!row_hash_begin(&hash, err))
            return false;
        for (; row < PQntuples(rows) && result_i64(rows, row, 0) == (int64_t)i + 1; row++)
            row_hash_columns(&hash, rows, row, recorded_measure_columns);
        if (!row_hash_end(&hash, &found, err) ||
            !recorded_check(&recorded[i], PROFILE_MEASURES, &found, err))
            return false;
    }
    return true;
}

bool recorded_check_measures(struct db *db, const int64_t *ids, size_t count, struct err *err)
{
    for (size_t at = 0; at < count; at += MEASURES_PAGE) {
        size_t some = count - at < MEASURES_PAGE ? count - at : MEASURES_PAGE;
        struct recorded_profile *recorded;
        scoped_result *rows = NULL;
        scoped_arena arena;
        arena_init(&arena, MEASURES_BUDGET_BYTES);
        if (!recorded_read(db, ids + at, some, &arena, &recorded, err) ||
            !query_run(db, Q_brief_measures, ARGS(arg_i64s(&arena, ids + at, some)), &rows, err) ||
            !measures_check(rows, recorded, some, err))
            return false;
    }
    return true;
}

bool recorded_section(struct db *db, int64_t profile_id, enum profile_section section,
                      struct section_digest *ret_digest, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct content_page page = {.kind = ENTRY_PROFILE,
                                .ids = &profile_id,
                                .count = 1,
                                .first = profile_id,
                                .last = profile_id};
    if (!content_read(db, &page, &arena, err))
        return false;
    *ret_digest = page.sections[section];
    return true;
}

bool recorded_check_whole(struct db *db, enum entry_kind kind, int64_t id, struct err *err)
{
    bool same;
    size_t length;
    scoped_arena arena;
    scoped_result *row = NULL;
    const struct entry_kind_info *info = &entry_kinds[kind];
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct content_page page = {.kind = kind, .ids = &id, .count = 1, .first = id, .last = id};
    if (!query_run(db, Q_entry_content, ARGS(info->name, id), &row, err))
        return false;
    if (PQntuples(row) == 0)
        return no_entry(info->prefix, id, err);
    const uint8_t *wanted = result_bytes(row, 0, 0, &length);
    if (!content_read(db, &page, &arena, err) ||
        !digests_make_hash(kind, page.sections, wanted, &same, err))
        return false;
    return (same && length == SHA256_BYTES) || changed(info->prefix, id, "content", err);
}
