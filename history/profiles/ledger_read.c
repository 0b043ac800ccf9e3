/* Reads profiles back, one at a time: documents are large, and a page of them need not lie in
 * libpq's memory at once. The document is the source of the struct, so what was appended and what
 * is read are the same to the last digit. */
#include "history/profiles/ledger.h"

#include "history/archive/archive.h"
#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/identity.h"
#include "history/profiles/ledger_rows.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const size_t PROFILE_BUDGET_BYTES = (size_t)2 << 30;

static bool document_read(const PGresult *result, struct arena *arena, struct ledger_profile *out,
                          struct err *err)
{
    char name[40];
    (void)snprintf(name, sizeof name, "profile p%" PRId64, out->id);
    scoped_json *root =
        json_parse(result_text(result, 0, C_profile_load_document),
                   (size_t)PQgetlength(result, 0, C_profile_load_document), name, err);
    return root != NULL && summary_from_json(root, name, arena, &out->summary, err);
}

/* Where the document was left where it is. */
static bool document_fits(const PGresult *row, int64_t id, const struct arena *arena,
                          struct err *err)
{
    return !result_is_null(row, 0, C_profile_load_document) ||
           result_is_null(row, 0, C_profile_load_document_bytes) ||
           err_set(err, ERR_LIMIT,
                   "the document of p%" PRId64 " has %d bytes, more than the %zu MiB that are left "
                   "of max_memory_mb",
                   id, result_i32(row, 0, C_profile_load_document_bytes),
                   arena_left_bytes(arena) >> 20);
}

/* Why a profile cannot be relied on: what was found, which is then no failure. */
static bool why_keep(struct err *found, struct arena *arena, const char **ret_why)
{
    struct err why = *found;
    if (why.kind != ERR_INPUT)
        return false;
    *found = (struct err){0};
    *ret_why = arena_strdup(arena, why.text);
    return true;
}

/* The document is the one that was recorded. */
static bool document_check(struct db *db, const PGresult *result, int64_t id, struct arena *arena,
                           struct err *err)
{
    struct recorded_profile *recorded;
    struct row_hash hash;
    if (!recorded_read(db, &id, 1, arena, &recorded, err))
        return false;
    row_hash_begin(&hash);
    row_hash_row(&hash, 2);
    row_hash_i64(&hash, id);
    row_hash_value(&hash, result_text(result, 0, C_profile_load_document),
                   (size_t)PQgetlength(result, 0, C_profile_load_document));
    const struct section_digest found = row_hash_end(&hash);
    return recorded_check(recorded, PROFILE_SUMMARY, &found, err);
}

/* Its rows make its hash, and nobody can read them. */
static const char *stored_so(int64_t id, const char *why, struct arena *arena)
{
    return arena_printf(arena,
                        "%s (it was stored so; `stepledger retract p%" PRId64
                        "` says that it does not count)",
                        why, id);
}

/* A profile without a document: its month is in an archive, it was taken out, or it was stored
 * so. */
static bool document_missing(struct db *db, int64_t id, struct arena *arena,
                             const char **ret_unreadable, struct err *err)
{
    static const struct section_digest nothing = {0};
    bool found;
    struct archive archive;
    struct recorded_profile *recorded;
    if (!archive_of_profile(db, id, arena, &archive, &found, err))
        return false;
    if (found)
        return archive_refuse(&archive, id, err);
    if (!recorded_read(db, &id, 1, arena, &recorded, err))
        return false;
    if (!recorded_check(recorded, PROFILE_SUMMARY, &nothing, err))
        return why_keep(err, arena, ret_unreadable);
    *ret_unreadable =
        stored_so(id, arena_printf(arena, "p%" PRId64 " was stored without a summary", id), arena);
    return true;
}

/* The row of a profile; its header is read, its document is not, and is not there when it alone is
 * more than the arena has left. */
