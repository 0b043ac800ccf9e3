/* Tells documents apart by their members. Profiles and verdicts go through the ledger's own
 * functions: what is imported is checked and hashed like what is ingested. */
#include "ops/cli/archive/import.h"

#include "history/alert/alert.h"
#include "history/verdicts/verdicts.h"
#include "ops/runtime/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const size_t DOCUMENT_BYTES_MAX = (size_t)512 << 20;

static bool member_missing(const char *name, const char *member, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: member \"%s\" is missing or of another type", name, member);
}

static bool scope_check(const struct import *import, const char *name, struct err *err)
{
    if (import->identity.project != NULL && import->identity.workload != NULL)
        return true;
    return err_set(err, ERR_USAGE,
                   "%s does not say where it belongs: give --project and --workload", name);
}

/* ---- series ---- */

/* Not set: null. */
static bool count_take(const json_t *line, const char *member, const char *name,
                       struct opt_i64 *ret_count, struct err *err)
{
    const json_t *value = json_object_get(line, member);
    *ret_count = json_is_integer(value) ? some_i64(json_integer_value(value)) : (struct opt_i64){0};
    return json_is_integer(value) || json_is_null(value) || member_missing(name, member, err);
}

static bool series_import(struct import *import, const json_t *line, const char *name,
                          struct err *err)
{
    int64_t theirs, ours;
    struct opt_i64 version;
    const char *id = import_text(line, "id");
    struct series_row row = {.project = import_text(line, "project"),
                             .workload = import_text(line, "workload"),
                             .device_type = import_text(line, "device_type"),
                             .topology = import_text(line, "topology")};
    if (id == NULL || id[0] != 's' || !text_parse_i64(id + 1, &theirs))
        return member_missing(name, "id", err);
    if (!count_take(line, "device_count", name, &row.device_count, err) ||
        !count_take(line, "host_count", name, &row.host_count, err) ||
        !count_take(line, "definition_version", name, &version, err))
        return false;
    if (!version.set)
        return member_missing(name, "definition_version", err);
    row.definition_version = version.value;
    if (theirs <= import->series || import->pair_count > 0)
        return err_set(err, ERR_INPUT,
                       "%s: s%" PRId64 " does not follow the line before it: series by their "
                       "numbers, before all profiles",
                       name, theirs);
    import->keeps_numbers |= import->series == 0;
    if (!import_number(import, 's', theirs, err))
        return false;
    if (!ledger_keep_series(import->db, &row, &ours, err))
        return err_prefix(err, "%s", name);
    import->series = theirs;
    import_number_given(import, (struct import_pair){'s', theirs, ours}, name);
    return true;
}

/* ---- profiles ---- */

static bool summary_store(struct import *import, const struct profile_identity *identity,
                          const json_t *document, const char *name,
                          struct profile_receipt *ret_receipt, struct err *err)
{
    struct summary summary;
    scoped_arena arena;
    arena_init_within(&arena, import->memory);
    if (!summary_from_json(document, name, &arena, &summary, err))
        return false;
    if (!ledger_append_profile(import->db, identity, &summary, &arena, ret_receipt, err))
        return err_prefix(err, "%s", name);
    import->profiles += !ret_receipt->duplicate;
    import->known += ret_receipt->duplicate;
    return true;
}

static void event_take(struct profile_identity *identity, const json_t *event)
{
    identity->branch = import_text(event, "branch");
    identity->commit = import_text(event, "commit");
    identity->label = import_text(event, "label");
}

static bool amendment_take(struct import *import, int64_t profile_id, const json_t *item,
                           const char *name, struct err *err)
{
    int64_t id;
    scoped_arena arena;
    const char *action = import_text(item, "action");
    const struct origin origin = import_origin(item);
    struct amendment amendment = {
        .profile_id = profile_id,
        .workload = import_text(item, "workload"),
        .branch = import_text(item, "branch"),
        .commit = import_text(item, "commit"),
        .run = import_text(item, "run"),
        .label = import_text(item, "label"),
        .reason = import_text(item, "reason"),
        .by = origin.by,
        .origin = origin.recorded_at_utc != NULL ? &origin : NULL,
    };
    arena_init_within(&arena, import->memory);
    while (amendment.action < AMEND_supersede &&
           (action == NULL || strcmp(amend_action_names[amendment.action], action) != 0))
        amendment.action++;
    if (amendment.action == AMEND_supersede)
        return member_missing(name, "action", err);
    return ledger_amend(import->db, &amendment, &arena, &id, err) || err_prefix(err, "%s", name);
}

