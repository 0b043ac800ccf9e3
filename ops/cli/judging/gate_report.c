/* Implements the gate's printing: one row of a table per format, and what a forge's step is left.
 */
#include "ops/cli/judging/gate_report.h"

#include "ops/cli/operand/operand.h"

#include "schema/documents/verdict_words.h"
#include "ops/present/verdict/verdict.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"
#include "ops/flow/tell/tell.h"
#include "ops/flow/trends/trends.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DOCUMENT_MAX_BYTES = 256 << 20, SUMMARY_MAX_BYTES = 1 << 20 };

/* ---- the outcomes as what presenters take ---------------------------------------------------- */

static const char *item_name(const struct gate_outcome *outcome)
{
    const struct gate_job *job = outcome->job;
    if (job != NULL)
        return job->name != NULL ? job->name : job->workload;
    return outcome->verdict.workload != NULL ? outcome->verdict.workload : "gate";
}

/* Only the forge's own step is told: elsewhere a comment at a request is not to be expected. */
static bool astray_find(const struct gate_report *report, const struct gate_outcome *outcome,
                        struct verdict_item *item, struct err *err)
{
    struct cli *cli = report->cli;
    const struct flow flow = connect_flow(cli, NULL);
    const char *name, *branch = outcome->verdict.candidate.branch;
    if (item->verdict == NULL || strcmp(cli_text(cli, "format"), "github") != 0)
        return true;
    if (!plan_astray(&flow, &outcome->verdict, &name, err))
        return false;
    if (name == NULL)
        return true;
    item->astray = arena_printf(
        &cli->arena,
        "destination '%s' comments at pull and merge requests, and gets nothing: the candidate's "
        "branch is %s; pass --branch pull/NUMBER (mr/NUMBER), or set its issue",
        name, branch == NULL ? "not known" : branch);
    return true;
}

/* The runs behind a verdict, for a page that draws them. A verdict stands whether they can be drawn
 * or not. */
static void course_find(const struct gate_report *report, const struct gate_outcome *outcome,
                        struct verdict_item *item)
{
    struct err why = {0};
    struct arena *arena = &report->cli->arena;
    if (item->verdict == NULL || item->id == NULL || report->db == NULL ||
        strcmp(cli_text(report->cli, "format"), "html") != 0)
        return;
    struct verdict_course *course = arena_new(arena, struct verdict_course);
    item->course = course;
    if (trends_judged(report->db, outcome->id, item->verdict, arena, course, &why))
        return;
    arena_forgive(arena);
    course->why = arena_strdup(arena, why.text);
}

static bool list_make(const struct gate_report *report, struct verdict_list *ret_list,
                      struct err *err)
{
    struct arena *arena = &report->cli->arena;
    struct verdict_item *items = arena_array(arena, struct verdict_item, report->count);
    char now[CLOCK_ISO_BYTES];
    for (size_t i = 0; i < report->count; i++) {
        const struct gate_outcome *outcome = &report->outcomes[i];
        bool judged = outcome->failure.kind == ERR_NONE;
        items[i] = (struct verdict_item){
            .name = item_name(outcome),
            .id = outcome->id > 0 ? arena_printf(arena, "v%lld", (long long)outcome->id) : NULL,
            .verdict = judged ? &outcome->verdict : NULL,
            .failure = judged ? NULL : outcome->failure.text,
            .accepted = outcome->acceptance.found ? outcome->acceptance.said : NULL,
            .beyond = outcome->acceptance.beyond,
            .retracted = outcome->retracted,
        };
        course_find(report, outcome, &items[i]);
        if (!astray_find(report, outcome, &items[i], err))
            return false;
    }
    *ret_list = (struct verdict_list){items, report->count,
                                      arena_strdup(arena, clock_iso(clock_wall_us(), now))};
    return true;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *outcome_to_json(const struct gate_outcome *outcome, const struct verdict_item *item)
{
    json_t *verdict = item->verdict == NULL ? json_null() : verdict_to_json(item->verdict);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_text(item->name), "id",
                     json_text(item->id), "accepted", json_text(item->accepted), "beyond",
                     json_text(item->beyond), "error", json_text(item->failure), "error_kind",
                     outcome->failure.kind == ERR_NONE
                         ? json_null()
                         : json_text(err_kind_name(outcome->failure.kind)),
                     "verdict", verdict);
}

