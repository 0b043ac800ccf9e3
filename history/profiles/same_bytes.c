/* Compares what would be stored with what is stored, as documents: whatever a summary says, today
 * or in a later version, counts. */
#include "history/profiles/same_bytes.h"

#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

static const size_t DOCUMENT_BYTES_MAX = (size_t)512 << 20;

/* Facts of `held` whose names are not in `ours`, merged into it; both are sorted by name. */
static bool facts_take_over(struct environment *ours, const struct environment *held,
                            struct arena *arena, struct err *err)
{
    struct fact *facts = arena_array(arena, struct fact, ours->fact_count + held->fact_count);
    size_t count = 0, i = 0, k = 0;
    if (facts == NULL)
        return arena_failed(arena, "the facts of a profile", err);
    while (i < ours->fact_count || k < held->fact_count) {
        int order = i == ours->fact_count   ? 1
                    : k == held->fact_count ? -1
                                            : strcmp(ours->facts[i].name, held->facts[k].name);
        facts[count++] = order <= 0 ? ours->facts[i] : held->facts[k];
        i += order <= 0;
        k += order >= 0;
    }
    ours->facts = facts;
    ours->fact_count = count;
    return true;
}

static void text_take_over(const char **ours, const char *held)
{
    if (*ours == NULL)
        *ours = held;
}

static void metadata_take_over(struct run_metadata *ours, const struct run_metadata *held)
{
    text_take_over(&ours->run_path, held->run_path);
    text_take_over(&ours->run_id, held->run_id);
    text_take_over(&ours->artifact_ref, held->artifact_ref);
    text_take_over(&ours->artifact_name, held->artifact_name);
    text_take_over(&ours->hardware_type, held->hardware_type);
    text_take_over(&ours->mesh_or_topology, held->mesh_or_topology);
    text_take_over(&ours->git_sha, held->git_sha);
    text_take_over(&ours->config_hash, held->config_hash);
    if (!ours->num_devices.set)
        ours->num_devices = held->num_devices;
    if (!ours->num_hosts.set)
        ours->num_hosts = held->num_hosts;
}

/* The summary as it would be if it had been read when and where the other one was. */
static bool place_equalize(struct summary *summary, const struct summary *held, struct arena *arena,
                           struct err *err)
{
    summary->generated_at_utc = held->generated_at_utc;
    summary->source_path = held->source_path;
    summary->producer.version = held->producer.version;
    if (summary->source_count != held->source_count)
        return true;
    struct source_file *sources = arena_array(arena, struct source_file, summary->source_count);
    if (sources == NULL)
        return arena_failed(arena, "the files of a profile", err);
    for (size_t i = 0; i < summary->source_count; i++) {
        sources[i] = summary->sources[i];
        sources[i].path = held->sources[i].path;
    }
    summary->sources = sources;
    return true;
}

static bool differ(const struct summary *summary, const struct summary *held, struct arena *arena,
                   bool *ret_differ, struct err *err)
{
    struct summary equalized = *summary;
    scoped_text ours, theirs;
    text_init(&ours, DOCUMENT_BYTES_MAX);
    text_init(&theirs, DOCUMENT_BYTES_MAX);
    if (!place_equalize(&equalized, held, arena, err))
        return false;
    summary_print(&equalized, JSON_STYLE_LINE, &ours);
    summary_print(held, JSON_STYLE_LINE, &theirs);
    if (!text_ok(&ours, "the summary document", err) ||
        !text_ok(&theirs, "the summary document", err))
        return false;
    *ret_differ = strcmp(text_string(&ours), text_string(&theirs)) != 0;
    return true;
}

static bool held_compare(struct db *db, struct same_bytes *same, struct arena *arena,
                         struct err *err)
{
    struct ledger_profile held;
    struct summary *summary = same->summary;
    if (!ledger_load_profile(db, same->id, arena, &held, err))
        return false;
    bool imported = same->identity->origin != NULL;
    if (!imported && summary->has_ours && held.summary.has_ours &&
        !facts_take_over(&summary->environment, &held.summary.environment, arena, err))
        return false;
    if (!imported)
        metadata_take_over(&summary->run_metadata, &held.summary.run_metadata);
    return differ(summary, &held.summary, arena, &same->differs, err);
}

static bool retracted_refuse(int64_t id, const char *reason, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "these bytes are p%" PRId64
                   ", which was retracted (%.300s); `stepledger retract "
                   "p%" PRId64 " --undo --reason ...` takes that back",
                   id, reason, id);
}

/* What lies in an archive cannot be compared: it stands. */
static bool row_compare(struct db *db, const PGresult *rows, int row, struct same_bytes *same,
                        struct arena *arena, struct err *err)
{
    bool archived = result_bool(rows, row, 7);
    bool same_definition = result_i64(rows, row, 6) == same->summary->producer.definition_version;
    same->id = result_i64(rows, row, 0);
    same->series_id = result_i64(rows, row, 1);
    same->differs = !same_definition;
    if (!result_copy_text(rows, row, 2, arena, &same->run))
        return arena_failed(arena, "a run's name", err);
    if (archived || (same->identity->known_stands && same_definition))
        return true;
    return held_compare(db, same, arena, err);
}

bool same_bytes_find(struct db *db, struct same_bytes *same, struct arena *arena, struct err *err)
{
    bool imported = same->identity->origin != NULL;
    struct same_bytes none = *same, counts = *same;
    scoped_result *rows = NULL;
    struct args args = {0};
    args_i64(&args, same->project_id);
    args_text(&args, same->identity->workload);
    args_text(&args, same->summary->trace_provenance.trace_sha256);
    args_bool(&args, imported);
    if (!query_run(db, Q_same_bytes, &args, &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++) {
        if (!imported && !result_is_null(rows, row, 3))
            return retracted_refuse(result_i64(rows, row, 0), result_text(rows, row, 5), err);
        if (!row_compare(db, rows, row, same, arena, err))
            return false;
        if (!same->differs)
            return true;
        if (counts.id == 0 && result_is_null(rows, row, 4))
            counts = *same;
        *same = none;
    }
    *same = counts;
    return true;
}
