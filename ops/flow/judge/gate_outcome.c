/* Implements judging through the ledger. Each job has an arena of its own, because profiles are
 * large; what stays is the document and a copy of the verdict. */
#include "ops/flow/judge/gate_outcome.h"

#include "compare/gate/gate.h"
#include "compare/policy/policy.h"
#include "history/lease/lease.h"
#include "history/profiles/profiles.h"
#include "history/verdicts/verdicts.h"
#include "ops/flow/judge/gate_baseline.h"
#include "ops/flow/judge/gate_pool.h"
#include "ops/flow/tell/tell.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "schema/documents/gate_request.h"
#include "schema/documents/verdict_records.h"
#include "schema/documents/verdict_words.h"

#include <string.h>

enum { DOCUMENT_MAX_BYTES = 64 << 20 };

struct judging {
    const struct flow *flow;
    struct arena *arena; /* of the job */
    struct gate_policy policy;
    struct verdict verdict;
    struct text document; /* the verdict as recorded */
    struct text request;
};

static const char request_version[] = "gate_request.v1";

/* ---- both sides ------------------------------------------------------------------------------ */

static bool differ(const char *said, const char *held)
{
    return said != NULL && held != NULL && strcmp(said, held) != 0;
}

/* The job's id, which nobody may have told then, is no other name. */
static bool run_differs(const struct gate_job *job, const struct ledger_profile *held)
{
    bool is_collected = job->collection != NULL && job->run == job->collection->run;
    return !is_collected && differ(job->run, held->run);
}

/* Marks candidates whose bytes the ledger holds under another branch, commit or run than is said
 * now. The verdict is on the branch and the commit that are said: whoever asked waits for it there,
 * and the others have theirs. */
static void known_mark(struct gate_loading *loading, size_t named_count)
{
    const struct gate_job *job = loading->job;
    struct gate_side *side = &loading->sides.candidate;
    struct gate_profile *profiles =
        arena_array(loading->arena, struct gate_profile, side->profile_count);
    for (size_t i = 0; i < side->profile_count; i++) {
        const struct ledger_profile *held = &loading->candidates.items[i];
        bool other_branch = differ(job->branch, held->branch),
             other_commit = gate_commits_differ(job->commit, held->commit);
        profiles[i] = side->profiles[i];
        if (i >= named_count) /* the commit's other runs */
            continue;
        if (!other_branch && !other_commit && !run_differs(job, held))
            continue;
        bool has_branch = held->branch != NULL && held->branch[0] != '\0',
             has_commit = held->commit != NULL && held->commit[0] != '\0';
        profiles[i].known_as =
            arena_printf(loading->arena, "run %s%s%s%s%s", held->run,
                         has_branch ? " of branch " : "", has_branch ? held->branch : "",
                         has_commit ? ", commit " : "", has_commit ? held->commit : "");
        if (other_branch)
            profiles[i].branch = job->branch;
        if (other_commit)
            profiles[i].commit = job->commit;
    }
    side->profiles = profiles;
}

/* Ingests the candidate's paths and loads both sides from the ledger: flow, arena, job and rules
 * are set. ERR_MISSING: no baseline at all, or an entry that was asked for does not exist;
 * ERR_INPUT: a candidate that cannot be read. */
static bool sides_load(struct gate_loading *loading, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct code_origin *origin = &job->origin;
    const struct profile_identity identity = {
        .project = job->project,
        .workload = job->workload,
        .branch = origin->branch.value,
        .commit = origin->commit.value,
        .run = job->run,
        .label = job->label,
        .reason = job->reason,
        .by = job->reason_by,
        .branch_is_implied = origin->branch.is_implied,
        .commit_is_implied = origin->commit.is_implied,
        .known_stands = (job->reading == NULL || !job->reading->was_asked) &&
                        (job->collection == NULL || job->collection->count == 0),
    };
    if (!gate_names_load(loading, &job->candidates, &identity, &loading->candidates, err))
        return false;
    size_t named_count = loading->candidates.count;
    loading->candidate_why = "the candidates that were named";
    loading->sides.series = loading->candidates.items[0].series;
    if ((!job->paired && !gate_pool(loading, &named_count, err)) ||
        !gate_baseline_load(loading, err)) /* of pairs, the partners of earlier ones too */
        return false;
    loading->sides.candidate =
        gate_side_make(loading, &loading->candidates, loading->candidate_why);
    if (!gate_pool_attempts(loading, err))
        return false;
    known_mark(loading, named_count);
    return arena_ok(loading->arena, "the profiles", err);
}

