/* stepledger compare: two summaries side by side, as the reference tool prints them; or many. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/present/summary/summary.h"

#include <string.h>
#include <unistd.h>

enum { PAGE_MAX_BYTES = 64 << 20 };

/* One table of all that is named. */
static bool print_ranking(struct cli *cli, struct arena *arena, struct err *err)
{
    struct ranking ranking;
    scoped_text out;
    const char *format = cli_text(cli, "format");
    text_init(&out, PAGE_MAX_BYTES);
    if (format == NULL)
        format = isatty(STDOUT_FILENO) ? "text" : "json";
    if (!ranked_load(cli, arena, &ranking, err))
        return false;
    if (strcmp(format, "json") == 0)
        return document_print(NULL, ranking_to_json(&ranking), err);
    if (strcmp(format, "csv") == 0)
        return ranking_csv(&ranking, arena, &out, err) && cli_emit(NULL, &out, err);
    struct page page;
    scoped_arena drawn;
    arena_init(&drawn, PAGE_BUDGET_BYTES);
    page_init(&page, &drawn, "runs side by side");
    ranking_page_add(&ranking, &page);
    return cli_page_add(&page, format, "the runs side by side", &out, err) &&
           cli_emit(NULL, &out, err);
}

static bool compare(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    struct pair pair = {0};
    if (ranked_is_meant(cli))
        return print_ranking(cli, arena, err);
    return pair_load(cli, arena, &pair, err) &&
           document_print(NULL, comparison_to_json(&pair.comparison), err);
}

static const struct cli_option options[] = {
    CLI_SIDES,
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_STRICT_PROVENANCE,
    CLI_TOP_K,
    {"format", CLI_CHOICE, "text|json|md|html|csv", NULL,
     "a table of all that is named, whatever its number (default of many: text on a terminal, "
     "else json)"},
    {"policy", CLI_TEXT, "FILE", NULL,
     "such a table; which facts keep runs apart in it (`stepledger policy show`)"},
    CLI_END,
};

const struct cli_command cmd_compare = {
    .name = "compare",
    .line = "compare two summaries, or many runs",
    .operands = "[BEFORE AFTER | VERDICT | LABEL | PROFILE...]",
    .operand_max = -1,
    .options = options,
    .details =
        "Prints step times, classes, shares, families and ops of both, and their differences.\n"
        "Each side is a file, or what the ledger calls it: p12, a run, a label, a commit; v4 is\n"
        "the two sides of that verdict. It judges nothing: `gate` does.\n\n"
        "Of a label, a commit, more than two operands, or with --format, one table instead, a\n"
        "row a run: step time, MFU, memory, recomputation, exposed communication, what differs\n"
        "in commits, flags and other facts; the fastest first, those that cannot be compared\n"
        "with most apart, the largest group first, of equals that with the fastest run, with\n"
        "all facts in the way (a mesh is none here, unless --policy says which facts are: of\n"
        "project and workload if they are given). CSV has the rows alone,\n"
        "not what is left out, why a figure is not known, and what is to be kept in mind.\n\n"
        "exit: 0 compared · 1 error, or provenance failed with --strict-provenance · 2 usage",
    .run = compare,
    .compatible = true,
};
