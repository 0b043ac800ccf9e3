/* Implements the provenance checks as a table of questions. */
#include "compare/reference/provenance_checks.h"

#include "ops/runtime/text.h"

/* From the mildest to the worst. */
enum check_status { CHECK_PASS, CHECK_WARN, CHECK_FAIL };
static const char *const check_status_names[] = {"pass", "warn", "fail"};

static bool same_given_text(const char *a, const char *b)
{
    return text_same_told(a, b) && *a != '\0';
}

static bool same_trace(const struct summary *before, const struct summary *after)
{
    return same_given_text(before->trace_provenance.trace_sha256,
                           after->trace_provenance.trace_sha256);
}

static bool same_path(const struct summary *before, const struct summary *after)
{
    return text_same_told(before->source_path, after->source_path);
}

static bool same_run(const struct summary *before, const struct summary *after)
{
    return same_given_text(before->run_metadata.run_id, after->run_metadata.run_id);
}

static bool same_artifact(const struct summary *before, const struct summary *after)
{
    return same_given_text(before->run_metadata.artifact_ref, after->run_metadata.artifact_ref);
}

static bool is_empty(const char *text)
{
    return text == NULL || *text == '\0';
}

static bool hash_missing(const struct summary *before, const struct summary *after)
{
    return is_empty(before->trace_provenance.trace_sha256) ||
           is_empty(after->trace_provenance.trace_sha256);
}

/* No kind of steps is known of both: their times are of two things. */
static bool other_steps(const struct summary *before, const struct summary *after)
{
    if (!before->has_ours || !after->has_ours || before->steps.count == 0 ||
        after->steps.count == 0)
        return false;
    for (int m = STEPS_NONE + 1; m < STEP_METHOD_COUNT; m++) {
        const struct step_table *left = summary_steps_by(before, (enum step_method)m);
        const struct step_table *right = summary_steps_by(after, (enum step_method)m);
        if (left != NULL && right != NULL && step_tables_alike(left, right))
            return false;
    }
    return true;
}

static const struct check {
    bool (*holds)(const struct summary *before, const struct summary *after);
    enum check_status status; /* raises the status to this one */
    const char *message;
} checks[] = {
    {same_trace, CHECK_FAIL,
     "Before and after summaries point to identical trace content (matching SHA256)."},
    {other_steps, CHECK_FAIL,
     "The steps of before and after are of different marks or programs (steps.method, "
     "steps.program)."},
    {same_path, CHECK_WARN, "Before and after summaries have the same source_path."},
    {same_run, CHECK_WARN, "Before and after summaries have the same W&B run_id."},
    {same_artifact, CHECK_WARN, "Before and after summaries reference the same W&B artifact."},
    {hash_missing, CHECK_WARN, "One or both summaries are missing trace SHA256 provenance."},
};
enum { CHECK_COUNT = sizeof checks / sizeof checks[0] };

struct provenance_checks provenance_checks_make(const struct summary *before,
                                                const struct summary *after, struct arena *arena)
{
    enum check_status status = CHECK_PASS;
    struct string_list messages = {arena_array(arena, const char *, CHECK_COUNT), 0};
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        if (!checks[i].holds(before, after))
            continue;
        messages.items[messages.count++] = checks[i].message;
        if (checks[i].status > status)
            status = checks[i].status;
    }
    return (struct provenance_checks){
        .status = check_status_names[status],
        .messages = messages,
        .before_trace_sha256 = before->trace_provenance.trace_sha256,
        .after_trace_sha256 = after->trace_provenance.trace_sha256,
        .before_run_id = before->run_metadata.run_id,
        .after_run_id = after->run_metadata.run_id,
    };
}
