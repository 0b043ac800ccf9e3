/* Appends profiles, each in one transaction: kill -9 at any moment leaves all of it or nothing.
 *
 * The same bytes in the same workload are one profile that counts. Who comes second, at once or
 * years later, gets the same id and adds at most an event, or appends another summary that takes
 * its place. The document is printed before the workload's lock is taken, so that others wait for
 * the inserts only. What does not need another's answer travels together: a new profile takes five
 * round trips besides those of its COPYs.
 */
#include "history/profiles/ledger.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/amend.h"
#include "history/profiles/capture_hosts.h"
#include "history/profiles/findings.h"
#include "history/profiles/identity.h"
#include "history/profiles/ledger_rows.h"
#include "history/profiles/same_bytes.h"
#include "ops/runtime/clock.h"

#include <inttypes.h>
#include <string.h>

/* A document of this size is near what the server takes as one value. */
static const size_t DOCUMENT_BYTES_MAX = (size_t)512 << 20;

enum { FACT_BYTES_MAX = 200, TRACE_SHA256_BYTES = 32 };

/* Of Q_profile_add: the header's content, then that of its event. */
static const struct column_range header_columns = {0, 19},
                                 event_columns = {C_profile_add_event_id, 7};
/* Of Q_origin_add. */
static const struct column_range origin_columns = {0, 3};

struct append {
    struct db *db;
    const struct profile_identity *identity;
    struct summary *summary;
    struct arena *arena;
    int64_t project_id, series_id, profile_id;
    int64_t event_id; /* of the event that was appended; 0 = nothing new was said */
    const char *run;
    struct same_bytes known;
    bool added;
    struct section_digest sections[PROFILE_SECTION_COUNT]; /* of a new profile */
    struct chain_entry event;                              /* of a new profile */
    struct op_dictionary dictionary;
};

static const char *empty_as_null(const char *value)
{
    return value == NULL || value[0] == '\0' ? NULL : value;
}

/* What identifies a series in its project. */
static void series_args(struct args *args, const struct append *append)
{
    const struct environment *environment = &append->summary->environment;
    (void)ARGS_MORE(args, append->identity->workload, empty_as_null(environment->device_type),
                    environment->device_count, environment->host_count,
                    empty_as_null(environment->topology),
                    arg_i64(append->summary->producer.definition_version));
}

static bool series_find_or_add(struct append *append, struct err *err)
{
    static const struct addition series = {Q_series_find, Q_series_add, ENTRY_SERIES};
    struct args args = {0};
    (void)ARGS_MORE(&args, append->project_id);
    series_args(&args, append);
    return find_or_add(append->db, &series, &args, &append->series_id, err);
}

bool ledger_keep_series(struct db *db, const struct series_row *row, int64_t *ret_id,
                        struct err *err)
{
    static const struct addition addition = {Q_series_find, Q_series_add, ENTRY_SERIES};
    const struct profile_identity identity = {.project = row->project, .workload = row->workload};
    int64_t project_id;
    scoped_transaction *open = NULL;
    return identity_check(&identity, err) && transaction_open(db, &open, err) &&
           project_find_or_add(db, row->project, &project_id, err) &&
           query_do(db, Q_workload_lock, ARGS(project_id, row->workload), err) &&
           find_or_add(db, &addition,
                       ARGS(project_id, row->workload, row->device_type, row->device_count,
                            row->host_count, row->topology, arg_i64(row->definition_version)),
                       ret_id, err) &&
           transaction_close(&open, err);
}

/* Fills the ids that there are, and what is known of the bytes. */
static bool append_find(struct append *append, struct err *err)
{
    struct args args = {0};
    (void)ARGS_MORE(&args, append->identity->project);
    series_args(&args, append);
    scoped_result *found = NULL;
    if (!query_run(append->db, Q_append_find, &args, &found, err))
        return false;
    if (PQntuples(found) == 0)
        return project_find_or_add(append->db, append->identity->project, &append->project_id, err);
    append->project_id = result_i64(found, 0, C_append_find_project_id);
    append->series_id = result_opt_i64(found, 0, C_append_find_series_id).value;
    append->known = (struct same_bytes){
        .project_id = append->project_id, .identity = append->identity, .summary = append->summary};
    return same_bytes_find(append->db, &append->known, append->arena, err);
}

