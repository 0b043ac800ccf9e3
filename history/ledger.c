/* Appends profiles, each in one transaction: kill -9 at any moment leaves all of it or nothing.
 *
 * The same bytes in the same project are one profile. Who comes second, at once or years later,
 * gets the same id and adds at most an event. The document is printed before the workload's lock is
 * taken, so that others wait for the inserts only.
 */
#include "history/ledger.h"

#include "history/chain.h"
#include "history/find_or_add.h"
#include "history/hex.h"
#include "history/identity.h"
#include "history/ledger_rows.h"
#include "history/months.h"
#include "history/result.h"

#include <inttypes.h>
#include <string.h>

/* A document of this size is near what the server takes as one value. */
static const size_t DOCUMENT_BYTES_MAX = (size_t)512 << 20;

enum {
    FACT_BYTES_MAX = 200,
    TRACE_SHA256_BYTES = 32,
    HEADER_RUN_COLUMN = 10,
    HEADER_TIME_COLUMN = 17,
};

struct append {
    struct db *db;
    const struct profile_identity *identity;
    const struct summary *summary;
    struct arena *arena;
    int64_t project_id, series_id, profile_id;
    int64_t event_id; /* of the event that was appended; 0 = nothing new was said */
    const char *run;
    bool duplicate;
    struct section_digest sections[PROFILE_SECTION_COUNT]; /* of a new profile */
};

static bool document_print(const struct summary *summary, struct text *out, struct err *err)
{
    summary_print(summary, JSON_STYLE_INDENTED, out);
    return text_ok(out, "the summary document", err);
}

static const char *empty_as_null(const char *value)
{
    return value == NULL || value[0] == '\0' ? NULL : value;
}

/* What comes from the file and becomes part of a key has a bound too. */
static bool summary_check(const struct summary *summary, struct err *err)
{
    uint8_t digest[TRACE_SHA256_BYTES];
    const char *sha256 = summary->trace_provenance.trace_sha256;
    if (sha256 == NULL || !hex_read(sha256, digest, sizeof digest))
        return err_set(
            err, ERR_INPUT,
            "the summary's trace_sha256 is \"%.80s\", not 64 lower-case hex digits: only a "
            "summary of a known trace can be stored",
            sha256 == NULL ? "null" : sha256);
    const char *device_type = summary->environment.device_type;
    const char *topology = summary->environment.topology;
    if (device_type != NULL && strlen(device_type) > FACT_BYTES_MAX)
        return err_set(err, ERR_INPUT, "device type has more than %d bytes: %.60s...",
                       FACT_BYTES_MAX, device_type);
    if (topology != NULL && strlen(topology) > FACT_BYTES_MAX)
        return err_set(err, ERR_INPUT, "topology has more than %d bytes: %.60s...", FACT_BYTES_MAX,
                       topology);
    return true;
}

static bool series_find_or_add(struct append *append, struct err *err)
{
    const struct environment *environment = &append->summary->environment;
    struct args args = {0};
    args_i64(&args, append->project_id);
    args_text(&args, append->identity->workload);
    args_text(&args, empty_as_null(environment->device_type));
    args_opt_i64(&args, environment->device_count);
    args_opt_i64(&args, environment->host_count);
    args_text(&args, empty_as_null(environment->topology));
    args_i64(&args, append->summary->producer.definition_version);
    return find_or_add(append->db, Q_series_find, Q_series_add, &args, &append->series_id, err);
}

/* Fills profile_id, series_id and run when the bytes are known; *ret_found says so. */
static bool known_find(struct append *append, bool *ret_found, struct err *err)
{
    struct args args = {0};
    args_i64(&args, append->project_id);
    args_text(&args, append->summary->trace_provenance.trace_sha256);
    scoped_result *result = NULL;
    if (!query_run(append->db, Q_profile_find, &args, &result, err))
        return false;
    *ret_found = PQntuples(result) > 0;
    if (!*ret_found)
        return true;
    append->duplicate = true;
    append->profile_id = result_i64(result, 0, 0);
    append->series_id = result_i64(result, 0, 1);
    const char *workload = result_text(result, 0, 3);
    if (strcmp(workload, append->identity->workload) != 0)
        return err_set(
            err, ERR_INPUT,
            "these bytes are profile p%" PRId64 " of workload \"%s\" in project \"%s\"; a "
            "profile belongs to one workload, not also to \"%s\"",
            append->profile_id, workload, append->identity->project, append->identity->workload);
    return result_copy_text(result, 0, 2, append->arena, &append->run) ||
           arena_failed(append->arena, "a run's name", err);
}

static bool workload_lock(struct append *append, struct err *err)
{
    struct args args = {0};
    args_i64(&args, append->project_id);
    args_text(&args, append->identity->workload);
    return query_do(append->db, Q_workload_lock, &args, err);
}

static bool event_append(struct append *append, struct err *err)
{
    struct args args = {0};
    args_i64(&args, append->profile_id);
    args_text(&args, append->identity->branch);
    args_text(&args, append->identity->commit);
    args_text(&args, append->identity->label);
    scoped_result *result = NULL;
    if (!query_run(append->db, Q_profile_event_add, &args, &result, err))
        return false;
    append->event_id = PQntuples(result) > 0 ? result_i64(result, 0, 0) : 0;
    return true;
}

