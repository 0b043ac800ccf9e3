/* Pages are small: the documents of one page lie in memory at once. */
#include "history/reading/interchange.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

enum { ID_PAGE = 1000, TRACK_PAGE = 100 };

static const struct row_kind ids = {ROWS_BY(Q_profile_ids, int64_t, "a page of ids", row_number),
                                    .limit = ID_PAGE};
static const struct row_kind events = {ROWS(Q_profile_events_list, struct profile_event,
                                            "the events of a profile", branch, commit, label)};

/* ---- series and numbers ---------------------------------------------------------------------- */

static const struct row_kind series = {ROWS(Q_series_page, struct series_row, "a page of series",
                                            id, project, workload, device_type, device_count,
                                            host_count, topology, definition_version),
                                       .limit = ID_PAGE};

bool ledger_series_after(struct db *db, int64_t after_id, struct arena *arena,
                         struct series_page *ret_page, struct err *err)
{
    return rows_after(db, &series, after_id, arena, ret_page, err);
}

bool ledger_pass_numbers(struct db *db, char letter, int64_t number, struct err *err)
{
    const char *table = letter == 's'   ? "series"
                        : letter == 'p' ? "profiles"
                        : letter == 'v' ? "verdicts"
                                        : "reports";
    return query_do(db, Q_numbers_pass, ARGS(table, number), err);
}

/* ---- profiles -------------------------------------------------------------------------------- */

bool ledger_profile_ids(struct db *db, int64_t after_id, struct arena *arena,
                        struct id_page *ret_page, struct err *err)
{
    return rows_after(db, &ids, after_id, arena, ret_page, err);
}

bool ledger_events(struct db *db, int64_t profile_id, struct arena *arena,
                   struct event_list *ret_events, struct err *err)
{
    return rows_read(db, &events, ARGS(profile_id), arena, ret_events, err);
}

static const struct row_kind recorded_profiles = {
    ROWS(Q_profile_recorded, struct profile_recorded, "a profile", project, workload, run,
         origin.recorded_at_utc, origin.by, unreadable)};
static const struct row_kind superseded = {ROWS(Q_profile_superseded, struct superseded_profile,
                                                "what a profile took the place of", profile, reason,
                                                origin.recorded_at_utc, origin.by)};

bool ledger_superseded(struct db *db, int64_t profile_id, struct arena *arena,
                       struct superseded_list *ret_superseded, struct err *err)
{
    return rows_read(db, &superseded, ARGS(profile_id), arena, ret_superseded, err);
}

bool ledger_recorded(struct db *db, int64_t profile_id, struct arena *arena,
                     struct profile_recorded *ret_recorded, struct err *err)
{
    bool found;
    return row_find(db, &recorded_profiles, ARGS(profile_id), arena,
                    (struct row_found){ret_recorded, &found}, err) &&
           (found ||
            err_set(err, ERR_MISSING, "the ledger holds no profile p%" PRId64, profile_id));
}

static void action_finish(const PGresult *rows, int row, struct arena *arena, void *item)
{
    struct amendment *amendment = &((struct recorded_amendment *)item)->amendment;
    (void)arena;
    while (amendment->action < AMEND_ACTION_COUNT - 1 &&
           strcmp(amend_action_names[amendment->action],
                  result_text(rows, row, C_profile_amendments_action)) != 0)
        amendment->action++;
}

static const struct row_field amendment_fields[] = {
    {ROW_SKIPPED, 0},
    ROW_FIELDS(struct recorded_amendment, amendment.reason, amendment.workload, amendment.run,
               amendment.branch, amendment.commit, amendment.label, events_before,
               origin.recorded_at_utc, origin.by),
    {ROW_END, 0},
};
static const struct row_kind amendments = {ROWS_BY(Q_profile_amendments, struct recorded_amendment,
                                                   "the corrections of a profile",
                                                   amendment_fields),
                                           .finish = action_finish};

bool ledger_amendments(struct db *db, int64_t profile_id, struct arena *arena,
                       struct amendment_list *ret_amendments, struct err *err)
{
    return rows_read(db, &amendments, ARGS(profile_id), arena, ret_amendments, err);
}

static const struct row_kind verdicts = {ROWS(Q_verdict_page, struct verdict_record, "a verdict",
                                              id, document, request, policy, origin.recorded_at_utc,
                                              origin.by)};
static const struct row_kind tracks = {ROWS(Q_track_page, struct track_row, "a page of records", id,
                                            project, workload, document, origin.recorded_at_utc,
                                            origin.by)};

bool ledger_verdict_after(struct db *db, int64_t after_id, struct arena *arena,
                          struct verdict_record *ret_record, bool *ret_found, struct err *err)
{
    return row_find(db, &verdicts, ARGS(after_id, arg_i64(1)), arena,
                    (struct row_found){ret_record, ret_found}, err);
}

bool ledger_tracks(struct db *db, const struct track_query *query, struct arena *arena,
                   struct track_page *ret_page, struct err *err)
{
    return rows_read(db, &tracks,
                     ARGS(query->after_id, query->project, query->workload, arg_i64(TRACK_PAGE)),
                     arena, ret_page, err);
}

bool ledger_append_track(struct db *db, const struct track_row *row, bool *ret_new, struct err *err)
{
    int64_t project_id;
    scoped_transaction *open = NULL;
    scoped_result *added = NULL;
    if (!transaction_open(db, &open, err) ||
        !project_find_or_add(db, row->project, &project_id, err) ||
        !query_run(db, Q_track_add, ARGS(project_id, row->workload, row->document), &added, err))
        return false;
    *ret_new = PQntuples(added) > 0;
    return (!*ret_new || added_due(db, ENTRY_TRACK, added, &row->origin, NULL, err)) &&
           transaction_close(&open, err);
}

bool ledger_verdict_find(struct db *db, const struct verdict_name *name, int64_t *ret_id,
                         struct err *err)
{
    return query_number_or(db, Q_verdict_known, ARGS(name->project, name->workload, name->document),
                           0, ret_id, err);
}