/* verdict_matrix.v1: every outcome in the order of the file. */
static bool matrix_print(const struct gate_report *report, const struct verdict_list *list,
                         struct text *out, struct err *err)
{
    json_t *rows = json_array();
    scoped_json *root = json_pack("{s:s, s:i, s:o}", "schema_version", "verdict_matrix.v1",
                                  "exit_code", report->exit_code, "verdicts", rows);
    for (size_t i = 0; i < list->count; i++) {
        (void)json_array_append_new(rows, outcome_to_json(&report->outcomes[i], &list->items[i]));
    }
    json_print(root, JSON_STYLE_INDENTED, out);
    return text_ok(out, "the verdicts", err);
}

/* The verdict with its number where it was just recorded; what is made again stays as it was. */
static json_t *item_to_json(const struct gate_outcome *outcome, const struct verdict_item *item)
{
    struct verdict verdict = *item->verdict;
    verdict.has_id = outcome->job != NULL && item->id != NULL;
    verdict.id = item->id;
    verdict.accepted = verdict.status == VERDICT_PASS ? NULL : item->accepted;
    verdict.is_answered = verdict.accepted != NULL || item->beyond != NULL;
    verdict.beyond = item->beyond;
    return verdict_to_json(&verdict);
}

static bool print_json(const struct gate_report *report, const struct verdict_list *list,
                       struct text *out, struct err *err)
{
    if (report->is_matrix)
        return matrix_print(report, list, out, err);
    if (report->count != 1 || list->items[0].verdict == NULL)
        return true;
    scoped_json *root = item_to_json(&report->outcomes[0], &list->items[0]);
    json_print(root, JSON_STYLE_INDENTED, out);
    return text_ok(out, "the verdict", err);
}

static bool print_jsonl(const struct gate_report *report, const struct verdict_list *list,
                        struct text *out, struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        scoped_json *row = report->is_matrix
                               ? outcome_to_json(&report->outcomes[i], &list->items[i])
                               : item_to_json(&report->outcomes[i], &list->items[i]);
        if (i > 0)
            text_addc(out, '\n');
        json_print(row, JSON_STYLE_LINE, out);
    }
    return text_ok(out, "the verdicts", err);
}

/* ---- for people ------------------------------------------------------------------------------ */

static bool print_text(const struct verdict_list *list, struct text *out, struct err *err)
{
    const struct text_style style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)};
    return verdict_list_text(list, &style, out, err);
}

static bool print_markdown(const struct verdict_list *list, struct text *out, struct err *err)
{
    return verdict_list_markdown(list, true, out, err);
}

bool gate_report_print(const struct gate_report *report, struct err *err)
{
    static const struct {
        const char *name;
        bool tells_errors; /* there is a place in it for what could not be judged */
        bool (*print_all)(const struct gate_report *report, const struct verdict_list *list,
                          struct text *out, struct err *err);
        bool (*print)(const struct verdict_list *list, struct text *out, struct err *err);
    } formats[] = {
        {"json", false, print_json, NULL},        {"jsonl", false, print_jsonl, NULL},
        {"text", false, NULL, print_text},        {"md", true, NULL, print_markdown},
        {"html", true, NULL, verdict_list_html},  {"github", true, NULL, verdict_list_annotations},
        {"junit", true, NULL, verdict_list_junit}};
    bool is_error = !report->is_matrix && report->outcomes[0].failure.kind != ERR_NONE;
    const char *wanted = cli_text(report->cli, "format");
    struct verdict_list list;
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (!list_make(report, &list, err))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].verdict != NULL)
            decide_log(&report->outcomes[i].acceptance, list.items[i].id, list.items[i].verdict);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, wanted) != 0)
            continue;
        if (is_error && !formats[i].tells_errors)
            return true;
        return (formats[i].print != NULL ? formats[i].print(&list, &out, err)
                                         : formats[i].print_all(report, &list, &out, err)) &&
               cli_emit(NULL, &out, err);
    }
    return err_set(err, ERR_BUG, "no printer for --format %s", wanted);
}

/* ---- what a forge's step is left ------------------------------------------------------------- */

/* A pipe or socket may keep its writer waiting for good. */
static bool takes_all(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISCHR(info.st_mode));
}

/* The forge makes the file, and other steps append to it too. */
static bool file_append(const char *variable, const struct text *text, struct err *err)
{
    const char *path = getenv(variable);
    if (path == NULL || path[0] == '\0')
        return true;
    scoped_fd fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    if ((fd < 0 && errno == ENXIO) || (fd >= 0 && !takes_all(fd))) {
        log_event(LOG_WARN, LOG_input_warning, "variable", variable, "file", path, "why",
                  "it is no regular file: nothing is written to it", NULL);
        return true;
    }
    if (fd < 0)
        return err_set_errno(err, ERR_INPUT, "%s names '%s', which cannot be written", variable,
                             path);
    return file_write_all(fd, text_string(text), text->length, path, err);
}