static bool known_append(struct append *append, struct err *err)
{
    char name[CHAIN_NAME_BYTES];
    append->profile_id = append->known.id;
    append->series_id = append->known.series_id;
    append->run = append->known.run;
    chain_name(name, append->project_id, append->series_id);
    /* The event of bytes that are known. */
    const struct profile_identity *identity = append->identity;
    if (!query_do(append->db, Q_workload_lock, ARGS(append->project_id, identity->workload), err) ||
        !query_number_or(
            append->db, Q_profile_event_add,
            ARGS(append->profile_id, identity->branch_is_implied ? NULL : identity->branch,
                 identity->commit_is_implied ? NULL : identity->commit, identity->label),
            0, &append->event_id, err))
        return false;
    return append->event_id == 0 || entry_due(append->db, name, ENTRY_EVENT, append->event_id, err);
}

/* ---- months ---- */

/* Made through a function of the database that has the owner's rights. What was made here is not
 * remembered: it goes when the transaction does. */
bool months_prepare(struct db *db, bool *ret_new, struct err *err)
{
    bool were_there;
    if (!query_bool(db, Q_months_ensure, NULL, &were_there, err))
        return false;
    *ret_new = !were_there;
    return true;
}

static bool months_ensure(struct db *db, int64_t recorded_us, struct err *err)
{
    bool is_new;
    char month[CLOCK_ISO_BYTES];
    clock_iso(recorded_us, month);
    month[MONTH_BYTES - 1] = '\0';
    if (strcmp(db->month, month) == 0)
        return true;
    if (!months_prepare(db, &is_new, err))
        return false;
    if (!is_new)
        memcpy(db->month, month, sizeof db->month);
    return true;
}

/* ---- a new profile ---- */

static bool header_take(struct append *append, const PGresult *header, struct err *err)
{
    const struct section_digest event = rows_digest(header, 0, 1, event_columns);
    append->profile_id = result_i64(header, 0, C_profile_add_id);
    append->event = (struct chain_entry){.kind = ENTRY_EVENT,
                                         .subject_id = result_i64(header, 0, event_columns.first)};
    append->run = result_copy_text(header, 0, C_profile_add_run, append->arena);
    append->sections[PROFILE_HEADER] = rows_digest(header, 0, 1, header_columns);
    content_digest(ENTRY_EVENT, &event, append->event.content_sha256);
    return months_ensure(append->db, result_wall_us(header, 0, C_profile_add_recorded_at), err);
}

/* Bytes that are read again stay in the run that they are of, unless it had no name and now gets
 * one: a run that is called after its first profile is still the same job's. */
static const char *run_of(const struct append *append)
{
    const char *held = append->known.run, *given = append->identity->run;
    return held == NULL || (given != NULL && identity_is_entry_id(held)) ? given : held;
}

/* The header alone, under the workload's lock, and which ops are new. *ret_added false: another
 * transaction has stored the same bytes meanwhile. */
static bool header_add(struct append *append, bool *ret_added, struct err *err)
{
    scoped_pipeline pipeline = {0};
    if (!pipeline_begin(&pipeline, append->db, err) ||
        !pipeline_add(&pipeline, Q_workload_lock,
                      ARGS(append->project_id, append->identity->workload), err))
        return false;
    const struct summary *summary = append->summary;
    const struct profile_identity *identity = append->identity;
    if (!pipeline_add(&pipeline, Q_profile_add,
                      ARGS(append->project_id, append->series_id, run_of(append),
                           summary->trace_provenance.trace_sha256, summary->schema_version,
                           summary->source_format, summary->source_path, summary->producer.version,
                           summary->producer.breakdown_mode, identity->branch, identity->commit,
                           identity->label, identity->workload, arg_id(append->known.id)),
                      err) ||
        !op_dictionary_ask(&append->dictionary, &pipeline, err) || !pipeline_run(&pipeline, err))
        return false;
    const PGresult *added = pipeline_result(&pipeline, Q_profile_add);
    *ret_added = PQntuples(added) > 0;
    if (*ret_added)
        op_dictionary_take(&append->dictionary, &pipeline);
    return !*ret_added || header_take(append, added, err);
}

