/* stepledger policy: checks, explains and compares the files that say what a gate does. */
#include "compare/policy/policy.h"
#include "ops/cli/cli.h"
#include "ops/present/words/words.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/verdict_reasons.h"

#include <stdio.h>
#include <string.h>

enum { DOCUMENT_MAX_BYTES = 4 << 20 };

struct policy_run {
    struct cli *cli;
    const char *const *files;
    size_t file_count;
    struct text out;
};

/* The policy of a file for --project and --workload; NULL: the default one. */
static bool policy_load(struct policy_run *run, const char *path, struct gate_policy *ret_policy,
                        struct err *err)
{
    struct conf_file file = {0};
    const struct policy_scope scope = {cli_text(run->cli, "project"),
                                       cli_text(run->cli, "workload"), false};
    gate_policy_default(ret_policy);
    return path == NULL || (conf_file_read(path, &run->cli->arena, &file, err) &&
                            gate_policy_read(&file, &scope, &run->cli->arena, ret_policy, err));
}

static bool policy_text(struct policy_run *run, const char *path, const char **ret_text,
                        struct err *err)
{
    struct gate_policy policy;
    if (!policy_load(run, path, &policy, err))
        return false;
    *ret_text = gate_policy_text(&policy, &run->cli->arena);
    return *ret_text != NULL ||
           err_set(err, ERR_LIMIT, "%s: the policy is too long", path == NULL ? "it" : path);
}

/* "FILE:12: ..." -> 12 */
static int64_t line_of(const char *fault, const char *path)
{
    size_t length = strlen(path);
    int64_t line = 0;
    if (strncmp(fault, path, length) != 0 || fault[length] != ':')
        return 0;
    for (const char *at = fault + length + 1; *at >= '0' && *at <= '9' && line < INT32_MAX; at++)
        line = 10 * line + (*at - '0');
    return line;
}

/* Makes a comment of a line, from 1. */
static bool line_void(char *text, int64_t line)
{
    for (int64_t i = 1; i < line && text != NULL; i++) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    if (text == NULL || *text == '\0' || *text == '\n' || *text == '#')
        return false;
    size_t length = strcspn(text, "\n");
    memset(text, ' ', length);
    *text = '#';
    return true;
}

/* Reads the file without the lines that are none of the grammar, which are told. */
static bool lines_read(struct policy_run *run, const char *path, struct conf_file *file,
                       size_t *ret_count, struct err *err)
{
    char *text;
    struct arena *arena = &run->cli->arena;
    *ret_count = 0;
    if (conf_file_read(path, arena, file, err))
        return true;
    if (err->kind != ERR_USAGE || !file_read(path, DOCUMENT_MAX_BYTES, arena, &text, NULL, NULL))
        return false;
    do {
        if (!line_void(text, line_of(err->text, path)))
            return false;
        harmless_say("stepledger policy: %s", err->text);
        ++*ret_count;
        *file = (struct conf_file){0};
    } while (!conf_text_read(text, path, arena, file, err));
    return true;
}

/* All that is wrong with the file, a line each on stderr: what is no line of it first, then the
 * others in its order. */
static bool faults_say(struct policy_run *run, const char *path, struct err *err)
{
    struct conf_file file = {0};
    struct string_list faults;
    size_t unread;
    const struct policy_scope scope = {cli_text(run->cli, "project"),
                                       cli_text(run->cli, "workload"), false};
    if (!lines_read(run, path, &file, &unread, err) ||
        !gate_policy_faults(&file, &scope, &run->cli->arena, &faults, err))
        return false;
    for (size_t i = 1; i < faults.count; i++) { /* stable, and they are few */
        const char *moved = faults.items[i];
        size_t to = i;
        for (; to > 0 && line_of(faults.items[to - 1], path) > line_of(moved, path); to--)
            faults.items[to] = faults.items[to - 1];
        faults.items[to] = moved;
    }
    for (size_t i = 0; i < faults.count; i++)
        harmless_say("stepledger policy: %s", faults.items[i]);
    size_t count = faults.count + unread;
    char counted[FORMAT_COUNTED_BYTES];
    return count == 0 || err_set(err, ERR_USAGE, "%s: %s", path,
                                 format_counted((int64_t)count, "fault", counted));
}

static bool check(struct policy_run *run, struct err *err)
{
    const char *text;
    char hash[SHA256_HEX_BYTES];
    if (!faults_say(run, run->files[0], err) || !policy_text(run, run->files[0], &text, err))
        return false;
    sha256_hex(text, strlen(text), hash);
    scoped_json *root = json_pack("{s:o, s:s, s:i}", "file", json_text(run->files[0]),
                                  "policy_sha256", hash, "policy_version", GATE_POLICY_VERSION);
    json_print(root, JSON_STYLE_INDENTED, &run->out);
    return true;
}

static bool show(struct policy_run *run, struct err *err)
{
    struct gate_policy policy;
    if (!policy_load(run, run->file_count > 0 ? run->files[0] : NULL, &policy, err))
        return false;
    const char *guide = gate_policy_guide(&policy, &run->cli->arena);
    harmless_lines(&run->out, guide);
    shown_trim_end(&run->out, "\n"); /* emitting ends the last line */
    return text_ok(&run->out, "the policy", err);
}