/* What its events and corrections say, in the order in which they were said; of the corrections
 * those that the ledger does not hold yet. */
static bool words_import(struct import *import, const struct profile_identity *identity,
                         const json_t *line, int64_t profile_id, const char *name, struct err *err)
{
    scoped_arena arena;
    arena_init_within(&arena, import->memory);
    struct amendment_list held;
    struct profile_receipt receipt;
    struct profile_identity again = *identity;
    const json_t *events = json_object_get(line, "events");
    const json_t *amendments = json_object_get(line, "amendments");
    size_t event = 1, count = json_array_size(amendments);
    if (!ledger_amendments(import->db, profile_id, &arena, &held, err))
        return false;
    for (size_t i = 0; i <= count; i++) {
        const json_t *item = json_array_get(amendments, i);
        json_int_t before = json_integer_value(json_object_get(item, "events_before"));
        size_t last = i < count && before >= 0 ? (size_t)before : json_array_size(events);
        for (; event < last && event < json_array_size(events); event++) {
            event_take(&again, json_array_get(events, event));
            if (!summary_store(import, &again, json_object_get(line, "document"), name, &receipt,
                               err))
                return false;
        }
        if (i < count && i >= held.count && !amendment_take(import, profile_id, item, name, err))
            return false;
    }
    return true;
}

/* Ours of the profiles whose place it takes, and what was said of that, which exports of before do
 * not tell; those that were left out are passed over. */
static bool supersedes_read(struct import *import, const json_t *line, const char *name,
                            struct profile_identity *identity, struct err *err)
{
    const json_t *list = json_object_get(line, "supersedes");
    const json_t *said = json_object_get(line, "superseded");
    size_t count = 0, all = json_array_size(list);
    int64_t *ids = arena_array(import->arena, int64_t, all);
    struct superseded_word *words = arena_array(import->arena, struct superseded_word, all);
    identity->supersedes = ids;
    identity->superseded = words;
    for (size_t i = 0; i < all; i++) {
        const char *id = json_string_value(json_array_get(list, i));
        const json_t *word = json_array_get(said, i);
        if (!import_find(import, id == NULL ? "" : id, name, &ids[count], err))
            return false;
        if (ids[count] == IMPORT_LEFT_OUT)
            continue;
        const char *of = import_text(word, "profile"), *reason = import_text(word, "reason");
        const struct origin origin = import_origin(word);
        if (id != NULL && of != NULL && strcmp(of, id) == 0 && reason != NULL &&
            origin.recorded_at_utc != NULL)
            words[identity->superseded_count++] =
                (struct superseded_word){ids[count], reason, origin};
        count++;
    }
    identity->supersedes_count = count;
    return true;
}

/* The summary of a host's file can be read, and is of that file. */
static bool host_check(struct import *import, const char *document, const char *sha256,
                       const char *name, struct err *err)
{
    struct summary summary;
    scoped_arena arena;
    arena_init_within(&arena, import->memory);
    scoped_json *root = json_parse(document, strlen(document), name, err);
    if (root == NULL || !summary_from_json(root, name, &arena, &summary, err))
        return false;
    const char *own = summary.trace_provenance.trace_sha256;
    return (own != NULL && sha256 != NULL && strcmp(own, sha256) == 0) ||
           err_set(err, ERR_INPUT, "%s: the document of a host is that of another file", name);
}

/* What is kept of the hosts of a capture; exports of before do not say it: nothing joins them. */
static bool hosts_read(struct import *import, const json_t *line, const char *name,
                       struct profile_identity *identity, struct err *err)
{
    const json_t *list = json_object_get(line, "hosts");
    const json_t *capture = json_object_get(json_object_get(line, "document"), "capture");
    const json_t *files = json_object_get(capture, "hosts");
    size_t count = json_array_size(list);
    if (count == 0)
        return true;
    if (count != json_array_size(files))
        return err_set(err, ERR_INPUT, "%s: %zu hosts, but the capture has %zu", name, count,
                       json_array_size(files));
    struct host_record *records = arena_array(import->arena, struct host_record, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *host = json_array_get(list, i);
        records[i] = (struct host_record){import_text(host, "job"), import_text(host, "document")};
        if (records[i].document != NULL &&
            !host_check(import, records[i].document,
                        import_text(json_array_get(files, i), "sha256"), name, err))
            return false;
    }
    identity->hosts = records;
    return true;
}