static bool summary_leave(const struct verdict_list *list, struct err *err)
{
    scoped_text out, brief;
    text_init(&out, DOCUMENT_MAX_BYTES);
    text_init(&brief, SUMMARY_MAX_BYTES - 1);
    if (!verdict_list_markdown(list, true, &out, err))
        return false;
    text_addc(&out, '\n');
    if (out.length <= SUMMARY_MAX_BYTES)
        return file_append("GITHUB_STEP_SUMMARY", &out, err);
    if (!verdict_list_markdown(list, false, &brief, err))
        return false;
    text_addc(&brief, '\n');
    return file_append("GITHUB_STEP_SUMMARY", &brief, err);
}

/* The item that the exit code speaks of. */
static const struct verdict_item *worst_item(const struct gate_report *report,
                                             const struct verdict_list *list)
{
    for (size_t i = 0; i < report->count; i++) {
        if (gate_exit_code(report->cli, &report->outcomes[i]) == report->exit_code)
            return &list->items[i];
    }
    return &list->items[0];
}

bool gate_report_leave(const struct gate_report *report, struct err *err)
{
    struct verdict_list list;
    if (!list_make(report, &list, err) || !summary_leave(&list, err))
        return false;
    enum { OUTPUT_MAX_BYTES = 1 << 12 };
    const struct verdict_item *worst = worst_item(report, &list);
    scoped_text out;
    text_init(&out, OUTPUT_MAX_BYTES);
    text_addf(&out, "verdict=%s\nverdict_id=%s\nexit_code=%d\n",
              worst->verdict == NULL ? "error" : verdict_status_names[worst->verdict->status],
              worst->id == NULL ? "" : worst->id, report->exit_code);
    const struct flow flow = connect_flow(report->cli, NULL);
    const char *url = notify_link(&flow, worst->id);
    if (url != NULL)
        text_addf(&out, "report_url=%s\n", url);
    return text_ok(&out, "the output", err) && file_append("GITHUB_OUTPUT", &out, err);
}

/* ---- exit codes ------------------------------------------------------------------------------ */

int gate_exit_code(const struct cli *cli, const struct gate_outcome *outcome)
{
    if (outcome->failure.kind != ERR_NONE) {
        int code = (int)exit_code_of(outcome->failure.kind);
        /* Not EXIT_INTERNAL: a ledger that does not fit together is no reason to pass. */
        bool is_away = code == EXIT_UNAVAILABLE || code == EXIT_TRY_LATER;
        return is_away && strcmp(cli_text(cli, "on-error"), "pass") == 0 ? EXIT_OK : code;
    }
    switch (outcome->verdict.status) {
    case VERDICT_FAIL:
        return outcome->acceptance.found ? EXIT_OK : EXIT_FAILED;
    case VERDICT_WARN:
        return cli_given(cli, "warn-exit") ? EXIT_WARNED : EXIT_OK;
    case VERDICT_INCONCLUSIVE:
        return cli_given(cli, "strict")                   ? EXIT_INCONCLUSIVE
               : !verdict_warns_beside(&outcome->verdict) ? EXIT_OK
               : cli_given(cli, "warn-exit")              ? EXIT_WARNED
                                                          : EXIT_OK;
    case VERDICT_INCOMPARABLE:
        return EXIT_INCOMPARABLE;
    default:
        return EXIT_OK;
    }
}

int gate_worst_code(const struct cli *cli, const struct gate_outcome *outcomes, size_t count)
{
    static const int from_worst[] = {
        EXIT_INTERNAL, EXIT_UNAVAILABLE, EXIT_TRY_LATER,    EXIT_USAGE,        EXIT_INPUT,
        EXIT_MISSING,  EXIT_FAILED,      EXIT_INCOMPARABLE, EXIT_INCONCLUSIVE, EXIT_WARNED};
    for (size_t i = 0; i < sizeof from_worst / sizeof from_worst[0]; i++) {
        for (size_t j = 0; j < count; j++) {
            if (gate_exit_code(cli, &outcomes[j]) == from_worst[i])
                return from_worst[i];
        }
    }
    return EXIT_OK;
}

int gate_report_failure(struct cli *cli, const struct err *failure)
{
    struct err err = {0};
    const struct gate_outcome failed = {.failure = *failure};
    const struct gate_report report = {
        .cli = cli, .outcomes = &failed, .count = 1, .exit_code = gate_exit_code(cli, &failed)};
    (void)cli_fail(cli, failure);
    if (!gate_report_print(&report, &err) || !gate_report_leave(&report, &err))
        (void)cli_fail(cli, &err);
    return report.exit_code;
}
