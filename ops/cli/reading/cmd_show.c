/* stepledger show: one entry of the ledger, a profile or a verdict, and how it stands now. */
#include "history/verdicts/verdicts.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/trends/trends.h"
#include "ops/present/summary/summary.h"
#include "ops/present/verdict/verdict.h"
#include "ops/runtime/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 1 << 30, OPS_SHOWN = 10 };

struct showing {
    struct cli *cli;
    struct db *db;
    struct arena *arena;
    const char *format;
    struct text_style style; /* of text */
    struct text *out;
};

/* ---- what stands above both ------------------------------------------------------------------ */

/* "project llm, workload pretrain, branch main": parts[count] pairs of a word and what it names,
 * those that are NULL left out. */
static const char *where_text(const char *const (*parts)[2], size_t count, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < count; i++)
        if (parts[i][1] != NULL)
            text = arena_printf(arena, "%s%s%s %s", text, text[0] != '\0' ? ", " : "", parts[i][0],
                                parts[i][1]);
    return text;
}

/* "host-0, host-1", at most eight of them. */
static const char *names_text(const struct string_list *names, struct arena *arena)
{
    enum { NAMES_SHOWN = 8 };
    const char *text = "";
    for (size_t i = 0; i < names->count && i < NAMES_SHOWN; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", names->items[i]);
    if (names->count > NAMES_SHOWN)
        text = arena_printf(arena, "%s and %zu more", text, names->count - NAMES_SHOWN);
    return text;
}

/* ---- a profile ------------------------------------------------------------------------------- */

/* Why it does not count, or what was corrected; NULL: nothing ever was. */
static const char *standing_of(const struct ledger_profile *profile, struct arena *arena)
{
    if (profile->superseded_by != 0)
        return arena_printf(arena, "superseded by p%" PRId64 ": %s", profile->superseded_by,
                            profile->reason);
    if (profile->retracted_at_utc != NULL)
        return arena_printf(arena, "retracted at %s: %s", profile->retracted_at_utc,
                            profile->reason);
    return profile->reason == NULL ? NULL : arena_printf(arena, "corrected: %s", profile->reason);
}

static void profile_head(const struct ledger_profile *profile, struct page *page)
{
    const char *const parts[][2] = {
        {"project", profile->project}, {"workload", profile->workload}, {"branch", profile->branch},
        {"commit", profile->commit},   {"run", profile->run},           {"label", profile->label},
        {"series", profile->series},
    };
    const struct string_list *hosts = &profile->summary.environment.hosts;
    const char *standing = standing_of(profile, page->arena);
    const char *id = arena_printf(page->arena, "p%" PRId64, profile->id);
    page_item(page, TONE_PLAIN, id, "%s",
              where_text(parts, sizeof parts / sizeof parts[0], page->arena));
    if (hosts->count > 0)
        page_item(page, TONE_PLAIN, hosts->count == 1 ? "host" : "hosts", "%s",
                  names_text(hosts, page->arena));
    page_item(page, TONE_PLAIN, "captured", "%s",
              profile->captured_at_utc != NULL
                  ? profile->captured_at_utc
                  : "not known: the profile does not tell (--captured-at says it)");
    page_item(page, TONE_PLAIN, "recorded", "%s", profile->recorded_at_utc);
    if (standing != NULL)
        page_item(page, TONE_WARN, "now", "%s", standing);
}

static const struct member standing_members[] = {
    M_ENTRY("profile", ledger_profile, id, 'p'),
    M_FIELDS(ledger_profile, project, workload, series, branch, commit, run, label),
    M_TEXTS_AS("hosts", ledger_profile, summary.environment.hosts),
    M_FIELDS(ledger_profile, captured_at_utc, recorded_at_utc, retracted_at_utc, reason),
    M_ENTRY("superseded_by", ledger_profile, superseded_by, 'p'),
};
static const struct record standing_record = RECORD_OF(ledger_profile, standing_members);

static bool show_profile(const struct showing *shown, const char *name, struct err *err)
{
    struct page page;
    struct ledger_profile profile;
    const struct reference_scope scope = reference_scope_of(shown->cli);
    if (!reference_profile(shown->db, &scope, name, shown->arena, &profile, err) ||
        !ledger_load_profile(shown->db, profile.id, shown->arena, &profile, err) ||
        !ledger_check_words(shown->db, profile.id, shown->arena, err))
        return false;
    if (strcmp(shown->format, "json") == 0) {
        /* The summary, and beside it where it stands in the ledger. */
        scoped_json *root = summary_to_json(&profile.summary);
        (void)json_object_set_new(root, "ledger", record_to_json(&standing_record, &profile));
        json_print(root, JSON_STYLE_INDENTED, shown->out);
        return text_ok(shown->out, "the profile", err);
    }
    static const char *const of_verdicts[] = {"github", "junit", "svg", "png"};
    if (text_is_one(shown->format, of_verdicts))
        return err_set(err, ERR_USAGE, "--format %s is for verdicts; %s is a profile",
                       shown->format, name);
    page_init(&page, shown->arena, "profile");
    profile_head(&profile, &page);
    summary_page_fill(&profile.summary, OPS_SHOWN, &page);
    if (!page_ok(&page, "the profile", err))
        return false;
    page_print_as(&page, shown->format, &shown->style, shown->out);
    return text_ok(shown->out, "the profile", err);
}

/* ---- a verdict ------------------------------------------------------------------------------- */

struct shown_verdict {
    int64_t id;
    const char *name; /* "v4" */
    const char *document;
    struct verdict verdict;
    const char *retracted;        /* NULL: all that it rests on counts */
    struct acceptance acceptance; /* of its change, by people */
    struct string_list hosts;     /* of its candidate */
};

static bool verdict_load(const struct showing *shown, struct shown_verdict *item, struct err *err)
{
    if (!ledger_read_verdict(shown->db, item->id, shown->arena, &item->document, &item->verdict,
                             err) ||
        !verdict_retraction(shown->db, item->id, shown->arena, &item->retracted, err) ||
        !ledger_find_acceptance(shown->db, &item->verdict, shown->arena, &item->acceptance, err))
        return false;
    /* The hosts of the first candidate; an archive keeps them too. */
    int64_t id;
    struct ledger_brief *briefs;
    const struct string_list *candidates = &item->verdict.candidate.profile_ids;
    if (candidates->count == 0 || !reference_is_id(candidates->items[0], 'p', &id))
        return true;
    if (!ledger_load_briefs(shown->db, &id, 1, shown->arena, &briefs, err))
        return false;
    item->hosts = briefs[0].profile.summary.environment.hosts;
    return true;
}

static void verdict_place(const struct shown_verdict *item, struct page *page)
{
    const struct verdict *verdict = &item->verdict;
    const struct string_list *runs = &verdict->candidate.run_ids;
    const char *const parts[][2] = {
        {"project", verdict->project},
        {"workload", verdict->workload},
        {"branch", verdict->candidate.branch},
        {"commit", verdict->candidate.commit},
        {runs->count == 1 ? "run" : "runs", runs->count > 0 ? names_text(runs, page->arena) : NULL},
        {"series", verdict->series},
    };
    page_item(page, TONE_PLAIN, item->name, "%s",
              where_text(parts, sizeof parts / sizeof parts[0], page->arena));
    if (item->hosts.count > 0)
        page_item(page, TONE_PLAIN, item->hosts.count == 1 ? "host" : "hosts", "%s",
                  names_text(&item->hosts, page->arena));
    page_item(page, TONE_PLAIN, "judged", "%s", verdict->created_at_utc);
}

/* As it was recorded; what became known later stands beside it. */
static bool verdict_json(const struct showing *shown, const struct shown_verdict *shown_item,
                         const struct verdict_item *item, struct err *err)
{
    if (item->retracted == NULL && item->accepted == NULL && item->beyond == NULL) {
        text_add(shown->out, shown_item->document);
        return text_ok(shown->out, "the verdict", err);
    }
    scoped_json *root =
        json_parse(shown_item->document, strlen(shown_item->document), item->id, err);
    if (root == NULL)
        return false;
    const char *const later[][2] = {{"based_on_retracted", item->retracted},
                                    {"accepted", item->accepted},
                                    {"beyond", item->beyond}};
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        if (later[i][1] != NULL)
            (void)json_object_set_new(root, later[i][0], json_text(later[i][1]));
    json_print(root, JSON_STYLE_INDENTED, shown->out);
    return text_ok(shown->out, "the verdict", err);
}

static bool verdict_html(const struct showing *shown, const struct shown_verdict *shown_item,
                         const struct verdict_item *item, struct err *err)
{
    struct page page;
    struct verdict_course course;
    if (!trends_judged(shown->db, shown_item->id, item->verdict, shown->arena, &course, err))
        return false;
    page_init(&page, shown->arena, item->id);
    verdict_item_notes(item, &page);
    verdict_html_fill(item->verdict, &course, &page);
    page_heading(&page, true, "Where it stands in the ledger");
    verdict_place(shown_item, &page);
    if (!page_ok(&page, "the verdict", err))
        return false;
    page_print_html(&page, shown->out);
    return text_ok(shown->out, "the verdict", err);
}

static bool show_verdict(const struct showing *shown, struct shown_verdict *shown_item,
                         struct err *err)
{
    if (!verdict_load(shown, shown_item, err))
        return false;
    const struct verdict_item item = {.name = shown_item->verdict.workload,
                                      .id = shown_item->name,
                                      .verdict = &shown_item->verdict,
                                      .accepted = shown_item->verdict.status != VERDICT_PASS &&
                                                          shown_item->acceptance.found
                                                      ? shown_item->acceptance.said
                                                      : NULL,
                                      .beyond = shown_item->acceptance.beyond,
                                      .retracted = shown_item->retracted};
    const struct verdict_list list = {
        .items = &item, .count = 1, .when_utc = shown_item->verdict.created_at_utc};
    /* What became known later, whatever the format has room for. */
    decide_log_retracted(shown_item->name, shown_item->retracted);
    decide_log(&shown_item->acceptance, shown_item->name, &shown_item->verdict);
    if (strcmp(shown->format, "json") == 0)
        return verdict_json(shown, shown_item, &item, err);
    if (strcmp(shown->format, "html") == 0)
        return verdict_html(shown, shown_item, &item, err);
    if (strcmp(shown->format, "svg") == 0)
        return verdict_svg(&shown_item->verdict, shown->out, err);
    if (strcmp(shown->format, "png") == 0)
        return verdict_png(&shown_item->verdict, shown->out, err);
    if (strcmp(shown->format, "github") == 0)
        return verdict_list_annotations(&list, shown->out, err);
    if (strcmp(shown->format, "junit") == 0)
        return verdict_list_junit(&list, shown->out, err);
    /* The verdict as `gate` prints it, whose first line can be acted on, and where it
     * stands. */
    struct page page;
    page_init(&page, shown->arena, shown_item->name);
    verdict_place(shown_item, &page);
    if (!page_ok(&page, "the verdict", err))
        return false;
    if (!(strcmp(shown->format, "md") == 0
              ? verdict_list_markdown(&list, true, shown->out, err)
              : verdict_list_text(&list, &shown->style, shown->out, err)))
        return false;
    text_add(shown->out, "\n\n");
    page_print_as(&page, shown->format, &shown->style, shown->out);
    return text_ok(shown->out, "the verdict", err);
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool show(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    scoped_text out;
    struct shown_verdict verdict = {.name = cli->operands[0]};
    const char *output = cli_text(cli, "output");
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (!reference_connect(cli, verdict.name, &db, err))
        return false;
    const struct showing shown = {
        .cli = cli,
        .db = db,
        .arena = &cli->arena,
        .format = cli_text(cli, "format"),
        .style = {output == NULL && cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)},
        .out = &out,
    };
    return (reference_is_id(verdict.name, 'v', &verdict.id)
                ? show_verdict(&shown, &verdict, err)
                : show_profile(&shown, verdict.name, err)) &&
           (strcmp(shown.format, "png") == 0 ? cli_emit_bytes(output, &out, err)
                                             : cli_emit(output, &out, err));
}

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "json|text|md|html|svg|png|github|junit", "json", "what to print"},
    {"output", CLI_TEXT, "FILE", NULL, "write there and print the path"},
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_show = {
    .name = "show",
    .line = "print a profile or a verdict of the ledger",
    .operands = "ENTRY",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "ENTRY is p12 for a profile (its whole summary; `ledger` in it says project, workload,\n"
        "branch, commit, run, hosts and when), v7 for a verdict (the document as it was\n"
        "recorded), or a run, a label or a commit for its newest profile. A verdict of which a\n"
        "profile was retracted later says so, and one whose change people accepted says by whom,\n"
        "why, and whether that covers it (`accepted`, `beyond`). github and junit are for\n"
        "verdicts, and so are svg and png: what the step gained, op by op, as html draws it.\n\n"
        "exit: 0 shown · 2 usage · 6 no such entry · 65 a name of several · 69 database away",
    .run = show,
};
