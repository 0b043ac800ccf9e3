/* Applies and checks migrations. Each is applied in a transaction of its own that takes the
 * advisory lock first and reads again what is applied, so that two migrators at once take turns and
 * one that is killed leaves a whole number of them. */
#include "history/migrate/migrate.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/db.h"
#include "history/profiles/profiles.h"
#include "ops/runtime/digest.h"

#include "migrations.h"

#include <inttypes.h>
#include <string.h>

/* Versions ascend and may leave numbers out; what is applied is always the first `count` of
 * ours. */
static int version_after(int count)
{
    return count == 0 ? 0 : migrations[count - 1].version;
}

int migrate_version_wanted(void)
{
    return version_after(MIGRATION_COUNT);
}

/* One recorded migration against ours. */
static bool record_check(const PGresult *applied, int row, struct err *err)
{
    const struct migration *ours = &migrations[row];
    int32_t version = result_i32(applied, row, C_migration_list_version);
    char sha256[SHA256_HEX_BYTES];
    sha256_hex(ours->text, strlen(ours->text), sha256);
    if (version != ours->version ||
        strcmp(result_text(applied, row, C_migration_list_sha256), sha256) != 0)
        return err_set(
            err, ERR_UNAVAILABLE,
            "the database's migration %d (%s, sha256 %.12s) is not this program's %s "
            "(sha256 %.12s): it was made by another build; use that stepledger, or a new database",
            version, result_text(applied, row, C_migration_list_name),
            result_text(applied, row, C_migration_list_sha256), ours->name, sha256);
    return true;
}

/* Reads how many migrations are applied and checks that they are ours. */
static bool applied_read(struct db *db, int *ret_count, struct err *err)
{
    scoped_result *presence = NULL;
    if (!query_row(db, Q_migration_presence, NULL, &presence, err))
        return false;
    *ret_count = 0;
    if (!result_bool(presence, 0, C_migration_presence_has_table))
        return true;
    scoped_result *applied = NULL;
    if (!query_run(db, Q_migration_list, NULL, &applied, err))
        return false;
    int count = PQntuples(applied);
    if (count > MIGRATION_COUNT)
        return err_set(
            err, ERR_UNAVAILABLE,
            "the database's schema is version %d, this stepledger knows up to %d: use a newer one",
            result_i32(applied, count - 1, C_migration_list_version), migrate_version_wanted());
    for (int row = 0; row < count; row++)
        if (!record_check(applied, row, err))
            return false;
    *ret_count = count;
    return true;
}

/* ERR_UNAVAILABLE when the schema is missing, too old, too new, or another build's; says which and
 * what to run. */
static bool migrate_check(struct db *db, struct err *err)
{
    int count;
    if (!applied_read(db, &count, err))
        return false;
    if (count == MIGRATION_COUNT)
        return true;
    if (count == 0)
        return err_set(err, ERR_UNAVAILABLE,
                       "the database \"%s\" holds no ledger yet: run `stepledger migrate`",
                       PQdb(db->conn));
    return err_set(
        err, ERR_UNAVAILABLE,
        "the database's schema is version %d, this stepledger needs %d: run `stepledger migrate`",
        version_after(count), migrate_version_wanted());
}

bool db_open(const char *conninfo, struct db **ret_db, struct err *err)
{
    struct db *db;
    if (!db_open_raw(conninfo, &db, err))
        return false;
    if (!migrate_check(db, err)) {
        db_close(db);
        return false;
    }
    *ret_db = db;
    return true;
}

/* ---- entries and digests of older profiles --------------------------------------------------- */

/* Entries come in the order of ids, kind by kind; digests a page of profiles in each transaction,
 * read as `verify` reads them. */