/* All but the tables of many rows. */
static bool body_add(struct append *append, const struct text *document, struct err *err)
{
    struct section_digest *sections = append->sections;
    const struct rows_owner owner = {append->profile_id, append->series_id};
    const struct origin *origin = append->identity->origin; /* of when another ledger recorded it */
    struct row_hash hash;
    struct args origin_row = {0};
    scoped_pipeline pipeline = {0};
    row_hash_begin(&hash);
    row_hash_row(&hash, 2);
    row_hash_i64(&hash, append->profile_id);
    row_hash_value(&hash, text_string(document), document->length);
    sections[PROFILE_SUMMARY] = row_hash_end(&hash);
    if (origin != NULL)
        origin_args(&origin_row, ENTRY_PROFILE, append->profile_id, origin);
    if (!pipeline_begin(&pipeline, append->db, err) ||
        !pipeline_add(&pipeline, Q_summary_add, ARGS(append->profile_id, text_string(document)),
                      err) ||
        !ledger_measures_add(&pipeline, &owner, append->summary, &sections[PROFILE_MEASURES],
                             err) ||
        (origin != NULL && !pipeline_add(&pipeline, Q_origin_add, &origin_row, err)) ||
        !findings_add(&pipeline, &owner, append->summary, &sections[PROFILE_FINDINGS], err) ||
        !capture_hosts_add(&pipeline, &owner, append->identity, append->summary,
                           &sections[PROFILE_CAPTURE], err) ||
        (append->summary->has_ours &&
         !ledger_few_rows_add(&pipeline, &owner, append->summary, append->arena, sections, err)) ||
        !op_dictionary_add(&append->dictionary, append->profile_id, &pipeline, err) ||
        !pipeline_run(&pipeline, err))
        return false;
    if (origin != NULL)
        sections[PROFILE_ORIGIN] =
            rows_digest(pipeline_result(&pipeline, Q_origin_add), 0, 1, origin_columns);
    sections[PROFILE_SIGNATURES] = op_dictionary_digest(&append->dictionary, &pipeline);
    return true;
}

static bool body_append(struct append *append, const struct text *document, struct err *err)
{
    const struct rows_owner owner = {append->profile_id, append->series_id};
    if (!body_add(append, document, err) ||
        (append->summary->has_ours &&
         !ledger_many_rows_copy(append->db, &owner, &append->dictionary, append->sections, err)))
        return false;
    uint8_t content[SHA256_BYTES], packed[RECORDED_BYTES]; /* for who reads a part of it */
    scoped_pipeline pipeline = {0};
    content_digest(ENTRY_PROFILE, append->sections, content);
    recorded_pack(append->sections, packed);
    return pipeline_begin(&pipeline, append->db, err) &&
           pipeline_add(&pipeline, Q_content_sections_add,
                        ARGS(append->profile_id, arg_bytes(packed, sizeof packed)), err) &&
           pipeline_add(
               &pipeline, Q_profile_entries_append,
               ARGS(append->profile_id, arg_bytes(content, sizeof content),
                    append->event.subject_id,
                    arg_bytes(append->event.content_sha256, sizeof append->event.content_sha256)),
               err) &&
           pipeline_run(&pipeline, err);
}

/* The profile takes the place of that one: as the import tells it, else for this reason. */
static bool supersede(struct append *append, int64_t id, const struct successor *usual,
                      struct err *err)
{
    const struct profile_identity *identity = append->identity;
    struct successor successor = *usual;
    successor.origin = identity->origin;
    for (size_t i = 0; i < identity->superseded_count; i++)
        if (identity->superseded[i].id == id) {
            successor.reason = identity->superseded[i].reason;
            successor.origin = &identity->superseded[i].origin;
        }
    if (successor.origin != NULL)
        successor.by = successor.origin->by;
    return ledger_supersede_within(append->db, id, &successor, append->arena, err);
}

/* What the new profile takes the place of. */
static bool supersede_all(struct append *append, struct err *err)
{
    const struct profile_identity *identity = append->identity;
    const char *told = append->known.told;
    struct successor reading = {.id = append->profile_id,
                                .reason = "the same bytes were read in another way"};
    const struct successor more = {.id = append->profile_id,
                                   .reason = "more of the same capture is known"};
    if (told != NULL) {
        reading.reason = arena_printf(append->arena, "%s: %s", identity->reason, told);
        reading.by = identity->by;
    }
    if (append->known.id != 0 && !supersede(append, append->known.id, &reading, err))
        return false;
    for (size_t i = 0; i < identity->supersedes_count; i++)
        if (identity->supersedes[i] != append->known.id &&
            !supersede(append, identity->supersedes[i], &more, err))
            return false;
    return true;
}