static bool header_digest(struct append *append, const PGresult *header, struct err *err)
{
    scoped_row_hash hash = {0};
    if (!row_hash_begin(&hash, err))
        return false;
    row_hash_result(&hash, header, 0);
    return row_hash_end(&hash, &append->sections[PROFILE_HEADER], err);
}

/* *ret_added false: another transaction has stored the same bytes meanwhile. */
static bool header_add(struct append *append, bool *ret_added, struct err *err)
{
    const struct summary *summary = append->summary;
    struct args args = {0};
    args_i64(&args, append->project_id);
    args_i64(&args, append->series_id);
    args_text(&args, append->identity->run);
    args_text(&args, summary->trace_provenance.trace_sha256);
    args_text(&args, summary->schema_version);
    args_text(&args, summary->source_format);
    args_text(&args, summary->source_path);
    args_text(&args, summary->producer.version);
    args_text(&args, summary->producer.breakdown_mode);
    scoped_result *result = NULL;
    if (!query_run(append->db, Q_profile_add, &args, &result, err))
        return false;
    *ret_added = PQntuples(result) > 0;
    if (!*ret_added)
        return true;
    append->profile_id = result_i64(result, 0, 0);
    if (!result_copy_text(result, 0, HEADER_RUN_COLUMN, append->arena, &append->run))
        return arena_failed(append->arena, "a run's name", err);
    return header_digest(append, result, err) &&
           months_ensure(append->db, result_wall_us(result, 0, HEADER_TIME_COLUMN), err);
}

static bool document_digest(struct append *append, const struct text *document, struct err *err)
{
    scoped_row_hash hash = {0};
    if (!row_hash_begin(&hash, err))
        return false;
    row_hash_row(&hash, 2);
    row_hash_i64(&hash, append->profile_id);
    row_hash_value(&hash, text_string(document), document->length);
    return row_hash_end(&hash, &append->sections[PROFILE_SUMMARY], err);
}

static bool body_append(struct append *append, const struct text *document, struct err *err)
{
    struct args args = {0};
    args_i64(&args, append->profile_id);
    args_text(&args, text_string(document));
    const struct rows_owner owner = {append->profile_id, append->series_id};
    return query_do(append->db, Q_summary_add, &args, err) &&
           document_digest(append, document, err) &&
           ledger_rows_append(append->db, &owner, append->summary, append->arena, append->sections,
                              err);
}

/* Last of all: the series' chain is this transaction's from here to its end. */
static bool entries_append(struct append *append, bool new_profile, struct err *err)
{
    struct chain chain;
    char name[CHAIN_NAME_BYTES];
    struct chain_entry entry = {.kind = ENTRY_PROFILE, .subject_id = append->profile_id};
    chain_name(name, append->project_id, append->series_id);
    if (new_profile && !content_digest(ENTRY_PROFILE, append->sections, entry.content_sha256, err))
        return false;
    if (!new_profile && append->event_id == 0)
        return true;
    if (!chain_open(&chain, append->db, name, err) ||
        (new_profile && !chain_add(&chain, &entry, err)))
        return false;
    return append->event_id == 0 || chain_add_stored(&chain, ENTRY_EVENT, append->event_id, err);
}

static bool new_append(struct append *append, struct err *err)
{
    bool added, found;
    scoped_text document;
    text_init(&document, DOCUMENT_BYTES_MAX);
    if (!document_print(append->summary, &document, err) || !workload_lock(append, err) ||
        !series_find_or_add(append, err) || !header_add(append, &added, err))
        return false;
    if (added)
        return event_append(append, err) && body_append(append, &document, err) &&
               entries_append(append, true, err);
    if (!known_find(append, &found, err))
        return false;
    if (!found)
        return err_set(err, ERR_BUG, "the profile that was in the way is not there");
    return event_append(append, err) && entries_append(append, false, err);
}

static bool profile_append(struct append *append, struct err *err)
{
    bool found;
    if (!project_find_or_add(append->db, append->identity->project, &append->project_id, err) ||
        !known_find(append, &found, err))
        return false;
    if (found)
        return workload_lock(append, err) && event_append(append, err) &&
               entries_append(append, false, err);
    return new_append(append, err);
}

bool ledger_append_profile_within(struct db *db, const struct profile_identity *identity,
                                  const struct summary *summary, struct arena *arena,
                                  struct profile_receipt *ret_receipt, struct err *err)
{
    struct append append = {.db = db, .identity = identity, .summary = summary, .arena = arena};
    if (!identity_check(identity, err) || !summary_check(summary, err) ||
        !profile_append(&append, err))
        return false;
    const char *series = arena_printf(arena, "s%" PRId64, append.series_id);
    if (series == NULL)
        return arena_failed(arena, "a receipt", err);
    *ret_receipt = (struct profile_receipt){
        .id = append.profile_id,
        .duplicate = append.duplicate,
        .trace_sha256 = summary->trace_provenance.trace_sha256,
        .series = series,
        .run = append.run,
    };
    return true;
}

bool ledger_append_profile(struct db *db, const struct profile_identity *identity,
                           const struct summary *summary, struct arena *arena,
                           struct profile_receipt *ret_receipt, struct err *err)
{
    struct profile_receipt receipt;
    if (!db_begin(db, err))
        return false;
    if (!ledger_append_profile_within(db, identity, summary, arena, &receipt, err) ||
        !db_commit(db, err)) {
        db_rollback(db);
        return false;
    }
    *ret_receipt = receipt;
    return true;
}
