/* stepledger show: one entry of the ledger, a profile or a verdict. */
#include "history/ledger.h"
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"
#include "ops/present/summary_text.h"
#include "ops/present/verdict_text.h"
#include "ops/runtime/json.h"

#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 1 << 30 };

struct shown {
    struct cli *cli;
    struct db *db;
    int64_t id;
    bool as_text;
    struct text_style style;
    struct arena *arena;
    struct text *out;
};

static bool show_profile(struct shown *shown, struct err *err)
{
    struct ledger_profile profile;
    if (!ledger_load_profile(shown->db, shown->id, shown->arena, &profile, err))
        return false;
    if (shown->as_text)
        return summary_text(&profile.summary, &shown->style, shown->out, err);
    summary_print(&profile.summary, JSON_STYLE_INDENTED, shown->out);
    return true;
}

static bool show_verdict(struct shown *shown, struct err *err)
{
    char *document;
    if (!ledger_load_verdict(shown->db, shown->id, shown->arena, &document, err))
        return false;
    if (!shown->as_text) {
        text_add(shown->out, document);
        return true;
    }
    scoped_json *root = json_parse(document, strlen(document), shown->cli->operands[0], err);
    struct verdict verdict;
    return root != NULL &&
           verdict_from_json(root, shown->cli->operands[0], shown->arena, &verdict, err) &&
           verdict_text(&verdict, &shown->style, shown->out, err);
}

static const struct {
    char letter;
    bool (*show)(struct shown *shown, struct err *err);
} kinds[] = {{'p', show_profile}, {'v', show_verdict}};

static bool show(struct shown *shown, struct err *err)
{
    const char *id = shown->cli->operands[0];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (id[0] == kinds[i].letter && text_parse_i64(id + 1, &shown->id) && shown->id > 0)
            return connect_reader(shown->cli, &shown->db, err) && kinds[i].show(shown, err) &&
                   cli_emit(NULL, shown->out, err);
    }
    return err_set(err, ERR_USAGE, "'%s' is no id: p12 is a profile, v7 a verdict", id);
}

static int run_show(struct cli *cli)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, cli_budget(cli));
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    struct shown shown = {
        .cli = cli,
        .as_text = strcmp(cli_text(cli, "format"), "text") == 0,
        .style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)},
        .arena = &arena,
        .out = &out,
    };
    bool done = show(&shown, &err);
    db_close(shown.db);
    return done ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "json|text", "json", "what to print", false},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_show = {
    .name = "show",
    .line = "print a profile or a verdict of the ledger",
    .operands = "ID",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "ID is p12 for a profile (its whole summary) or v7 for a verdict (the document as it\n"
        "was recorded).\n\n"
        "exit: 0 shown · 2 usage · 6 no such entry · 69 database away",
    .run = run_show,
};
