/* The table of kinds. Order and names of sections are part of every hash: they are never changed.
 */
#include "history/chain/entry_kinds.h"

#include "history/client/client.h"

#include <string.h>

/* When and by whom it was recorded in the ledger that it was imported from. */
#define ORIGIN \
    { \
        .name = "origin", .id = Q_content_origin, .later = true \
    }

static const struct entry_section profile_sections[PROFILE_SECTION_COUNT] = {
    [PROFILE_HEADER] = {.name = "profile", .id = Q_content_profile},
    [PROFILE_SUMMARY] = {.name = "summary",
                         .id = Q_content_summary,
                         .monthly = true,
                         .restore = Q_restore_summary_copy},
    [PROFILE_FILES] = {.name = "files", .id = Q_content_files},
    [PROFILE_HOSTS] = {.name = "hosts", .id = Q_content_hosts},
    [PROFILE_FACTS] = {.name = "facts", .id = Q_content_facts},
    [PROFILE_PROGRAMS] = {.name = "programs", .id = Q_content_programs},
    [PROFILE_DEVICES] = {.name = "devices",
                         .id = Q_content_devices,
                         .monthly = true,
                         .restore = Q_restore_devices_copy},
    [PROFILE_STEPS] = {.name = "steps",
                       .id = Q_content_steps,
                       .monthly = true,
                       .restore = Q_restore_steps_copy},
    [PROFILE_SPANS] = {.name = "spans",
                       .id = Q_content_spans,
                       .monthly = true,
                       .restore = Q_restore_spans_copy},
    [PROFILE_OPS] = {.name = "ops",
                     .id = Q_content_ops,
                     .monthly = true,
                     .restore = Q_restore_ops_copy},
    [PROFILE_SIGNATURES] = {.name = "signatures", .id = Q_content_signatures},
    [PROFILE_MEASURES] = {.name = "measures", .id = Q_content_measures},
    [PROFILE_FINDINGS] = {.name = "findings", .id = Q_content_findings, .later = true},
    [PROFILE_ORIGIN] = ORIGIN,
    [PROFILE_CAPTURE] = {.name = "capture", .id = Q_content_capture_hosts, .later = true},
};

static const struct entry_section verdict_sections[] = {
    {.name = "verdict", .id = Q_content_verdict},
    {.name = "inputs", .id = Q_content_inputs},
    {.name = "messages", .id = Q_content_messages},
    {.name = "request", .id = Q_content_request},
    {.name = "comparisons", .id = Q_content_comparisons, .later = true},
    ORIGIN,
};

static const struct entry_section event_sections[] = {{.name = "event", .id = Q_content_event}};
static const struct entry_section delivery_sections[] = {
    {.name = "delivery", .id = Q_content_delivery}, ORIGIN};
static const struct entry_section acceptance_sections[] = {
    {.name = "acceptance", .id = Q_content_acceptance}, ORIGIN};
static const struct entry_section rebaseline_sections[] = {
    {.name = "rebaseline", .id = Q_content_rebaseline}, ORIGIN};
static const struct entry_section alert_sections[] = {{.name = "alert", .id = Q_content_alert},
                                                      ORIGIN};
static const struct entry_section track_sections[] = {{.name = "track", .id = Q_content_track},
                                                      ORIGIN};
static const struct entry_section checkpoint_sections[] = {
    {.name = "checkpoint", .id = Q_content_checkpoint}};
static const struct entry_section change_point_sections[] = {
    {.name = "change_point", .id = Q_content_change_point}, ORIGIN};
static const struct entry_section amendment_sections[] = {
    {.name = "amendment", .id = Q_content_amendment}, ORIGIN};
static const struct entry_section archive_sections[] = {
    {.name = "archive", .id = Q_content_archive},
    {.name = "sections", .id = Q_content_archived},
};

static const struct entry_section project_sections[] = {
    {.name = "project", .id = Q_content_project}};
static const struct entry_section series_sections[] = {{.name = "series", .id = Q_content_series}};
static const struct entry_section policy_sections[] = {{.name = "policy", .id = Q_content_policy}};
static const struct entry_section silence_sections[] = {
    {.name = "silence", .id = Q_content_silence}};
static const struct entry_section report_sections[] = {{.name = "report", .id = Q_content_report},
                                                       ORIGIN};

#define SECTIONS(list) (list), sizeof(list) / sizeof((list)[0])

const struct entry_kind_info entry_kinds[ENTRY_KIND_COUNT] = {
    [ENTRY_PROFILE] = {"profile", "p", SECTIONS(profile_sections)},
    [ENTRY_EVENT] = {"event", "e", SECTIONS(event_sections)},
    [ENTRY_VERDICT] = {"verdict", "v", SECTIONS(verdict_sections)},
    [ENTRY_DELIVERY] = {"delivery", "d", SECTIONS(delivery_sections)},
    [ENTRY_ACCEPTANCE] = {"acceptance", "a", SECTIONS(acceptance_sections)},
    [ENTRY_REBASELINE] = {"rebaseline", "r", SECTIONS(rebaseline_sections)},
    [ENTRY_ALERT] = {"alert", "l", SECTIONS(alert_sections)},
    [ENTRY_TRACK] = {"track", "t", SECTIONS(track_sections)},
    [ENTRY_CHECKPOINT] = {"checkpoint", "c", SECTIONS(checkpoint_sections)},
    [ENTRY_CHANGE_POINT] = {"change_point", "k", SECTIONS(change_point_sections)},
    [ENTRY_AMENDMENT] = {"amendment", "m", SECTIONS(amendment_sections)},
    [ENTRY_ARCHIVE] = {"archive", "x", SECTIONS(archive_sections)},
    [ENTRY_PROJECT] = {"project", "j", SECTIONS(project_sections)},
    [ENTRY_SERIES] = {"series", "s", SECTIONS(series_sections)},
    [ENTRY_POLICY] = {"policy", "y", SECTIONS(policy_sections)},
    [ENTRY_SILENCE] = {"silence", "n", SECTIONS(silence_sections)},
    [ENTRY_REPORT] = {"report", "rp", SECTIONS(report_sections)},
};

enum entry_kind entry_kind_of(const char *name)
{
    int kind = 0;
    while (kind < ENTRY_KIND_COUNT && strcmp(entry_kinds[kind].name, name) != 0)
        kind++;
    return (enum entry_kind)kind;
}

static void name_add(struct sha256 *state, const char *name)
{
    sha256_add(state, name, strlen(name) + 1);
}

void content_digest(enum entry_kind kind, const struct section_digest *sections,
                    uint8_t out[SHA256_BYTES])
{
    const struct entry_kind_info *info = &entry_kinds[kind];
    scoped_sha256 *state = sha256_new();
    name_add(state, "stepledger.content.v1");
    name_add(state, info->name);
    for (size_t i = 0; i < info->section_count; i++) {
        uint8_t rows[8];
        if (info->sections[i].later && sections[i].rows == 0)
            continue;
        be_put(rows, (uint64_t)sections[i].rows, sizeof rows);
        name_add(state, info->sections[i].name);
        sha256_add(state, rows, sizeof rows);
        sha256_add(state, sections[i].sha256, sizeof sections[i].sha256);
    }
    sha256_finish(state, out);
}
