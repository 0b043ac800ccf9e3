/* Compares what would be stored with what is stored, as documents: whatever a summary says, today
 * or in a later version, counts. */
#include "history/profiles/same_bytes.h"

#include "history/client/client.h"
#include "ops/runtime/text.h"
#include "schema/documents/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const size_t DOCUMENT_BYTES_MAX = (size_t)512 << 20;

/* ---- facts that are told otherwise ----------------------------------------------------------- */

enum { TOLD_BYTES_MAX = 600, NUMBER_BYTES = 24 };

/* Facts of these sources are the file's own: whoever reads it gets them. */
static const char *const own_sources[] = {"plane_stat", "plane_name", "task_environment",
                                          "derived"};

static void text_told(struct text *out, const char *name, const char *ours, const char *held)
{
    if (ours == NULL || (held != NULL && strcmp(ours, held) == 0) || out->length > TOLD_BYTES_MAX)
        return;
    text_addf(out, "%s%.60s %.80s (%s%.80s)", out->length == 0 ? "" : ", ", name, ours,
              held == NULL ? "not said" : "not ", held == NULL ? "" : held);
}

static void number_told(struct text *out, const char *name, struct opt_i64 ours,
                        struct opt_i64 held)
{
    char said[NUMBER_BYTES], known[NUMBER_BYTES];
    (void)snprintf(said, sizeof said, "%" PRId64, ours.value);
    (void)snprintf(known, sizeof known, "%" PRId64, held.value);
    text_told(out, name, ours.set ? said : NULL, held.set ? known : NULL);
}

/* Adds what is told of the capture now and was not when it was recorded. Where definitions are the
 * same, all that decides about series and comparability; a newer one may read more in the file. */
static void told_find(const struct summary *ours, const struct summary *held, struct text *out)
{
    const struct environment *now = &ours->environment, *then = &held->environment;
    const struct run_metadata *run = &ours->run_metadata, *run_then = &held->run_metadata;
    for (size_t i = 0; i < now->fact_count; i++) {
        const struct fact *fact = &now->facts[i], *known = environment_fact(then, fact->name);
        if (!text_is_one(fact->source, own_sources))
            text_told(out, fact->name, fact->value, known == NULL ? NULL : known->value);
    }
    if (ours->producer.definition_version != held->producer.definition_version)
        return;
    text_told(out, "device_type", now->device_type, then->device_type);
    text_told(out, "topology", now->topology, then->topology);
    text_told(out, "hardware_type", run->hardware_type, run_then->hardware_type);
    text_told(out, "mesh_or_topology", run->mesh_or_topology, run_then->mesh_or_topology);
    number_told(out, "device_count", now->device_count, then->device_count);
    number_told(out, "host_count", now->host_count, then->host_count);
    number_told(out, "num_devices", run->num_devices, run_then->num_devices);
    number_told(out, "num_hosts", run->num_hosts, run_then->num_hosts);
}

/* A profile that counts in baselines is not said to be of other work in passing. */
static bool told_check(struct same_bytes *same, const struct summary *held, struct arena *arena,
                       struct err *err)
{
    scoped_text told;
    text_init(&told, (size_t)2 * TOLD_BYTES_MAX);
    told_find(same->summary, held, &told);
    if (!text_ok(&told, "the facts of a profile", err))
        return false;
    if (told.length == 0)
        return true;
    if (same->identity->reason == NULL)
        return err_set(err, ERR_INPUT,
                       "these bytes are p%" PRId64
                       ", of which other facts are recorded: %s; --reason TEXT (of `ingest` and "
                       "`gate`) says them anew, under your name",
                       same->id, text_string(&told));
    same->told = arena_strdup(arena, text_string(&told));
    return true;
}

/* ---- the documents --------------------------------------------------------------------------- */

/* Facts of `held` whose names are not in `ours`, merged into it; both are sorted by name. */
static void facts_take_over(struct environment *ours, const struct environment *held,
                            struct arena *arena)
{
    struct fact *facts = arena_array(arena, struct fact, ours->fact_count + held->fact_count);
    size_t count = 0, i = 0, k = 0;
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
}