/* ---- the request, written -------------------------------------------------------------------- */

static struct request_side side_write(const struct gate_side *side, struct arena *arena)
{
    struct request_profile *profiles =
        arena_array(arena, struct request_profile, side->profile_count);
    for (size_t i = 0; i < side->profile_count; i++) {
        const struct gate_profile *from = &side->profiles[i];
        profiles[i] = (struct request_profile){
            from->profile_id,      from->run,      from->branch,     from->commit,
            from->label,           from->known_as, from->ran_at_utc, from->recorded_at_utc,
            from->measures != NULL};
    }
    return (struct request_side){profiles, side->profile_count, side->why};
}

/* Appends gate_request.v1 of the input. ERR_LIMIT. */
static bool gate_request_write(const struct gate_input *input, struct text *out,
                               struct arena *arena, struct err *err)
{
    struct gate_request request = {
        .schema_version = request_version,
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
        .baseline = side_write(&input->baseline, arena),
        .candidate = side_write(&input->candidate, arena),
        .history = side_write(&input->history, arena),
    };
    scoped_json *root = gate_request_to_json(&request);
    json_print(root, JSON_STYLE_LINE, out);
    return text_ok(out, "the request", err);
}

/* ---- the request, read ----------------------------------------------------------------------- */

static bool id_read(const struct request_profile *from, int64_t *ret_id, struct err *err)
{
    return (from->profile_id[0] == 'p' && text_parse_i64(from->profile_id + 1, ret_id)) ||
           err_set(err, ERR_INPUT, "the request names '%s', which is no profile", from->profile_id);
}

/* A profile that stands on two sides is loaded twice: it costs memory and changes nothing. The
 * briefs of those that are brief are asked for at once. */
static bool side_read(const struct request_side *side, struct db *db, struct arena *arena,
                      struct gate_side *ret_side, struct err *err)
{
    struct ledger_brief *brief;
    struct gate_profile *profiles = arena_array(arena, struct gate_profile, side->profile_count);
    int64_t *ids = arena_array(arena, int64_t, side->profile_count);
    size_t count = 0;
    for (size_t i = 0; i < side->profile_count; i++)
        if (side->profiles[i].brief && !id_read(&side->profiles[i], &ids[count++], err))
            return false;
    if (!ledger_load_briefs(db, ids, count, arena, &brief, err))
        return false;
    for (size_t i = 0; i < side->profile_count; i++) {
        const struct request_profile *from = &side->profiles[i];
        profiles[i] = (struct gate_profile){.profile_id = from->profile_id,
                                            .run = from->run,
                                            .branch = from->branch,
                                            .commit = from->commit,
                                            .label = from->label,
                                            .known_as = from->known_as,
                                            .ran_at_utc = from->ran_at_utc,
                                            .recorded_at_utc = from->recorded_at_utc};
        if (from->brief) {
            profiles[i].summary = &brief->profile.summary;
            profiles[i].measures = brief++->measures;
            continue;
        }
        struct ledger_profile *held = arena_new(arena, struct ledger_profile);
        int64_t id;
        if (!id_read(from, &id, err) || !ledger_load_profile(db, id, arena, held, err))
            return false;
        profiles[i].summary = &held->summary;
    }
    *ret_side = (struct gate_side){profiles, side->profile_count, side->why};
    return arena_ok(arena, "the profiles", err);
}