static bool entries_fill(struct db *db, enum entry_kind kind, int64_t last_id, int64_t *count,
                         struct err *err)
{
    scoped_result *missing = NULL;
    if (!query_run(db, Q_entry_missing, ARGS(entry_kinds[kind].name, last_id), &missing, err))
        return false;
    for (int row = 0; row < PQntuples(missing); row++, (*count)++) {
        int64_t id = result_i64(missing, row, C_entry_missing_id);
        if ((kind == ENTRY_PROFILE && !ledger_measures_backfill(db, id, err)) ||
            !chain_append_stored(db, kind, id, err))
            return err_prefix(err, "%s %s%" PRId64, entry_kinds[kind].name,
                              entry_kinds[kind].prefix, id);
    }
    return true;
}

/* In the transaction that applies the last migration: gives entries to what migrations found
 * without (and measures to profiles of before 0005), and forgets what they found, so that nothing
 * that comes later gets an entry in this way. *ret_count of them. */
static bool backfill_entries(struct db *db, int64_t *ret_count, struct err *err)
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
    content_digest(ENTRY_PROFILE, sections, made);
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

/* ---- one after the other --------------------------------------------------------------------- */

/* In a transaction: the next missing migration, and with the last one the entries of what those
 * before it found without. *ret_count were there before; nothing is done when all are. */
static bool step_apply(struct db *db, int *ret_count, int64_t *ret_chained, struct err *err)
{
    if (!query_do(db, Q_migration_lock, NULL, err) || !applied_read(db, ret_count, err))
        return false;
    if (*ret_count == MIGRATION_COUNT)
        return true;
    scoped_result *presence = NULL;
    if (!query_row(db, Q_migration_presence, NULL, &presence, err))
        return false;
    if (!result_bool(presence, 0, C_migration_presence_has_schema) &&
        !query_do(db, Q_migration_schema_create, NULL, err))
        return false;
    if (!result_bool(presence, 0, C_migration_presence_has_table) &&
        !query_do(db, Q_migration_table_create, NULL, err))
        return false;
    const struct migration *migration = &migrations[*ret_count];
    char sha256[SHA256_HEX_BYTES];
    sha256_hex(migration->text, strlen(migration->text), sha256);
    if (!query_script(db, migration->name, migration->text, err) ||
        !query_do(db, Q_migration_record,
                  ARGS(migration->version, migration->name, sha256, STEPLEDGER_VERSION), err))
        return false;
    return (*ret_count + 1 < MIGRATION_COUNT || backfill_entries(db, ret_chained, err));
}

bool migrate_look(struct db *db, struct migration_plan *ret_plan, struct err *err)
{
    int count;
    scoped_result *moved = NULL;
    if (!applied_read(db, &count, err) || !query_row(db, Q_migration_rewrite, NULL, &moved, err))
        return false;
    *ret_plan = (struct migration_plan){
        .version_before = version_after(count),
        .missing_count = MIGRATION_COUNT - count,
        .moved_rows = result_i64(moved, 0, C_migration_rewrite_row_count),
        .moved_bytes = result_i64(moved, 0, C_migration_rewrite_size_bytes),
    };
    return true;
}

bool migrate_run(struct db *db, struct migration_report *ret_report, struct err *err)
{
    struct migration_report report = {.version_before = -1};
    int count = -1;
    while (count != MIGRATION_COUNT) {
        scoped_transaction *open = NULL;
        if (!transaction_open(db, &open, err) ||
            !step_apply(db, &count, &report.chained_count, err) || !transaction_close(&open, err))
            return false;
        if (report.version_before < 0)
            report.version_before = version_after(count);
        report.applied_count += count < MIGRATION_COUNT;
    }
    report.version_after = migrate_version_wanted();
    /* Reads the rows of every profile of whose sections no digests are kept
     * (history/chain/recorded.h), and keeps those that make the hash of its entry; begun
     * again, it goes on where it was killed. */
    int64_t after = 0;
    for (bool more = true; more;) {
        scoped_transaction *open = NULL;
        if (!transaction_open(db, &open, err) || !page_fill(db, &after, &more, err) ||
            !transaction_close(&open, err))
            return false;
    }
    *ret_report = report;
    return true;
}