static void metadata_take_over(struct run_metadata *ours, const struct run_metadata *held)
{
    const struct {
        const char **ours, *held;
    } texts[] = {
        {&ours->run_path, held->run_path},
        {&ours->run_id, held->run_id},
        {&ours->artifact_ref, held->artifact_ref},
        {&ours->artifact_name, held->artifact_name},
        {&ours->hardware_type, held->hardware_type},
        {&ours->mesh_or_topology, held->mesh_or_topology},
        {&ours->git_sha, held->git_sha},
        {&ours->config_hash, held->config_hash},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (*texts[i].ours == NULL)
            *texts[i].ours = texts[i].held;
    if (!ours->num_devices.set)
        ours->num_devices = held->num_devices;
    if (!ours->num_hosts.set)
        ours->num_hosts = held->num_hosts;
}

/* What lay beside the file then is not to be forgotten because it is not there now; of the same
 * bytes it is told with the place that it had. */
static void memory_take_over(struct summary *ours, const struct summary *held)
{
    const struct memory_summary *now = &ours->memory, *then = &held->memory;
    bool same = held->has_memory && now->source_count == then->source_count;
    for (size_t i = 0; same && i < now->source_count; i++)
        same = strcmp(now->sources[i].sha256, then->sources[i].sha256) == 0;
    if (!held->has_memory || (ours->has_memory && !same))
        return;
    if (!ours->has_memory) { /* with the words about it */
        ours->capture.notes = held->capture.notes;
        ours->coverage.warnings = held->coverage.warnings;
    }
    ours->has_memory = true;
    ours->memory = held->memory;
}

static bool differ(const struct summary *summary, const struct summary *held, struct arena *arena,
                   bool *ret_differ, struct err *err)
{
    struct summary equalized = *summary;
    scoped_text ours, theirs;
    text_init(&ours, DOCUMENT_BYTES_MAX);
    text_init(&theirs, DOCUMENT_BYTES_MAX);
    /* As it would be if it had been read when and where the other one was. */
    equalized.generated_at_utc = held->generated_at_utc;
    equalized.source_path = held->source_path;
    equalized.producer.version = held->producer.version;
    if (summary->source_count == held->source_count) {
        equalized.sources = arena_array(arena, struct source_file, summary->source_count);
        for (size_t i = 0; i < summary->source_count; i++) {
            equalized.sources[i] = summary->sources[i];
            equalized.sources[i].path = held->sources[i].path;
        }
    }
    summary_print(&equalized, JSON_STYLE_LINE, &ours);
    summary_print(held, JSON_STYLE_LINE, &theirs);
    if (!text_ok(&ours, "the summary document", err) ||
        !text_ok(&theirs, "the summary document", err))
        return false;
    *ret_differ = strcmp(text_string(&ours), text_string(&theirs)) != 0;
    return true;
}

/* What lies in an archive cannot be compared: it stands. */
static bool row_compare(struct db *db, const PGresult *rows, int row, struct same_bytes *same,
                        struct arena *arena, struct err *err)
{
    bool archived = result_bool(rows, row, C_same_bytes_archived);
    bool same_definition = result_i64(rows, row, C_same_bytes_definition_version) ==
                           same->summary->producer.definition_version;
    same->id = result_i64(rows, row, C_same_bytes_id);
    same->series_id = result_i64(rows, row, C_same_bytes_series_id);
    same->differs = !same_definition;
    same->run = result_copy_text(rows, row, C_same_bytes_run, arena);
    if (archived || (same->identity->known_stands && same_definition && !same->summary->has_memory))
        return true;
    struct ledger_profile held;
    struct summary *summary = same->summary;
    if (!ledger_load_profile(db, same->id, arena, &held, err))
        return false;
    bool imported = same->identity->origin != NULL;
    if (!imported && !told_check(same, &held.summary, arena, err))
        return false;
    if (!imported && summary->has_ours && held.summary.has_ours)
        facts_take_over(&summary->environment, &held.summary.environment, arena);
    if (!imported && summary->has_figures && !figures_record(summary, arena, err))
        return false;
    if (!imported) {
        metadata_take_over(&summary->run_metadata, &held.summary.run_metadata);
        memory_take_over(summary, &held.summary);
    }
    return differ(summary, &held.summary, arena, &same->differs, err);
}

bool same_bytes_find(struct db *db, struct same_bytes *same, struct arena *arena, struct err *err)
{
    bool imported = same->identity->origin != NULL;
    struct same_bytes none = *same, counts = *same;
    scoped_result *rows = NULL;
    if (!query_run(db, Q_same_bytes,
                   ARGS(same->project_id, same->identity->workload,
                        same->summary->trace_provenance.trace_sha256, imported),
                   &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++) {
        bool retracted = !imported && !result_is_null(rows, row, C_same_bytes_retracted_at);
        if (retracted && counts.id != 0)
            break; /* what had taken the place of one that counts again */
        if (retracted) {
            int64_t id = result_i64(rows, row, C_same_bytes_id);
            const char *reason = result_text(rows, row, C_same_bytes_reason);
            return err_set(err, ERR_INPUT,
                           "these bytes are p%" PRId64
                           ", which was retracted (%.300s); `stepledger retract "
                           "p%" PRId64 " --undo --reason ...` takes that back",
                           id, reason, id);
        }
        if (!row_compare(db, rows, row, same, arena, err))
            return false;
        if (!same->differs)
            return true;
        if (counts.id == 0 && result_is_null(rows, row, C_same_bytes_superseded_by))
            counts = *same;
        *same = none;
    }
    *same = counts;
    return true;
}