/* The codes are for machines, the meanings for those who program them. */
static bool reasons(struct policy_run *run, struct err *err)
{
    static const struct {
        const char *code, *meaning;
    } rows[] = {
#define REASON_ROW(code, meaning) {#code, meaning},
        VERDICT_REASONS(REASON_ROW)
#undef REASON_ROW
            {"MEASURE_increased",
             "a measure is beyond its limit; MEASURE_decreased where less is worse"},
        {"FACT_differs", "the sides disagree on a fact of provenance, which has both values"},
        {"FACT_unknown", "a fact of provenance is not known of one side or both"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        text_addf(&run->out, "%s%-25s  %s", i > 0 ? "\n" : "", rows[i].code, rows[i].meaning);
    return text_ok(&run->out, "the reasons", err);
}

/* ---- diff ------------------------------------------------------------------------------------ */

static const char *value_of(const struct conf_file *file, const struct conf_entry *like)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct conf_entry *entry = &file->entries[i];
        if (strcmp(entry->section, like->section) == 0 && strcmp(entry->key, like->key) == 0)
            return entry->value;
    }
    return NULL;
}

static void difference_add(struct policy_run *run, const struct conf_entry *entry,
                           const char *before, const char *after)
{
    bool is_top = entry->section[0] == '\0';
    harmless_line(&run->out, "%s%s%s%s: %s -> %s", is_top ? "" : "[", entry->section,
                  is_top ? "" : "] ", entry->key, before != NULL ? before : "(absent)",
                  after != NULL ? after : "(absent)");
}

static bool diff(struct policy_run *run, struct err *err)
{
    struct conf_file before = {0}, after = {0};
    const char *left, *right;
    bool both = run->file_count > 1;
    if (!policy_text(run, both ? run->files[0] : NULL, &left, err) ||
        !policy_text(run, run->files[both ? 1 : 0], &right, err) ||
        !conf_text_read(left, "the first policy", &run->cli->arena, &before, err) ||
        !conf_text_read(right, "the second policy", &run->cli->arena, &after, err))
        return false;
    /* Canonical texts hold every key, so they differ in values and in whole watches alone. */
    for (size_t i = 0; i < before.count; i++) {
        const struct conf_entry *entry = &before.entries[i];
        const char *value = value_of(&after, entry);
        if (value == NULL || strcmp(value, entry->value) != 0)
            difference_add(run, entry, entry->value, value);
    }
    for (size_t i = 0; i < after.count; i++) {
        if (value_of(&before, &after.entries[i]) == NULL)
            difference_add(run, &after.entries[i], NULL, after.entries[i].value);
    }
    run->cli->code = run->out.length > 0 ? EXIT_FAILED : EXIT_OK;
    shown_trim_end(&run->out, "\n");
    return text_ok(&run->out, "the differences", err);
}

static const struct action {
    const char *name;
    size_t file_min, file_max;
    bool (*run)(struct policy_run *run, struct err *err);
} actions[] = {
    {"check", 1, 1, check}, {"show", 0, 1, show}, {"diff", 1, 2, diff}, {"reasons", 0, 0, reasons}};

static const struct action *action_find(const struct cli *cli, struct err *err)
{
    const char *names[sizeof actions / sizeof actions[0]];
    size_t files = cli->operand_count - 1;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        names[i] = actions[i].name;
        if (strcmp(actions[i].name, cli->operands[0]) != 0)
            continue;
        if (files >= actions[i].file_min && files <= actions[i].file_max)
            return &actions[i];
        (void)err_set(err, ERR_USAGE, "%s takes %zu to %zu files, not %zu", actions[i].name,
                      actions[i].file_min, actions[i].file_max, files);
        return NULL;
    }
    (void)err_set(err, ERR_USAGE, "unknown action '%s'%s", cli->operands[0],
                  text_choices(cli->operands[0], names, sizeof names / sizeof names[0]).words);
    return NULL;
}

static bool policy(struct cli *cli, struct err *err)
{
    struct policy_run run = {.cli = cli};
    const struct action *action = action_find(cli, err);
    run.files = cli->operands + 1;
    run.file_count = cli->operand_count - 1;
    text_init(&run.out, DOCUMENT_MAX_BYTES);
    bool done = action != NULL && action->run(&run, err) &&
                ((run.out.length == 0 && !run.out.failed) || cli_emit(NULL, &run.out, err));
    text_done(&run.out);
    return done;
}

static const struct cli_option options[] = {
    {"project", CLI_TEXT, "P", NULL, "as the policy holds for this project"},
    {"workload", CLI_TEXT, "W", NULL, "as the policy holds for this workload"},
    CLI_END,
};

const struct cli_command cmd_policy = {
    .name = "policy",
    .line = "check, explain or compare the policies of the gate",
    .operands = "check|show|diff|reasons [FILE]...",
    .operand_min = 1,
    .operand_max = 3,
    .options = options,
    .details =
        "check FILE         says whether the file can be used, and the hash that verdicts name;\n"
        "                   else everything that is wrong with it\n"
        "show [FILE]        the whole policy with what each key means; without a file the default\n"
        "diff FILE [FILE]   what differs from the default, or from the first file\n"
        "reasons            every reason code that a verdict may carry, and what it means\n\n"
        "A policy is a file of `key = value` lines, `policy_version = 1` first; what it leaves\n"
        "out is as in the default. [measure NAME] limits any measure that `trend` draws, [watch\n"
        "NAME] judges ops by a pattern, [provenance] says which differences make profiles\n"
        "incomparable; behind [project P ...] or [workload W ...] it holds for these alone.\n"
        "`gate --policy FILE` judges by it and records its whole text and hash.\n\n"
        "exit: 0 good, shown, equal · 1 different · 2 wrong file (file:line and remedy on stderr)\n"
        "      or usage · 6 no such file",
    .run = policy,
};
