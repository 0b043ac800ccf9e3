/* Implements the reading of policy files: each entry is one move of a table (which section, which
 * key), so that check and reading are the same walk. */
#include "compare/policy/policy_file.h"

#include "compare/policy/policy_keys.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/text.h"

#include <fnmatch.h>
#include <string.h>

/* From what holds for all to what holds for few: applied in this order. */
enum scope_kind { SCOPE_ALL, SCOPE_PROJECT, SCOPE_WORKLOAD, SCOPE_KIND_COUNT };

/* `[workload pretrain-* measure steady_step_p90]`, taken apart. */
struct section {
    enum scope_kind scope;
    const char *pattern;         /* of the scope; NULL: all */
    struct policy_target target; /* what stands after it */
};

/* ---- sections -------------------------------------------------------------------------------- */

/* The next word of *text, copied; NULL at its end. */
static const char *word_next(const char **text, struct arena *arena)
{
    const char *start = *text + strspn(*text, " \t");
    size_t length = strcspn(start, " \t");
    *text = start + length;
    return length == 0 ? NULL : arena_strndup(arena, start, length);
}

static bool scope_read(const char **rest, struct arena *arena, struct section *section)
{
    static const struct {
        const char *word;
        enum scope_kind scope;
    } scopes[] = {{"project", SCOPE_PROJECT}, {"workload", SCOPE_WORKLOAD}};
    const char *at = *rest;
    const char *word = word_next(&at, arena);
    for (size_t i = 0; word != NULL && i < sizeof scopes / sizeof scopes[0]; i++) {
        if (strcmp(word, scopes[i].word) != 0)
            continue;
        section->scope = scopes[i].scope;
        section->pattern = word_next(&at, arena);
        *rest = at;
        return section->pattern != NULL;
    }
    return true;
}

static bool section_read(const struct conf_entry *entry, struct arena *arena,
                         struct section *ret_section, struct err *err)
{
    struct section section = {.scope = SCOPE_ALL};
    const char *rest = entry->section;
    if (!scope_read(&rest, arena, &section))
        return err_set(err, ERR_USAGE, "%s:%d: section [%s]: a name or pattern is missing",
                       entry->file, entry->line, entry->section);
    const char *word = word_next(&rest, arena);
    if (word != NULL && !policy_target_kind(word, &section.target)) {
        static const char *const words[] = {"measure", "watch", "provenance", "project",
                                            "workload"};
        return err_set(
            err, ERR_USAGE,
            "%s:%d: section [%s]: '%s' is no kind of section%s; a section is [measure "
            "NAME], [watch NAME], [provenance], [project PATTERN ...] or [workload PATTERN "
            "...]",
            entry->file, entry->line, entry->section, word,
            text_suggestion(word, words, sizeof words / sizeof words[0]).words);
    }
    rest += strspn(rest, " \t");
    section.target.name = arena_strdup(arena, rest);
    *ret_section = section;
    return true;
}

/* ---- names of before ------------------------------------------------------------------------- */

/* What the first policies called measures, in a table of their own: such files, and the texts that
 * old verdicts were judged by, stay readable. Two of its names are now those of other measures, so
 * they can be told by the company they keep alone: every recorded text of that time names all
 * measures. */
static const struct {
    const char *first, *present;
    bool is_taken; /* today the name is that of another measure */
} first_names[] = {
    {"step_median", "steady_step_median", true}, {"step_p90", "steady_step_p90", true},
    {"device_time", "op_time", false},           {"idle_time", "step_idle", false},
    {"idle_share", "device_idle_share", false},
};
enum { NAME_COUNT = sizeof first_names / sizeof first_names[0] };

static const char measure_word[] = "measure ";

/* Does the file name a measure as only the first policies did? Then all its names are of that
 * time. */
static bool policy_is_of_first(const struct conf_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const char *name = strstr(file->entries[i].section, measure_word);
        for (size_t j = 0; name != NULL && j < NAME_COUNT; j++) {
            if (!first_names[j].is_taken &&
                strcmp(name + sizeof measure_word - 1, first_names[j].first) == 0)
                return true;
        }
    }
    return false;
}

/* The present name of what a policy calls `name`; `name` itself when it has no other. */
static const char *policy_measure_name(const char *name, bool is_of_first)
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (strcmp(first_names[i].first, name) == 0 && (is_of_first || !first_names[i].is_taken))
            return first_names[i].present;
    }
    return name;
}

/* ---- the whole file -------------------------------------------------------------------------- */

static bool version_check(const struct conf_file *file, struct err *err)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct conf_entry *entry = &file->entries[i];
        int64_t version;
        if (entry->section[0] != '\0' || strcmp(entry->key, POLICY_VERSION_KEY) != 0)
            continue;
        if (!text_parse_i64(entry->value, &version) || version != GATE_POLICY_VERSION)
            return err_set(err, ERR_USAGE, "%s:%d: policy_version = '%s': this program reads %d",
                           entry->file, entry->line, entry->value, GATE_POLICY_VERSION);
        return true;
    }
    return err_set(err, ERR_USAGE, "%s: `policy_version = %d` is missing at its top",
                   file->count > 0 ? file->entries[0].file : "the policy", GATE_POLICY_VERSION);
}