static bool profile_ask(struct db *db, int64_t id, struct arena *arena, PGresult **ret_row,
                        struct ledger_profile *ret_profile, struct err *err)
{
    if (!query_run(db, Q_profile_load, ARGS(id, (int64_t)arena_left_bytes(arena)), ret_row, err))
        return false;
    const PGresult *row = *ret_row;
    if (PQntuples(row) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no profile p%" PRId64, id);
    *ret_profile = (struct ledger_profile){
        .id = result_i64(row, 0, C_profile_load_id),
        .series = result_name(row, 0, C_profile_load_series_id, "s", arena),
        .recorded_at_utc = result_copy_time(row, 0, C_profile_load_recorded_at, arena),
        .superseded_by = result_opt_i64(row, 0, C_profile_load_superseded_by).value,
        .project = result_copy_text(row, 0, C_profile_load_project, arena),
        .workload = result_copy_text(row, 0, C_profile_load_workload, arena),
        .run = result_copy_text(row, 0, C_profile_load_run, arena),
        .branch = result_copy_text(row, 0, C_profile_load_branch, arena),
        .commit = result_copy_text(row, 0, C_profile_load_commit_sha, arena),
        .label = result_copy_text(row, 0, C_profile_load_label, arena),
        .captured_at_utc = result_copy_time(row, 0, C_profile_load_captured_at, arena),
        .ran_at_utc = result_copy_time(row, 0, C_profile_load_ran_at, arena),
        .retracted_at_utc = result_copy_time(row, 0, C_profile_load_retracted_at, arena),
        .reason = result_copy_text(row, 0, C_profile_load_reason, arena),
    };
    return arena_ok(arena, "a profile", err);
}

bool ledger_load_header(struct db *db, int64_t id, struct arena *arena,
                        struct ledger_profile *ret_profile, struct err *err)
{
    scoped_result *row = NULL;
    return profile_ask(db, id, arena, &row, ret_profile, err);
}

bool ledger_load_stored(struct db *db, int64_t id, struct arena *arena,
                        struct ledger_profile *ret_profile, const char **ret_unreadable,
                        struct err *err)
{
    struct ledger_profile profile;
    scoped_result *row = NULL;
    *ret_unreadable = NULL;
    if (!profile_ask(db, id, arena, &row, &profile, err) || !document_fits(row, id, arena, err))
        return false;
    if (result_is_null(row, 0, C_profile_load_document))
        return document_missing(db, id, arena, ret_unreadable, err);
    if (!document_check(db, row, id, arena, err))
        return why_keep(err, arena, ret_unreadable);
    if (!document_read(row, arena, &profile, err)) {
        if (!why_keep(err, arena, ret_unreadable))
            return false;
        *ret_unreadable = stored_so(id, *ret_unreadable, arena);
        return true;
    }
    *ret_profile = profile;
    return true;
}

bool ledger_load_profile(struct db *db, int64_t id, struct arena *arena,
                         struct ledger_profile *ret_profile, struct err *err)
{
    const char *unreadable;
    return ledger_load_stored(db, id, arena, ret_profile, &unreadable, err) &&
           (unreadable == NULL || err_set(err, ERR_INPUT, "%s", unreadable));
}

bool ledger_measures_backfill(struct db *db, int64_t id, struct err *err)
{
    struct ledger_profile profile;
    struct section_digest ignored;
    scoped_result *row = NULL;
    int64_t series_id;
    scoped_arena arena;
    arena_init(&arena, PROFILE_BUDGET_BYTES);
    if (!profile_ask(db, id, &arena, &row, &profile, err) || !document_fits(row, id, &arena, err))
        return false;
    if (result_is_null(row, 0, C_profile_load_document))
        return err_set(err, ERR_BUG,
                       "the document of p%" PRId64 " is gone: run `stepledger verify`", id);
    if (!document_read(row, &arena, &profile, err))
        return false;
    if (!text_parse_i64(profile.series + 1, &series_id))
        return err_set(err, ERR_BUG, "%s is no series", profile.series);
    const struct rows_owner owner = {id, series_id};
    scoped_pipeline pipeline = {0};
    return pipeline_begin(&pipeline, db, err) &&
           ledger_measures_add(&pipeline, &owner, &profile.summary, &ignored, err) &&
           pipeline_run(&pipeline, err);
}

/* ---- what is said of profiles ---------------------------------------------------------------- */

bool ledger_check_corrections(struct db *db, const char *project, const char *workload,
                              struct err *err)
{
    return recorded_check_words(db, ENTRY_AMENDMENT, Q_corrections_recorded,
                                ARGS(project, workload, arg_id(0)), err);
}

bool ledger_check_events(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                         struct err *err)
{
    return recorded_check_words(db, ENTRY_EVENT, Q_events_recorded,
                                ARGS(arg_i64s(arena, ids, count)), err);
}

bool ledger_check_words(struct db *db, int64_t id, struct arena *arena, struct err *err)
{
    const char *nobody = NULL;
    return recorded_check_words(db, ENTRY_AMENDMENT, Q_corrections_recorded,
                                ARGS(nobody, nobody, id), err) &&
           ledger_check_events(db, &id, 1, arena, err);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static const struct row_kind places = {ROWS(Q_baseline_profiles, struct profile_place,
                                            "a list of profiles", id, run, archived, is_behind)};

bool ledger_baseline_places(struct db *db, const struct baseline_query *query, struct arena *arena,
                            struct place_list *ret_places, struct err *err)
{
    struct opt_i64 series;
    if (!identity_series(query->series, &series, err))
        return false;
    if (!rows_read(db, &places,
                   ARGS(query->project, query->workload, query->branch, series,
                        arg_i64(query->run_limit < 0 ? 0 : query->run_limit),
                        arg_id(query->before_id),
                        arg_i64s(arena, query->exclude, query->exclude_count),
                        arg_id(query->since_id), query->with_since, arg_id(query->until_id),
                        query->with_until, arg_id(query->near_id)),
                   arena, ret_places, err))
        return false;
    int64_t *ids = arena_array(arena, int64_t, ret_places->count);
    for (size_t i = 0; i < ret_places->count; i++)
        ids[i] = ret_places->items[i].id;
    return ledger_check_corrections(db, query->project, query->workload, err) &&
           ledger_check_events(db, ids, ret_places->count, arena, err);
}

static const struct row_kind namesakes = {
    ROWS(Q_baseline_namesakes, struct namesake, "a list of runs", id, run)};

bool ledger_baseline_namesakes(struct db *db, const struct baseline_query *query,
                               struct arena *arena, struct namesake_list *ret_namesakes,
                               struct err *err)
{
    struct opt_i64 series;
    return identity_series(query->series, &series, err) &&
           rows_read(db, &namesakes,
                     ARGS(query->project, query->workload, query->branch, series,
                          arg_i64s(arena, query->exclude, query->exclude_count),
                          arg_id(query->since_id), query->with_since, arg_id(query->until_id),
                          query->with_until),
                     arena, ret_namesakes, err);
}

static bool nobody_called(const struct profile_reference *reference, struct err *err)
{
    static const char looked_for[] =
        "looked for an id, a run, a label, a commit of 7 digits or more";
    const char *project = reference->project, *workload = reference->workload;
    if (project == NULL && workload == NULL)
        return err_set(err, ERR_MISSING, "no profile of the ledger is called \"%s\" (%s)",
                       reference->name, looked_for);
    return err_set(err, ERR_MISSING,
                   "no profile of project \"%s\", workload \"%s\" is called \"%s\" (%s)",
                   project != NULL ? project : "(any)", workload != NULL ? workload : "(any)",
                   reference->name, looked_for);
}

static bool resolve(struct db *db, const struct profile_reference *reference, PGresult **ret_hits,
                    struct err *err)
{
    if (!query_run(db, Q_profile_resolve,
                   ARGS(reference->project, reference->workload, reference->name), ret_hits, err))
        return false;
    if (PQntuples(*ret_hits) == 0)
        return nobody_called(reference, err);
    /* A prefix that fits several commits must not be decided by chance. */
    const char *first = result_text(*ret_hits, 0, C_profile_resolve_commit_sha), *other;
    for (int row = 1; row < PQntuples(*ret_hits) && first != NULL; row++) {
        other = result_text(*ret_hits, row, C_profile_resolve_commit_sha);
        if (strcmp(first, other) != 0)
            return err_set(err, ERR_INPUT,
                           "\"%s\" is the start of several commits (%s, %s): write more of it",
                           reference->name, first, other);
    }
    return true;
}

bool ledger_resolve_ids(struct db *db, const struct profile_reference *reference,
                        struct arena *arena, struct id_list *ret_ids, struct err *err)
{
    scoped_result *hits = NULL;
    if (!resolve(db, reference, &hits, err))
        return false;
    *ret_ids =
        (struct id_list){result_ids(hits, C_profile_resolve_id, arena), (size_t)PQntuples(hits)};
    return arena_ok(arena, "a list of profiles", err);
}

bool ledger_resolve(struct db *db, const struct profile_reference *reference, struct arena *arena,
                    struct profile_page *ret_page, struct err *err)
{
    scoped_result *hits = NULL;
    if (!resolve(db, reference, &hits, err))
        return false;
    struct profile_page page = {.count = (size_t)PQntuples(hits)};
    page.items = arena_array(arena, struct ledger_profile, page.count);
    for (size_t i = 0; i < page.count; i++)
        if (!ledger_load_profile(db, result_i64(hits, (int)i, C_profile_resolve_id), arena,
                                 &page.items[i], err))
            return false;
    *ret_page = page;
    return true;
}
