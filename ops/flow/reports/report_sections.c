/* Reads the sections by a table of keys. */
#include "ops/flow/reports/report_sections.h"

#include "ops/net/secret.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <string.h>

static const char section_word[] = "report ";

static bool period_check(void *target, const struct conf_entry *entry, struct arena *arena,
                         struct err *err)
{
    (void)target, (void)arena;
    const char *value = entry->value;
    return strcmp(value, "day") == 0 || strcmp(value, "week") == 0 || strcmp(value, "month") == 0 ||
           err_set(err, ERR_USAGE, "'%s' must be day, week or month", value);
}

static bool at_check(void *target, const struct conf_entry *entry, struct arena *arena,
                     struct err *err)
{
    (void)arena;
    return cron_read(entry->value, &((struct report_section *)target)->cron, err);
}

static bool measure_check(void *target, const struct conf_entry *entry, struct arena *arena,
                          struct err *err)
{
    (void)target, (void)arena;
    enum measure ignored;
    return measure_find(entry->value, &ignored, err);
}

/* A folder need not be there yet; an address that leads nowhere is told at once. */
static bool repository_check(void *target, const struct conf_entry *entry, struct arena *arena,
                             struct err *err)
{
    (void)target;
    struct forge_place ignored;
    return !forge_is_place(entry->value) || forge_place_read(entry->value, arena, &ignored, err);
}

static bool forge_set(void *target, const struct conf_entry *entry, struct arena *arena,
                      struct err *err)
{
    (void)arena;
    return forge_kind_read(entry->value, &((struct report_section *)target)->forge, err);
}

#define TEXT(key, ...) SECTION_KEY_TEXT(#key, struct report_section, key, __VA_ARGS__)
static const struct section_key keys[] = {
    TEXT(project, "the project that is reported on (required)"),
    TEXT(workloads, "patterns of workloads, comma-separated (* and ?); default: all"),
    TEXT(branch, "runs of this branch; default: judge_baseline_branch, * = all"),
    TEXT(period, "what it looks back on: day, week (default) or month", .check = period_check),
    TEXT(at, "when, as cron: minute hour day month weekday, UTC, such as 0 7 * * mon",
         .check = at_check),
    TEXT(to, "destinations that are told (chat, mail, webhook, W&B); default: it is kept alone"),
    TEXT(measure, "the measure that is followed; default: steady_step_median",
         .check = measure_check),
    TEXT(policy, "which runs can be compared; default: judge_policy"),
    TEXT(repository,
         "for the subjects of commits: folder of a clone, or https://HOST/OWNER/NAME of a forge",
         .check = repository_check),
    SECTION_KEY_OWN("forge", forge_set, "github or gitlab, where the host's name does not tell"),
    SECTION_KEY_REFERENCE(
        "secret", struct report_section, secret_ref,
        "token that reads the repository; default: that of a destination of its forge, or none"),
};
#undef TEXT

struct section_keys report_section_keys(void)
{
    return SECTION_KEYS(keys);
}

static struct report_section *section_named(struct report_section_list *list, const char *name,
                                            const struct conf_entry *first)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    struct report_section *section = &list->items[list->count++];
    *section = (struct report_section){.name = name,
                                       .period = "week",
                                       .file = first->file,
                                       .line = first->line,
                                       .measure = measure_rows[MEASURE_steady_step_median].name,
                                       .network = {.timeout_ms = SECTION_TIMEOUT_DEFAULT_MS}};
    return section;
}

static bool entry_read(struct report_section_list *list, const struct conf_entry *entry,
                       struct arena *arena, struct err *err)
{
    const size_t skip = sizeof section_word - 1;
    if (strncmp(entry->section, section_word, skip) != 0)
        return true;
    const char *name = entry->section + skip + strspn(entry->section + skip, " \t");
    const char *what = arena_printf(arena, "report '%s'", name);
    struct report_section *target = section_named(list, name, entry);
    const struct section section = {
        .what = what, .keys = SECTION_KEYS(keys), .target = target, .policy = &target->network};
    struct err fault = {0};
    if (section_apply(&section, entry, arena, &fault))
        return true;
    if (fault.kind != ERR_USAGE) {
        *err = fault;
        return false;
    }
    if (target->fault == NULL)
        target->fault = arena_strdup(arena, fault.text);
    return true;
}

bool report_sections_read(const struct conf *conf, struct arena *arena,
                          struct report_section_list *ret_list, struct err *err)
{
    struct report_section_list list = {
        .items = arena_array(arena, struct report_section, conf->sections.count + 1)};
    for (size_t i = 0; i < conf->sections.count; i++)
        if (!entry_read(&list, &conf->sections.entries[i], arena, err))
            return false;
    for (size_t i = 0; i < list.count; i++) {
        struct report_section *section = &list.items[i];
        if (section->fault != NULL || (section->project != NULL && section->at != NULL))
            continue;
        bool has_project = section->project != NULL;
        section->fault = arena_printf(
            arena, "%s:%d: report '%s' has no `%s`: %s", section->file, section->line,
            section->name, has_project ? "at" : "project",
            has_project ? "say when it is made, such as `at = 0 7 * * mon` (Mondays at 07:00 UTC)"
                        : "name the project that it is of");
    }
    *ret_list = list;
    return true;
}
