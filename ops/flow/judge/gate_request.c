/* Implements the way of a gate's input to its document and back. */
#include "ops/flow/judge/gate_request.h"

#include "history/verdicts/verdicts.h"
#include "ops/runtime/json.h"
#include "schema/documents/gate_request.h"

#include <string.h>

static const char version[] = "gate_request.v1";

/* ---- writing --------------------------------------------------------------------------------- */

static bool side_write(const struct gate_side *side, struct arena *arena,
                       struct request_side *ret_side, struct err *err)
{
    struct request_profile *profiles =
        arena_array(arena, struct request_profile, side->profile_count);
    if (profiles == NULL)
        return arena_failed(arena, "the request", err);
    for (size_t i = 0; i < side->profile_count; i++) {
        const struct gate_profile *from = &side->profiles[i];
        profiles[i] = (struct request_profile){
            from->profile_id, from->run,      from->branch,          from->commit,
            from->label,      from->known_as, from->recorded_at_utc, from->measures != NULL};
    }
    *ret_side = (struct request_side){profiles, side->profile_count, side->why};
    return true;
}

bool gate_request_write(const struct gate_input *input, struct text *out, struct arena *arena,
                        struct err *err)
{
    struct gate_request request = {
        .schema_version = version,
        .project = input->project,
        .workload = input->workload,
        .series = input->series,
        .created_at_utc = input->created_at_utc,
        .strict_provenance = input->strict_provenance,
        .paired = input->paired,
        .attempts = {input->attempts > 0, input->attempts},
        .earlier_verdicts = input->earlier_verdicts,
        .first_failed = input->first_failed,
        .first_failed_reason = input->first_failed_reason,
        .left_out = input->left_out,
        .against = input->against,
        .same_commit = input->same_commit,
        .is_own_past = input->is_own_past,
    };
    if (!side_write(&input->baseline, arena, &request.baseline, err) ||
        !side_write(&input->candidate, arena, &request.candidate, err) ||
        !side_write(&input->history, arena, &request.history, err))
        return false;
    scoped_json *root = gate_request_to_json(&request, err);
    if (root == NULL)
        return false;
    json_print(root, JSON_STYLE_LINE, out);
    return text_ok(out, "the request", err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool id_read(const struct request_profile *from, int64_t *ret_id, struct err *err)
{
    return (from->profile_id[0] == 'p' && text_parse_i64(from->profile_id + 1, ret_id)) ||
           err_set(err, ERR_INPUT, "the request names '%s', which is no profile", from->profile_id);
}

/* The briefs of the side's brief profiles, in their order. */
static bool briefs_read(const struct request_side *side, struct db *db, struct arena *arena,
                        const struct ledger_brief **ret_briefs, struct err *err)
{
    int64_t *ids = arena_array(arena, int64_t, side->profile_count);
    struct ledger_brief *briefs;
    size_t count = 0;
    if (ids == NULL)
        return arena_failed(arena, "the profiles", err);
    for (size_t i = 0; i < side->profile_count; i++) {
        if (side->profiles[i].brief && !id_read(&side->profiles[i], &ids[count++], err))
            return false;
    }
    if (!ledger_load_briefs(db, ids, count, arena, &briefs, err))
        return false;
    *ret_briefs = briefs;
    return true;
}

static bool summary_read(const struct request_profile *from, struct db *db, struct arena *arena,
                         const struct summary **ret_summary, struct err *err)
{
    struct ledger_profile *held = arena_new(arena, struct ledger_profile);
    int64_t id;
    if (held == NULL)
        return arena_failed(arena, "the profiles", err);
    if (!id_read(from, &id, err) || !ledger_load_profile(db, id, arena, held, err))
        return false;
    *ret_summary = &held->summary;
    return true;
}

/* A profile that stands on two sides is loaded twice: it costs memory and changes nothing. */
static bool side_read(const struct request_side *side, struct db *db, struct arena *arena,
                      struct gate_side *ret_side, struct err *err)
{
    const struct ledger_brief *brief = NULL;
    struct gate_profile *profiles = arena_array(arena, struct gate_profile, side->profile_count);
    if (profiles == NULL)
        return arena_failed(arena, "the profiles", err);
    if (!briefs_read(side, db, arena, &brief, err))
        return false;
    for (size_t i = 0; i < side->profile_count; i++) {
        const struct request_profile *from = &side->profiles[i];
        profiles[i] = (struct gate_profile){.profile_id = from->profile_id,
                                            .run = from->run,
                                            .branch = from->branch,
                                            .commit = from->commit,
                                            .label = from->label,
                                            .known_as = from->known_as,
                                            .recorded_at_utc = from->recorded_at_utc};
        if (from->brief) {
            profiles[i].summary = &brief->profile.summary;
            profiles[i].measures = brief++->measures;
        } else if (!summary_read(from, db, arena, &profiles[i].summary, err)) {
            return false;
        }
    }
    *ret_side = (struct gate_side){profiles, side->profile_count, side->why};
    return true;
}

bool gate_request_read(const char *document, struct db *db, struct arena *arena,
                       struct gate_input *ret_input, struct err *err)
{
    struct gate_request request;
    scoped_json *root = json_parse(document, strlen(document), "the request", err);
    if (root == NULL || !gate_request_from_json(root, "the request", arena, &request, err))
        return false;
    if (strcmp(request.schema_version, version) != 0)
        return err_set(err, ERR_INPUT, "the request is a '%s', this program reads '%s'",
                       request.schema_version, version);
    struct gate_input input = {
        .project = request.project,
        .workload = request.workload,
        .series = request.series,
        .strict_provenance = request.strict_provenance,
        .paired = request.paired,
        .attempts = request.attempts.value,
        .earlier_verdicts = request.earlier_verdicts,
        .first_failed = request.first_failed,
        .first_failed_reason = request.first_failed_reason,
        .left_out = request.left_out,
        .against = request.against,
        .same_commit = request.same_commit,
        .is_own_past = request.is_own_past,
        .created_at_utc = request.created_at_utc,
    };
    if (!side_read(&request.baseline, db, arena, &input.baseline, err) ||
        !side_read(&request.candidate, db, arena, &input.candidate, err) ||
        !side_read(&request.history, db, arena, &input.history, err))
        return false;
    *ret_input = input;
    return true;
}