/* The last entry of the top with that key, for messages; NULL: it is not in the file. */
static const struct conf_entry *top_entry(const struct conf_file *file, const char *key)
{
    const struct conf_entry *found = NULL;
    for (size_t i = 0; i < file->count; i++) {
        if (strcmp(file->entries[i].key, key) == 0)
            found = &file->entries[i];
    }
    return found;
}

/* What fails has to be surer than what warns. */
static bool levels_check(const struct conf_file *file, const struct gate_policy *policy,
                         struct err *err)
{
    if (policy->alpha_fail <= policy->alpha_warn)
        return true;
    const struct conf_entry *place = top_entry(file, "alpha_fail");
    place = place != NULL ? place : top_entry(file, "alpha_warn");
    return err_set(err, ERR_USAGE,
                   "%s:%d: alpha_fail (%g) is above alpha_warn (%g): what fails has to be surer "
                   "than what warns",
                   place->file, place->line, policy->alpha_fail, policy->alpha_warn);
}

/* A recorded text names every measure of its time: what came later decided nothing then. */
static void draft_start(struct policy_draft *draft, const struct policy_scope *scope,
                        struct arena *arena)
{
    *draft = (struct policy_draft){.arena = arena};
    gate_policy_default(&draft->policy);
    for (enum measure i = MEASURE_FIRST; scope->is_recorded && i < MEASURE_END; i++)
        draft->policy.measures[i] = (struct measure_rule){-1, -1, MEASURE_INFO, false};
}

/* Where the file's entries go: what holds for the scope, and what holds for others, which is
 * checked too. */
struct walk {
    const struct conf_file *file;
    const struct policy_scope *scope;
    struct arena *arena;
    struct policy_draft draft, unused;
    struct policy_faults *faults; /* NULL: the first one ends it */
    bool is_of_first;
};

static bool entry_walk(struct walk *walk, size_t index, enum scope_kind pass, struct err *err)
{
    const struct conf_entry *entry = &walk->file->entries[index];
    struct section section;
    if (!section_read(entry, walk->arena, &section, err))
        return pass != SCOPE_ALL && walk->faults != NULL; /* it was told in the first pass */
    if (section.scope != pass)
        return true;
    if (section.target.kind == TARGET_MEASURE)
        section.target.name = policy_measure_name(section.target.name, walk->is_of_first);
    if (!conf_entry_once(walk->file, index, err))
        return false;
    const char *name =
        section.scope == SCOPE_PROJECT ? walk->scope->project : walk->scope->workload;
    struct policy_draft *into =
        (section.scope == SCOPE_ALL || (name != NULL && fnmatch(section.pattern, name, 0) == 0))
            ? &walk->draft
            : &walk->unused;
    return policy_entry_apply(into, &section.target, entry, err);
}

static bool file_walk(struct walk *walk, struct err *err)
{
    walk->is_of_first = policy_is_of_first(walk->file);
    draft_start(&walk->draft, walk->scope, walk->arena);
    draft_start(&walk->unused, walk->scope, walk->arena);
    if (!version_check(walk->file, err) && !policy_fault_keep(walk->faults, err))
        return false;
    for (size_t i = 0; i < walk->file->header_count; i++) {
        const struct conf_file one = {.headers = &walk->file->headers[i], .header_count = 1};
        if (!conf_sections_check(&one, err) && !policy_fault_keep(walk->faults, err))
            return false;
    }
    for (enum scope_kind pass = 0; pass < SCOPE_KIND_COUNT; pass++) {
        for (size_t i = 0; i < walk->file->count; i++) {
            if (!entry_walk(walk, i, pass, err) && !policy_fault_keep(walk->faults, err))
                return false;
        }
    }
    return policy_draft_close(&walk->draft, walk->faults, err) &&
           policy_draft_close(&walk->unused, walk->faults, err) &&
           (levels_check(walk->file, &walk->draft.policy, err) ||
            policy_fault_keep(walk->faults, err));
}

bool gate_policy_read(const struct conf_file *file, const struct policy_scope *scope,
                      struct arena *arena, struct gate_policy *ret_policy, struct err *err)
{
    struct walk walk = {.file = file, .scope = scope, .arena = arena};
    if (!file_walk(&walk, err))
        return false;
    *ret_policy = walk.draft.policy;
    return arena_ok(arena, "the policy", err);
}

bool gate_policy_faults(const struct conf_file *file, const struct policy_scope *scope,
                        struct arena *arena, struct string_list *ret_faults, struct err *err)
{
    struct policy_faults faults = {.arena = arena};
    struct walk walk = {.file = file, .scope = scope, .arena = arena, .faults = &faults};
    if (!file_walk(&walk, err))
        return false;
    *ret_faults = (struct string_list){faults.items, faults.count};
    return arena_ok(arena, "the faults of a policy", err);
}
