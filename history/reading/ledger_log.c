/* Reads the log. */
#include "history/reading/ledger_log.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"

#include <inttypes.h>

static bool entry_read(const PGresult *result, int row, struct arena *arena, struct log_entry *out)
{
    size_t length;
    char recorded_at[CLOCK_ISO_BYTES];
    const uint8_t *sha256 = result_bytes(result, row, 6, &length);
    enum entry_kind kind = entry_kind_of(result_text(result, row, 2));
    bool supersedes = !result_is_null(result, row, 4);
    char *hex = arena_alloc(arena, 2 * length + 1);
    if (hex == NULL)
        return false;
    text_hex(sha256, length, hex);
    clock_iso(result_wall_us(result, row, 5), recorded_at);
    *out = (struct log_entry){
        .entry = arena_printf(arena, "%s%" PRId64,
                              kind < ENTRY_KIND_COUNT ? entry_kinds[kind].prefix : "?",
                              result_i64(result, row, 3)),
        .position = result_i64(result, row, 1),
        .supersedes = {supersedes, supersedes ? result_i64(result, row, 4) : 0},
        .recorded_at_utc = arena_strdup(arena, recorded_at),
        .sha256 = hex,
    };
    return out->entry != NULL && out->recorded_at_utc != NULL &&
           result_copy_text(result, row, 0, arena, &out->chain) &&
           result_copy_text(result, row, 2, arena, &out->kind);
}

bool ledger_log(struct db *db, const struct log_query *query, struct arena *arena,
                struct log_page *ret_page, struct err *err)
{
    struct args args = {0};
    args_text(&args, query->chain);
    args_text(&args, query->project);
    args_i64(&args, query->last);
    scoped_result *result = NULL;
    if (!query_run(db, Q_entry_log, &args, &result, err))
        return false;
    struct log_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct log_entry, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "the log", err);
    for (size_t i = 0; i < page.count; i++)
        if (!entry_read(result, (int)i, arena, &page.items[i]))
            return arena_failed(arena, "the log", err);
    *ret_page = page;
    return true;
}
