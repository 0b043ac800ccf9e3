/* Takes findings out of a summary. */
#include "history/findings.h"

#include "history/copy.h"

const char *const finding_severity_names[FINDING_SEVERITY_COUNT] = {
    [FINDING_INFO] = "info", [FINDING_WARNING] = "warning", [FINDING_ERROR] = "error"};

/* A list of sentences of a summary, and what they are. */
struct source {
    const char *code;
    enum finding_severity severity;
    const struct string_list *messages;
};

static void finding_write(struct copy *copy, int64_t profile_id, const struct source *source,
                          const char *message)
{
    int32_t ordinal = (int32_t)copy->rows;
    copy_row(copy);
    copy_i64(copy, profile_id);
    copy_i32(copy, ordinal);
    copy_text(copy, source->code);
    copy_text(copy, finding_severity_names[source->severity]);
    copy_text(copy, message);
    copy_text(copy, NULL);
}

bool findings_add(struct pipeline *pipeline, const struct rows_owner *owner,
                  const struct summary *summary, struct section_digest *ret_digest, struct err *err)
{
    static const struct string_list nothing;
    const struct source sources[] = {
        {"coverage", FINDING_WARNING, summary->has_ours ? &summary->coverage.warnings : &nothing},
        {"quality", FINDING_WARNING, &summary->trace_overview.quality_warnings},
    };
    struct copy copy;
    if (!copy_begin_arrays(&copy, Q_findings_add, err))
        return false;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        for (size_t k = 0; k < sources[i].messages->count; k++)
            finding_write(&copy, owner->profile_id, &sources[i], sources[i].messages->items[k]);
    return copy_end_arrays(&copy, pipeline, ret_digest, err);
}