/* The input of that document, its summaries loaded from the ledger; its policy is left to the
 * caller. ERR_INPUT, ERR_MISSING, ERR_LIMIT. */
static bool gate_request_read(const char *document, struct db *db, struct arena *arena,
                              struct gate_input *ret_input, struct err *err)
{
    struct gate_request request;
    scoped_json *root = json_parse(document, strlen(document), "the request", err);
    if (root == NULL || !gate_request_from_json(root, "the request", arena, &request, err))
        return false;
    if (strcmp(request.schema_version, request_version) != 0)
        return err_set(err, ERR_INPUT, "the request is a '%s', this program reads '%s'",
                       request.schema_version, request_version);
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

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool document_make(struct judging *judging, const struct gate_input *input, struct err *err)
{
    if (!gate_judge(input, judging->arena, &judging->verdict, err))
        return false;
    scoped_json *root = verdict_to_json(&judging->verdict);
    json_print(root, JSON_STYLE_INDENTED, &judging->document);
    return text_ok(&judging->document, "the verdict", err) &&
           arena_ok(judging->arena, "the verdict", err);
}

static bool policy_load(struct judging *judging, const struct gate_job *job, struct err *err)
{
    const struct policy_scope scope = {job->project, job->workload, false};
    struct conf_file file = {0};
    if (job->policy == NULL) {
        gate_policy_default(&judging->policy);
        return true;
    }
    return conf_file_read(job->policy, judging->arena, &file, err) &&
           gate_policy_read(&file, &scope, judging->arena, &judging->policy, err);
}

static bool record(struct judging *judging, const struct gate_job *job,
                   const struct gate_input *input, int64_t *ret_id, struct err *err)
{
    struct verdict_entry entry = {
        .verdict = &judging->verdict,
        .document = text_string(&judging->document),
        .policy = gate_policy_text(&judging->policy, judging->arena),
        .judgement = job->judgement,
    };
    if (!gate_request_write(input, &judging->request, judging->arena, err))
        return false;
    entry.request = text_string(&judging->request);
    const struct flow telling = {judging->flow->conf, judging->flow->db, judging->arena,
                                 judging->flow->memory};
    if (!ledger_reserve_verdict(judging->flow->db, &entry.id, err) ||
        !notify_append(&telling, &entry, err))
        return false;
    *ret_id = entry.id;
    return true;
}

static bool judge_job(struct judging *judging, const struct gate_job *job, int64_t *ret_id,
                      struct err *err)
{
    char now[CLOCK_ISO_BYTES];
    if (!policy_load(judging, job, err))
        return false;
    struct gate_loading loading = {
        .flow = judging->flow,
        .arena = judging->arena,
        .job = job,
        .rules = {&judging->policy, job->strict_provenance},
    };
    if (!sides_load(&loading, err))
        return false;
    const struct gate_input input = {
        .project = job->project,
        .workload = job->workload,
        .series = loading.sides.series,
        .baseline = loading.sides.baseline,
        .candidate = loading.sides.candidate,
        .history = loading.sides.history,
        .policy = &judging->policy,
        .strict_provenance = job->strict_provenance,
        .paired = job->paired,
        .attempts = loading.sides.earlier.attempts,
        .earlier_verdicts = loading.sides.earlier.verdicts,
        .first_failed = loading.sides.earlier.failed,
        .first_failed_reason = loading.sides.earlier.reason,
        .left_out = loading.sides.left_out,
        .against = loading.sides.against,
        .same_commit = loading.sides.same_commit,
        .is_own_past = loading.sides.is_own_past,
        .created_at_utc = arena_strdup(judging->arena, clock_iso(clock_wall_us(), now)),
    };
    return document_make(judging, &input, err) && record(judging, job, &input, ret_id, err);
}

/* ---- what stays ------------------------------------------------------------------------------ */

static bool outcome_keep(const struct judging *judging, struct gate_outcome *outcome,
                         struct err *err)
{
    struct arena *arena = judging->flow->arena;
    outcome->document = arena_strdup(arena, text_string(&judging->document));
    record_copy(&verdict_record, &judging->verdict, arena, &outcome->verdict);
    return arena_ok(arena, "the verdict", err);
}

static void judging_start(struct judging *judging, const struct flow *flow, struct arena *arena)
{
    *judging = (struct judging){.flow = flow, .arena = arena};
    text_init(&judging->document, DOCUMENT_MAX_BYTES);
    text_init(&judging->request, DOCUMENT_MAX_BYTES);
}

static void judging_done(struct judging *judging)
{
    text_done(&judging->document);
    text_done(&judging->request);
}

void gate_judge_job(const struct flow *flow, const struct gate_job *job,
                    struct gate_outcome *ret_outcome)
{
    struct judging judging;
    scoped_arena arena;
    arena_init_within(&arena, flow->memory);
    judging_start(&judging, flow, &arena);
    *ret_outcome = (struct gate_outcome){.job = job};
    struct err *err = &ret_outcome->failure;
    const struct flow telling = {flow->conf, flow->db, &arena, flow->memory};
    const struct notify_start start = {job->project, job->workload, job->branch, job->commit};
    bool announced = job->commit != NULL;
    if ((!announced || notify_started(&telling, &start, err)) &&
        judge_job(&judging, job, &ret_outcome->id, err) && outcome_keep(&judging, ret_outcome, err))
        (void)ledger_find_acceptance(flow->db, &ret_outcome->verdict, flow->arena,
                                     &ret_outcome->acceptance, err);
    /* Whoever took a judgement over says what becomes of the commit: a word of ours would come
     * late, and hide the verdict. Else a check must not stay open. */
    bool is_taken_over = job->judgement != NULL && judgement_is_lost(err);
    if (announced && ret_outcome->id == 0 && !is_taken_over)
        (void)notify_aborted(&telling, &start, err->kind, NULL);
    judging_done(&judging);
}

/* ---- again ----------------------------------------------------------------------------------- */

static bool replay(struct judging *judging, int64_t verdict_id, char **ret_recorded,
                   struct err *err)
{
    struct verdict_source source;
    struct gate_input input;
    struct conf_file file = {0};
    const struct policy_scope scope = {.is_recorded = true};
    if (!ledger_load_verdict_unchecked(judging->flow->db, verdict_id, judging->arena, ret_recorded,
                                       err) ||
        !ledger_load_request(judging->flow->db, verdict_id, judging->arena, &source, err) ||
        !conf_text_read(source.policy, "the recorded policy", judging->arena, &file, err) ||
        !gate_policy_read(&file, &scope, judging->arena, &judging->policy, err) ||
        !gate_request_read(source.request, judging->flow->db, judging->arena, &input, err))
        return false;
    input.policy = &judging->policy;
    input.policy_text = source.policy;
    return document_make(judging, &input, err);
}

bool gate_replay(const struct flow *flow, int64_t verdict_id, struct gate_replay *ret_replay,
                 struct err *err)
{
    struct judging judging;
    scoped_arena arena;
    char *recorded = NULL;
    struct gate_outcome *outcome = &ret_replay->outcome;
    arena_init_within(&arena, flow->memory);
    judging_start(&judging, flow, &arena);
    *ret_replay = (struct gate_replay){.outcome = {.id = verdict_id}};
    bool done = replay(&judging, verdict_id, &recorded, err) &&
                outcome_keep(&judging, outcome, err) &&
                verdict_retraction(flow->db, verdict_id, flow->arena, &outcome->retracted, err);
    if (done) {
        ret_replay->is_same = strcmp(recorded, outcome->document) == 0;
        struct err ignored = {0};
        scoped_json *root = json_parse(recorded, strlen(recorded), "the verdict", &ignored);
        const json_t *version = json_object_get(root, "rule_version");
        ret_replay->recorded_rule = json_is_integer(version) ? json_integer_value(version) : -1;
    }
    judging_done(&judging);
    return done;
}
