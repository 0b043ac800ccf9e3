/* Reads the log. */
#include "history/reading/ledger_log.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

static void entry_finish(const PGresult *rows, int row, struct arena *arena, void *item)
{
    struct log_entry *entry = item;
    enum entry_kind kind = entry_kind_of(entry->kind);
    entry->sha256 = result_hex(rows, row, C_entry_log_entry_sha256, arena);
    entry->entry = result_name(rows, row, C_entry_log_subject_id,
                               kind < ENTRY_KIND_COUNT ? entry_kinds[kind].prefix : "?", arena);
}

static const struct row_field entry_fields[] = {
    ROW_FIELDS(struct log_entry, chain, position, kind),
    {ROW_SKIPPED, 0},
    ROW_FIELDS(struct log_entry, supersedes, recorded_at_utc),
    {ROW_SKIPPED, 0},
    {ROW_END, 0},
};
static const struct row_kind entries = {
    ROWS_BY(Q_entry_log, struct log_entry, "the log", entry_fields), .finish = entry_finish};

bool ledger_log(struct db *db, const struct log_query *query, struct arena *arena,
                struct log_page *ret_page, struct err *err)
{
    return rows_read(db, &entries, ARGS(query->chain, query->project, query->last), arena, ret_page,
                     err);
}
