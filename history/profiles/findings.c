/* Takes findings out of a summary: its sentences, what each is about, and the numbers it was made
 * from. */
#include "history/profiles/findings.h"

#include "history/chain/chain.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

const char *const finding_severity_names[FINDING_SEVERITY_COUNT] = {
    [FINDING_INFO] = "info", [FINDING_WARNING] = "warning", [FINDING_ERROR] = "error"};

/* A number of the summary that a finding was made from. */
struct evidence {
    const char *name;
    size_t offset;
};

#define NUMBER(name, member) \
    { \
        name, offsetof(struct summary, member) \
    }
#define NUMBERS_MAX 2

/* What a sentence is about: the first whose words are in it. The sentences are those of
 * ingest/tables/coverage.c, ingest/merge/ and, in the reference's words,
 * ingest/reference/provenance.c. */
static const struct rule {
    const char *words;
    const char *code;
    enum finding_severity severity;
    struct evidence numbers[NUMBERS_MAX];
} rules[] = {
    {"hold nothing whole and were not read",
     "input_truncated",
     FINDING_ERROR,
     {NUMBER("bytes_read", coverage.bytes_read), NUMBER("bytes_unread", coverage.bytes_unread)}},
    {"ends early behind what is whole",
     "input_truncated",
     FINDING_ERROR,
     {NUMBER("bytes_read", coverage.bytes_read), NUMBER("bytes_unread", coverage.bytes_unread)}},
    {"gzip checksum",
     "input_unproven",
     FINDING_ERROR,
     {NUMBER("files_unproven", coverage.files_unproven.value)}},
    {"is followed by",
     "input_followed",
     FINDING_WARNING,
     {NUMBER("bytes_behind", coverage.bytes_behind.value)}},
    {"is cut off: what is whole",
     "input_truncated",
     FINDING_ERROR,
     {NUMBER("bytes_read", coverage.bytes_read), NUMBER("bytes_unread", coverage.bytes_unread)}},
    {"export truncation at a collector cap", "input_capped", FINDING_WARNING, {{0}}},
    {"was not read: it is in another form", "file_not_read", FINDING_WARNING, {{0}}},
    {"is the same file as", "file_twice", FINDING_WARNING, {{0}}},
    {"timeline order",
     "lines_unsorted",
     FINDING_INFO,
     {NUMBER("unsorted_lines", coverage.unsorted_lines)}},
    {"events have no name",
     "events_nameless",
     FINDING_WARNING,
     {NUMBER("events_dropped_nameless", coverage.events_dropped_nameless)}},
    {"that can be counted",
     "events_out_of_range",
     FINDING_ERROR,
     {NUMBER("events_out_of_range", coverage.events_out_of_range)}},
    {"recorded no events", "host_silent", FINDING_WARNING, {{0}}},
    {"but no device with ops",
     "host_without_device",
     FINDING_WARNING,
     {NUMBER("devices", device_count)}},
    {"No device planes", "no_devices", FINDING_WARNING, {NUMBER("devices", device_count)}},
    {"device planes has a line of ops",
     "no_ops",
     FINDING_WARNING,
     {NUMBER("devices", device_count)}},
    {"device planes hold no ops",
     "device_without_ops",
     FINDING_WARNING,
     {NUMBER("devices", device_count)}},
    {"device type is unknown", "device_type_unknown", FINDING_INFO, {{0}}},
    {"has no framework path", "ops_unattributed", FINDING_WARNING, {NUMBER("ops", op_count)}},
    {"No collectives were recognised",
     "no_collectives",
     FINDING_WARNING,
     {NUMBER("devices", device_count)}},
    {"No steps were found", "no_steps", FINDING_WARNING, {NUMBER("steps", steps.count)}},
    {"Left out as warm-up",
     "warmup_left_out",
     FINDING_INFO,
     {NUMBER("steps", steps.count), NUMBER("steady_steps", steps.steady_count)}},
    {"are warm-up",
     "only_warmup",
     FINDING_WARNING,
     {NUMBER("steps", steps.count), NUMBER("steady_steps", steps.steady_count)}},
    {"steady steps are missing on some",
     "steps_missing",
     FINDING_WARNING,
     {NUMBER("steady_steps", steps.steady_count), NUMBER("devices", device_count)}},
    {"begin before the one before has ended",
     "steps_overlap",
     FINDING_INFO,
     {NUMBER("steps", steps.count)}},
};

/* The counts of lists are no int64_t, but as wide. */
_Static_assert(sizeof(size_t) == sizeof(int64_t), "evidence reads both alike");

/* A list of sentences of a summary, and what one is that no rule knows. */
struct source {
    const char *code;
    const struct string_list *messages;
};

static void finding_write(struct copy *copy, int64_t profile_id, const struct summary *summary,
                          const struct source *source, const char *message)
{
    enum { EVIDENCE_BYTES = 300 };
    int32_t ordinal = (int32_t)copy->rows;
    const struct rule *rule = NULL;
    for (size_t i = 0; rule == NULL && i < sizeof rules / sizeof rules[0]; i++)
        if (strstr(message, rules[i].words) != NULL)
            rule = &rules[i];
    scoped_text evidence;
    text_init(&evidence, EVIDENCE_BYTES);
    if (rule != NULL && summary->has_ours) {
        /* {"bytes_read": 10, "bytes_unread": 3}; empty when the sentence says all. */
        for (size_t i = 0; i < NUMBERS_MAX && rule->numbers[i].name != NULL; i++) {
            int64_t value;
            memcpy(&value, (const char *)summary + rule->numbers[i].offset, sizeof value);
            text_addf(&evidence, "%s\"%s\": %" PRId64, i == 0 ? "{" : ", ", rule->numbers[i].name,
                      value);
        }
        if (evidence.length > 0)
            text_addc(&evidence, '}');
    }
    copy->failed |= evidence.failed;
    copy_row(copy);
    copy_values(copy, profile_id, ordinal, rule == NULL ? source->code : rule->code,
                finding_severity_names[rule == NULL ? FINDING_WARNING : rule->severity], message,
                evidence.length == 0 ? NULL : text_string(&evidence));
}

bool findings_add(struct pipeline *pipeline, const struct rows_owner *owner,
                  const struct summary *summary, struct section_digest *ret_digest, struct err *err)
{
    static const struct string_list nothing;
    const struct source sources[] = {
        {"coverage", summary->has_ours ? &summary->coverage.warnings : &nothing},
        {"quality", &summary->trace_overview.quality_warnings},
    };
    struct copy copy;
    copy_begin_arrays(&copy, Q_findings_add);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        for (size_t k = 0; k < sources[i].messages->count; k++)
            finding_write(&copy, owner->profile_id, summary, &sources[i],
                          sources[i].messages->items[k]);
    return copy_end_arrays(&copy, pipeline, ret_digest, err);
}