/* append->added stays false when another transaction has stored the same bytes meanwhile. */
static bool new_append(struct append *append, struct err *err)
{
    scoped_text document;
    text_init(&document, DOCUMENT_BYTES_MAX);
    summary_print(append->summary, JSON_STYLE_INDENTED, &document);
    if (!text_ok(&document, "the summary document", err))
        return false;
    op_dictionary_make(append->summary, append->arena, &append->dictionary);
    /* Two that bring a series wait for each other here and not in the index. */
    if (append->series_id == 0 &&
        (!query_do(append->db, Q_workload_lock,
                   ARGS(append->project_id, append->identity->workload), err) ||
         !series_find_or_add(append, err)))
        return false;
    return header_add(append, &append->added, err) &&
           (!append->added || (body_append(append, &document, err) && supersede_all(append, err)));
}

/* Nothing is stored but what is said of it. */
static bool told_append(struct append *append, struct err *err)
{
    scoped_result *held = NULL;
    const int64_t id = append->identity->told_by;
    if (!project_find_or_add(append->db, append->identity->project, &append->project_id, err) ||
        !query_run(append->db, Q_profile_held, ARGS(id), &held, err))
        return false;
    if (PQntuples(held) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no profile p%" PRId64, id);
    append->known.id = id;
    append->known.series_id = result_i64(held, 0, C_profile_held_series_id);
    append->known.run = result_copy_text(held, 0, C_profile_held_run, append->arena);
    return known_append(append, err);
}

/* Who finds that another was faster looks again at what that one stored. */
static bool profile_append(struct append *append, struct err *err)
{
    enum { TRIES = 5 };
    if (append->identity->told_by != 0)
        return told_append(append, err);
    for (int i = 0; i < TRIES; i++) {
        append->known = (struct same_bytes){0};
        if (!append_find(append, err))
            return false;
        if (append->known.id != 0 && !append->known.differs)
            return known_append(append, err);
        bool done = new_append(append, err);
        if (!done || append->added)
            return done;
    }
    return err_set(err, ERR_CONFLICT, "the same bytes are stored in several ways at once");
}

bool ledger_append_profile_within(struct db *db, const struct profile_identity *identity,
                                  const struct summary *summary, struct arena *arena,
                                  struct profile_receipt *ret_receipt, struct err *err)
{
    struct summary taken = *summary;
    struct append append = {.db = db, .identity = identity, .summary = &taken, .arena = arena};
    if (!identity_check(identity, err) || !identity_shows(identity, err))
        return false;
    /* What comes from the file and becomes part of a key has a bound too. */
    uint8_t digest[TRACE_SHA256_BYTES];
    const char *sha256 = summary->trace_provenance.trace_sha256;
    if (sha256 == NULL || !hex_read(sha256, digest, sizeof digest))
        return err_set(
            err, ERR_INPUT,
            "the summary's trace_sha256 is \"%.80s\", not 64 lower-case hex digits: only a "
            "summary of a known trace can be stored",
            sha256 == NULL ? "null" : sha256);
    const struct {
        const char *what, *value;
    } facts[] = {{"device type", summary->environment.device_type},
                 {"topology", summary->environment.topology}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (facts[i].value != NULL && strlen(facts[i].value) > FACT_BYTES_MAX)
            return err_set(err, ERR_INPUT, "%s has more than %d bytes: %.60s...", facts[i].what,
                           FACT_BYTES_MAX, facts[i].value);
    if (!profile_append(&append, err))
        return false;
    *ret_receipt = (struct profile_receipt){
        .id = append.profile_id,
        .duplicate = !append.added,
        .named = !append.added && append.event_id != 0,
        .superseded = append.added ? append.known.id : 0,
        .trace_sha256 = summary->trace_provenance.trace_sha256,
        .series = arena_printf(arena, "s%" PRId64, append.series_id),
        .run = append.run,
    };
    return arena_ok(arena, "a profile", err);
}

bool ledger_append_profile(struct db *db, const struct profile_identity *identity,
                           const struct summary *summary, struct arena *arena,
                           struct profile_receipt *ret_receipt, struct err *err)
{
    scoped_transaction *open = NULL;
    return transaction_open(db, &open, err) &&
           ledger_append_profile_within(db, identity, summary, arena, ret_receipt, err) &&
           transaction_close(&open, err);
}
