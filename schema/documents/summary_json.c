/* The JSON form of a profile summary: writing it, and reading it as the reference tool does
 * (schema/README.md, §15).
 *
 * The members are described in summary_v1_records.c and summary_ours_records.c. Here is what a
 * table cannot say: the two sets of members share one object, texts that are made from others when
 * absent, and indexes that must point somewhere.
 */
#include "schema/documents/summary.h"

#include "schema/documents/op_semantics.h"
#include "schema/documents/provenance_fields.h"
#include "schema/documents/summary_records.h"

#include "ops/runtime/json.h"

#include <string.h>

const char *const breakdown_part_names[PART_COUNT] = {"compute", "communication", "host", "stall",
                                                      "other"};
static const struct fact *fact_named(const struct environment *environment, const char *name)
{
    for (size_t i = 0; i < environment->fact_count; i++) {
        if (strcmp(environment->facts[i].name, name) == 0)
            return &environment->facts[i];
    }
    return NULL;
}

bool summary_is_memory(const struct summary *summary)
{
    const char *format = summary->source_format;
    return format != NULL && strcmp(format, "device_memory_pprof") == 0;
}

/* Processes are told by their groups, or named `<machine>_<pid>`, `process_3`: no machine may have
 * an underscore in its name. */
const char *capture_host_kind(const struct capture *capture)
{
    for (size_t i = 0; i < capture->host_count; i++) {
        const struct capture_host *host = &capture->hosts[i];
        const char *mark = host->host == NULL ? NULL : strrchr(host->host, '_');
        if (host->groups.count > 0 ||
            (mark != NULL && mark[1] != '\0' && mark[1 + strspn(mark + 1, "0123456789")] == '\0'))
            return "process";
    }
    return "host";
}

const struct fact *environment_fact(const struct environment *environment, const char *name)
{
    static const struct {
        const char *fact, *alias;
    } aliases[] = {
#define ALIAS_ROW(fact, alias) {#fact, #alias},
        PROVENANCE_ALIASES(ALIAS_ROW)
#undef ALIAS_ROW
    };
    const struct fact *found = fact_named(environment, name);
    for (size_t i = 0; found == NULL && i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(aliases[i].fact, name) == 0)
            found = fact_named(environment, aliases[i].alias);
    }
    return found;
}

json_t *summary_to_json(const struct summary *summary)
{
    json_t *object = record_to_json(&summary_v1_record, summary);
    if (summary->has_ours)
        record_write(&summary_ours_record, summary, object);
    return object;
}

void summary_print(const struct summary *summary, enum json_style style, struct text *out)
{
    struct json_writer writer = {.out = out, .style = style};
    const struct record *ours = summary->has_ours ? &summary_ours_record : NULL;
    records_print(&summary_v1_record, ours, summary, &writer);
}

static bool is_empty(const char *text)
{
    return text == NULL || text[0] == '\0';
}

static bool device_check(const struct summary *summary, uint32_t device, const char *name,
                         const char *where, struct err *err)
{
    if (device == UINT32_MAX || device < summary->device_count)
        return true;
    return err_set(err, ERR_INPUT, "%s: %s names device %u, but 'devices' has %zu entries", name,
                   where, device, summary->device_count);
}

static bool steps_check(const struct summary *summary, const struct step_table *steps,
                        const char *name, struct err *err)
{
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        if (!device_check(summary, row->slowest, name, "'slowest' of a step", err))
            return false;
        for (size_t k = 0; k < row->span_count; k++) {
            if (!device_check(summary, row->spans[k].device, name, "a span of a step", err))
                return false;
        }
    }
    return true;
}

/* Later code follows these indexes without asking. */
static bool devices_check(const struct summary *summary, const char *name, struct err *err)
{
    if (!steps_check(summary, &summary->steps, name, err))
        return false;
    for (size_t i = 0; i < summary->other_step_count; i++) {
        if (!steps_check(summary, &summary->other_steps[i], name, err))
            return false;
    }
    for (size_t i = 0; i < summary->op_count; i++) {
        if (!device_check(summary, summary->ops[i].max_device, name, "'max_device' of an op", err))
            return false;
    }
    for (size_t i = 0; i < summary->program_op_count; i++) {
        if (!device_check(summary, summary->program_ops[i].max_device, name,
                          "'max_device' of a program op", err))
            return false;
    }
    return true;
}

bool summary_from_json(const json_t *root, const char *name, struct arena *arena,
                       struct summary *ret_summary, struct err *err)
{
    struct summary summary = {.has_ours = json_object_get(root, "producer") != NULL};
    if (!json_is_object(root))
        return err_set(err, ERR_INPUT, "Expected JSON object in summary '%s'.", name);
    if (!record_read(&summary_v1_record, root, name, arena, &summary, err))
        return false;
    /* Documents of older versions lack names that can be made from others. */
    for (size_t i = 0; i < summary.hot_op_count; i++) {
        struct hot_op *op = &summary.hot_ops[i];
        if (is_empty(op->canonical_name))
            op->canonical_name = op_canonical_name(arena, op->name);
    }
    for (size_t i = 0; i < summary.gap_before_op_count; i++) {
        struct gap_before_op *gap = &summary.gap_before_ops[i];
        if (is_empty(gap->payload_op))
            gap->payload_op = gap->name;
        if (is_empty(gap->marker_op))
            gap->marker_op = gap->name;
    }
    if (summary.has_ours && (!record_read(&summary_ours_record, root, name, arena, &summary, err) ||
                             !devices_check(&summary, name, err)))
        return false;
    *ret_summary = summary;
    return true;
}