/* A run that is called after its first profile is called after ours. When that was left out, the
 * profile is a run of its own. */
static bool run_translate(struct import *import, const char *name,
                          struct profile_identity *identity, struct err *err)
{
    int64_t number, ours;
    const char *run = identity->run;
    if (run == NULL || run[0] != 'p' || !text_parse_i64(run + 1, &number))
        return true;
    if (!import_find(import, run, name, &ours, err))
        return false;
    identity->run_is_known = ours != IMPORT_LEFT_OUT;
    identity->run = identity->run_is_known ? arena_printf(import->arena, "p%" PRId64, ours) : NULL;
    return true;
}

/* The first event comes with the profile, each further one as the same bytes again. */
static bool profile_import(struct import *import, const json_t *line, const char *name,
                           struct err *err)
{
    int64_t theirs;
    struct profile_receipt receipt;
    const char *id = import_text(line, "id");
    const struct origin origin = import_origin(line);
    const json_t *document = json_object_get(line, "document");
    struct profile_identity identity = {.project = import_text(line, "project"),
                                        .workload = import_text(line, "workload"),
                                        .run = import_text(line, "run"),
                                        .origin = origin.recorded_at_utc != NULL ? &origin : NULL};
    if (id == NULL || id[0] != 'p' || !text_parse_i64(id + 1, &theirs))
        return member_missing(name, "id", err);
    if (json_is_null(document))
        return import_pair_add(import, (struct import_pair){'p', theirs, IMPORT_LEFT_OUT}, name,
                               err) &&
               import_left_out(import, name, line);
    event_take(&identity, json_array_get(json_object_get(line, "events"), 0));
    if (!run_translate(import, name, &identity, err) ||
        !supersedes_read(import, line, name, &identity, err) ||
        !hosts_read(import, line, name, &identity, err) ||
        !import_number(import, 'p', theirs, err) ||
        !summary_store(import, &identity, document, name, &receipt, err) ||
        !import_pair_add(import, (struct import_pair){'p', theirs, receipt.id}, name, err))
        return false;
    int64_t known = import->known;
    bool done = words_import(import, &identity, line, receipt.id, name, err);
    import->known = known;
    return done;
}

/* ---- verdicts ---- */

/* *ret_left_out becomes true when one of them is not here. */
static bool side_translate(const struct import *import, struct verdict_side *side,
                           struct arena *arena, const char *name, bool *ret_left_out,
                           struct err *err)
{
    for (size_t i = 0; i < side->profile_ids.count; i++) {
        int64_t ours;
        if (!import_find(import, side->profile_ids.items[i], name, &ours, err))
            return false;
        *ret_left_out |= ours == IMPORT_LEFT_OUT;
        side->profile_ids.items[i] = arena_printf(arena, "p%" PRId64, ours);
    }
    return true;
}

static bool verdict_import(struct import *import, const json_t *line, const char *name,
                           struct err *err)
{
    int64_t theirs;
    bool known, left_out = false;
    struct verdict verdict;
    static const struct alert_change no_change;
    const struct origin origin = import_origin(line);
    const char *id = import_text(line, "id");
    const json_t *document = json_object_get(line, "document");
    scoped_arena arena;
    arena_init_within(&arena, import->memory);
    scoped_text text;
    text_init(&text, DOCUMENT_BYTES_MAX);
    if (document == NULL || id == NULL || id[0] != 'v' || !text_parse_i64(id + 1, &theirs))
        return member_missing(name, "id or document", err);
    if (json_is_null(document))
        return import_pair_add(import, (struct import_pair){'v', theirs, IMPORT_LEFT_OUT}, name,
                               err) &&
               import_left_out(import, name, line);
    json_print(document, JSON_STYLE_INDENTED, &text);
    struct verdict_entry entry = {
        .verdict = &verdict,
        .document = text_string(&text),
        .request = import_text(line, "request"),
        .policy = import_text(line, "policy"),
        .alert = import->tells_moves ? &no_change : NULL,
        .origin = origin.recorded_at_utc != NULL ? &origin : NULL,
    };
    if (!text_ok(&text, name, err) || !verdict_from_json(document, name, &arena, &verdict, err) ||
        !side_translate(import, &verdict.baseline, &arena, name, &left_out, err) ||
        !side_translate(import, &verdict.candidate, &arena, name, &left_out, err))
        return false;
    if (left_out)
        return import_pair_add(import, (struct import_pair){'v', theirs, IMPORT_LEFT_OUT}, name,
                               err) &&
               import_left_out(import, name, line);
    const struct verdict_name told = {verdict.project, verdict.workload, entry.document};
    if (!ledger_verdict_find(import->db, &told, &entry.id, err))
        return false;
    known = entry.id != 0;
    if ((!known && (!import_number(import, 'v', theirs, err) ||
                    !ledger_reserve_verdict(import->db, &entry.id, err) ||
                    !ledger_append_verdict(import->db, &entry, err))) ||
        !import_pair_add(import, (struct import_pair){'v', theirs, entry.id}, name, err))
        return false;
    import->verdicts += !known;
    import->known += known;
    return true;
}

