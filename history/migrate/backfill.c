/* Entries come in the order of ids, kind by kind; digests a page of profiles in each transaction,
 * read as `verify` reads them. */
#include "history/migrate/backfill.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/profiles.h"

#include <inttypes.h>
#include <string.h>

static bool entries_fill(struct db *db, enum entry_kind kind, int64_t last_id, int64_t *count,
                         struct err *err)
{
    scoped_result *missing = NULL;
    if (!query_run(db, Q_entry_missing, ARGS(entry_kinds[kind].name, last_id), &missing, err))
        return false;
    for (int row = 0; row < PQntuples(missing); row++, (*count)++) {
        int64_t id = result_i64(missing, row, 0);
        if ((kind == ENTRY_PROFILE && !ledger_measures_backfill(db, id, err)) ||
            !chain_append_stored(db, kind, id, err))
            return err_prefix(err, "%s %s%" PRId64, entry_kinds[kind].name,
                              entry_kinds[kind].prefix, id);
    }
    return true;
}

bool backfill_entries(struct db *db, int64_t *ret_count, struct err *err)
{
    scoped_result *starts = NULL;
    *ret_count = 0;
    if (!query_run(db, Q_chain_start_list, NULL, &starts, err))
        return false;
    for (int row = 0; row < PQntuples(starts); row++) {
        enum entry_kind kind = entry_kind_of(result_text(starts, row, C_chain_start_list_kind));
        if (kind == ENTRY_KIND_COUNT)
            return err_set(err, ERR_BUG, "chain_starts names an unknown kind");
        if (!entries_fill(db, kind, result_i64(starts, row, C_chain_start_list_last_id), ret_count,
                          err))
            return false;
    }
    return query_do(db, Q_chain_start_end, NULL, err);
}

/* ---- digests --------------------------------------------------------------------------------- */

enum { PAGE = 400 };
static const size_t PAGE_BUDGET_BYTES = (size_t)16 << 20;

/* One that was changed is left: `verify` names it. */
static bool sections_keep(struct db *db, const PGresult *missing, int row,
                          const struct section_digest *sections, struct err *err)
{
    size_t length;
    uint8_t made[SHA256_BYTES], packed[RECORDED_BYTES];
    const uint8_t *wanted =
        result_bytes(missing, row, C_content_sections_missing_content_sha256, &length);
    if (!content_digest(ENTRY_PROFILE, sections, made, err))
        return false;
    if (length != SHA256_BYTES || memcmp(made, wanted, SHA256_BYTES) != 0)
        return true;
    recorded_pack(sections, packed);
    return query_do(db, Q_content_sections_add,
                    ARGS(arg_i64(result_i64(missing, row, C_content_sections_missing_id)),
                         arg_bytes(packed, sizeof packed)),
                    err);
}

/* *after: the last profile that was looked at. *ret_more false: there was none behind it. */
static bool page_fill(struct db *db, int64_t *after, bool *ret_more, struct err *err)
{
    int64_t ids[PAGE];
    scoped_arena arena;
    scoped_result *missing = NULL;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    if (!query_run(db, Q_content_sections_missing, ARGS(*after, arg_i64(PAGE)), &missing, err))
        return false;
    int count = PQntuples(missing);
    *ret_more = count > 0;
    if (count == 0)
        return true;
    for (int row = 0; row < count; row++)
        ids[row] = result_i64(missing, row, C_content_sections_missing_id);
    struct content_page page = {.kind = ENTRY_PROFILE,
                                .ids = ids,
                                .count = (size_t)count,
                                .first = ids[0],
                                .last = ids[count - 1]};
    if (!content_page_read(db, &page, &arena, err))
        return false;
    for (int row = 0; row < count; row++)
        if (!sections_keep(db, missing, row, &page.sections[row * PROFILE_SECTION_COUNT], err))
            return false;
    *after = page.last;
    return true;
}

bool backfill_digests(struct db *db, struct err *err)
{
    int64_t after = 0;
    for (bool more = true; more;)
        if (!db_begin(db, err) || !db_end(db, page_fill(db, &after, &more, err), err))
            return false;
    return true;
}
