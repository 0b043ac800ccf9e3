/* stepledger gate: is the candidate slower than the baseline, and may one say so? */
#include "compare/gate.h"
#include "history/ledger.h"
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"
#include "ops/cli/gate_sides.h"
#include "ops/cli/notify.h"
#include "ops/cli/summarize.h"
#include "ops/present/verdict_markdown.h"
#include "ops/present/verdict_text.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"

#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 64 << 20 };

/* What the gate works with, in the order in which it comes to be. */
struct gate_run {
    struct cli *cli;
    struct db *db;
    struct arena *arena;
    struct gate_sides sides;
    struct verdict verdict;
    struct text document; /* the verdict as recorded */
    int64_t id;
};

static bool judge(struct gate_run *run, struct err *err)
{
    char *now = arena_alloc(run->arena, CLOCK_ISO_BYTES);
    if (now == NULL)
        return arena_failed(run->arena, "the verdict", err);
    const struct gate_input input = {
        .project = run->sides.project,
        .workload = run->sides.workload,
        .series = run->sides.series,
        .baseline = run->sides.baseline,
        .candidate = run->sides.candidate,
        .history = run->sides.history,
        .strict_provenance = cli_given(run->cli, "strict-provenance"),
        .created_at_utc = clock_iso(clock_wall_us(), now),
    };
    if (!gate_judge(&input, run->arena, &run->verdict, err))
        return false;
    scoped_json *root = verdict_to_json(&run->verdict, err);
    if (root == NULL)
        return false;
    json_print(root, JSON_STYLE_INDENTED, &run->document);
    return text_ok(&run->document, "the verdict", err);
}

static bool record(struct gate_run *run, struct err *err)
{
    struct verdict_entry entry = {
        .verdict = &run->verdict,
        .document = text_string(&run->document),
    };
    if (!ledger_reserve_verdict(run->db, &entry.id, err) ||
        !notify_messages(&run->cli->conf, &entry, run->arena, err) ||
        !ledger_append_verdict(run->db, &entry, err))
        return false;
    run->id = entry.id;
    return true;
}

static bool print(struct gate_run *run, struct err *err)
{
    const char *format = cli_text(run->cli, "format");
    if (strcmp(format, "json") == 0)
        return cli_emit(NULL, &run->document, err);
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    const struct text_style style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)};
    bool made = strcmp(format, "md") == 0 ? verdict_markdown(&run->verdict, &out, err)
                                          : verdict_text(&run->verdict, &style, &out, err);
    if (!made)
        return false;
    text_addf(&out, "\nrecorded as v%lld", (long long)run->id);
    return cli_emit(NULL, &out, err);
}

static int exit_code_for(const struct cli *cli, enum verdict_status status)
{
    switch (status) {
    case VERDICT_FAIL:
        return EXIT_FAILED;
    case VERDICT_WARN:
        return cli_given(cli, "warn-exit") ? EXIT_WARNED : EXIT_OK;
    case VERDICT_INCONCLUSIVE:
        return cli_given(cli, "strict") ? EXIT_INCONCLUSIVE : EXIT_OK;
    case VERDICT_INCOMPARABLE:
        return EXIT_INCOMPARABLE;
    default:
        return EXIT_OK;
    }
}

static int run_gate(struct cli *cli)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, cli_budget(cli));
    struct gate_run run = {.cli = cli, .arena = &arena};
    text_init(&run.document, DOCUMENT_MAX_BYTES);
    bool done = connect_ledger(cli, &run.db, &err) &&
                gate_sides_load(cli, run.db, &arena, &run.sides, &err) && judge(&run, &err) &&
                record(&run, &err) && print(&run, &err);
    db_close(run.db);
    text_done(&run.document);
    return done ? exit_code_for(cli, run.verdict.status) : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", NULL, "branch of the candidate", false},
    {"commit", CLI_TEXT, "SHA", NULL, "commit of the candidate", false},
    {"run", CLI_TEXT, "RUN", NULL, "run of the candidate (default: each profile is one)", false},
    {"label", CLI_TEXT, "L", NULL, "a name to find the candidate by", false},
    {"baseline", CLI_LIST, "REF", NULL, "baseline by id, commit, run or label", false},
    {"baseline-branch", CLI_TEXT, "B", "main", "branch that the baseline comes from", false},
    {"last", CLI_INT, "N", "10", "runs of the baseline", false},
    {"strict-provenance", CLI_FLAG, NULL, NULL,
     "the same trace twice, and facts that are unknown, are incomparable", false},
    {"warn-exit", CLI_FLAG, NULL, NULL, "exit 3 on warn", false},
    {"strict", CLI_FLAG, NULL, NULL, "exit 4 on inconclusive", false},
    {"format", CLI_CHOICE, "json|text|md", "json", "what to print", false},
    CLI_META,
    CLI_WARMUP,
    CLI_MODE,
    CLI_STRICT_INPUT,
    CLI_PROGRESS,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_gate = {
    .name = "gate",
    .line = "judge a candidate against the baseline",
    .operands = "PATH|PROFILE_ID...",
    .operand_min = 1,
    .operand_max = -1,
    .options = options,
    .details = "The operands are the candidate; paths are ingested first, so that a verdict names\n"
               "ledger entries only. The baseline is the last N runs of the baseline branch. The\n"
               "verdict is recorded, and destinations that `notify = …` names are told when it is\n"
               "not pass (`stepledger work alert --once` delivers).\n\n"
               "exit: 0 pass, warn, inconclusive · 1 fail · 3 warn with --warn-exit ·\n"
               "      4 inconclusive with --strict · 5 incomparable · 6 no baseline or no such\n"
               "      profile · 2 usage · 65 input rejected · 69 database away · 75 disk full",
    .run = run_gate,
};