/* ---- records of track ---- */

static bool track_store(struct import *import, const struct track_row *where,
                        const json_t *document, const char *name, struct err *err)
{
    bool fresh;
    scoped_text text;
    text_init(&text, DOCUMENT_BYTES_MAX);
    json_print(document, JSON_STYLE_LINE, &text);
    struct track_row row = *where;
    row.document = text_string(&text);
    if (!text_ok(&text, name, err) || !ledger_append_track(import->db, &row, &fresh, err))
        return false;
    import->tracks += fresh;
    import->known += !fresh;
    return true;
}

static bool track_import(struct import *import, const json_t *line, const char *name,
                         struct err *err)
{
    const struct track_row where = {.project = import_text(line, "project"),
                                    .workload = import_text(line, "workload"),
                                    .origin = import_origin(line)};
    const json_t *document = json_object_get(line, "document");
    if (where.project == NULL || where.workload == NULL || !json_is_object(document))
        return member_missing(name, "project, workload or document", err);
    return track_store(import, &where, document, name, err);
}

/* ---- lines of an export ---- */

static bool export_begin(struct import *import, const json_t *line, const char *name,
                         struct err *err)
{
    const char *version = import_text(line, "schema_version");
    import->pair_count = 0;
    import->series = import->reports = 0;
    import->keeps_numbers = false;
    import->tells_moves = json_is_true(json_object_get(line, "tells_alert_moves"));
    return (version != NULL && strcmp(version, "export.v1") == 0) ||
           err_set(err, ERR_INPUT, "%s: this is no export.v1", name);
}

static const struct {
    const char *type;
    import_take *take; /* NULL: there is nothing to store */
} types[] = {{"export", export_begin},
             {"series", series_import},
             {"profile", profile_import},
             {"verdict", verdict_import},
             {"acceptance", import_acceptance},
             {"rebaseline", import_rebaseline},
             {"change_point", import_change_point},
             {"alert_move", import_alert_move},
             {"delivery", import_delivery},
             {"report", import_report},
             {"track", track_import},
             {"end", NULL}};

bool import_line(struct import *import, const json_t *line, const char *name, struct err *err)
{
    const char *type = import_text(line, "type"), *version = import_text(line, "schema_version");
    for (size_t i = 0; type != NULL && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].type, type) == 0)
            return import->takes_lines
                       ? types[i].take == NULL || types[i].take(import, line, name, err)
                       : err_set(err, ERR_INPUT,
                                 "%s: a line of an export, but the file does not begin as one: its "
                                 "first lines are missing (--unsealed takes what is left)",
                                 name);
    if (version != NULL && strcmp(version, "profile_summary.v1") == 0) {
        struct profile_receipt receipt;
        return scope_check(import, name, err) &&
               summary_store(import, &import->identity, line, name, &receipt, err);
    }
    if (json_is_object(json_object_get(line, "assessment"))) {
        const struct track_row where = {.project = import->identity.project,
                                        .workload = import->identity.workload};
        return scope_check(import, name, err) && track_store(import, &where, line, name, err);
    }
    return err_set(err, ERR_INPUT,
                   "%s: neither a line of an export, nor a profile_summary.v1, nor a record of "
                   "`track`",
                   name);
}
