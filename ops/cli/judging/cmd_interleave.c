/* stepledger interleave: two commands in turns, and the gate on the pairs that come of it. */
#include "compare/policy/policy.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/cli.h"
#include "ops/flow/judge/judge.h"
#include "ops/cli/judging/gate_report.h"
#include "ops/flow/take_in/take_in.h"
#include "ops/cli/judging/interleave.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROUNDS_MAX = 1000, FACTS_OF_A_TURN = 4, NUMBER_BYTES = 24, WALK_FOLDERS = 8 };

/* One side: what runs, whose code it is, and what the ledger got of it. */
struct side {
    const char *const *argv;
    struct profile_identity identity; /* but for the run */
    struct string_list profiles;      /* "p12", in the order of the rounds */
    size_t capacity;
};

struct interleaving {
    struct cli *cli;
    const char *name; /* of the whole: label of its profiles, and the beginning of their runs */
    const char *root; /* of the folders */
    size_t round_count;
    uint64_t seed;
    enum interleave_side *first; /* of each round */
    struct side sides[SIDE_COUNT];
    struct code_origin origin; /* of the candidate */
    struct collection collection;
    const char *project, *workload;
    bool keeps_root;
};

/* ---- what is asked for ----------------------------------------------------------------------- */

/* CMD_A... -- CMD_B...: the operands are ended by NULL as main's arguments are. */
static bool commands_read(struct interleaving *turns, struct err *err)
{
    const struct cli *cli = turns->cli;
    size_t cut = 0;
    while (cut < cli->operand_count && strcmp(cli->operands[cut], "--") != 0)
        cut++;
    if (cut == 0 || cut + 1 >= cli->operand_count)
        return err_set(err, ERR_USAGE,
                       "two commands are wanted: stepledger interleave [OPTION]... -- BASELINE "
                       "COMMAND... -- CANDIDATE COMMAND...");
    cli->operands[cut] = NULL;
    turns->sides[SIDE_BASELINE].argv = cli->operands;
    turns->sides[SIDE_CANDIDATE].argv = cli->operands + cut + 1;
    return true;
}

/* And what the whole is called. */
static bool order_make(struct interleaving *turns, struct err *err)
{
    struct cli *cli = turns->cli;
    int64_t rounds = cli_int(cli, "rounds");
    if (rounds < 1 || rounds > ROUNDS_MAX)
        return err_set(err, ERR_USAGE, "option --rounds: %" PRId64 " is not from 1 to %d", rounds,
                       ROUNDS_MAX);
    turns->round_count = (size_t)rounds;
    turns->seed = (uint64_t)cli_int(cli, "seed");
    turns->first = arena_array(&cli->arena, enum interleave_side, turns->round_count);
    if (!cli_given(cli, "seed") && !interleave_seed(&turns->seed, err))
        return false;
    turns->seed &= INT64_MAX; /* so that it can be said as an option */
    interleave_order(turns->seed, turns->round_count, turns->first);
    char now[CLOCK_ISO_BYTES];
    turns->name = cli_text(cli, "name");
    if (turns->name == NULL)
        turns->name = arena_printf(&cli->arena, "interleave-%.19sZ-%04" PRIx64,
                                   clock_iso(clock_wall_us(), now), turns->seed & UINT64_C(0xffff));
    return true;
}

/* The candidate's code as everywhere; the baseline's is only what is said: it counts as a run of
 * the baseline branch when its commit is. */
static bool sides_identify(struct interleaving *turns, struct err *err)
{
    struct cli *cli = turns->cli;
    const char *baseline = cli_text(cli, "baseline-commit");
    if (!collect_of_options(cli, &turns->collection, err) ||
        !origin_of_options(cli, &turns->collection, cli_text(cli, "commit"),
                           cli_text(cli, "branch"), &turns->origin, err))
        return false;
    const struct code_origin *origin = &turns->origin;
    if (gate_commits_equal(origin->commit.value, baseline))
        return err_set(err, ERR_USAGE,
                       "--baseline-commit %.40s is the candidate's own commit: a commit is no "
                       "baseline of itself; name the one that it is compared with",
                       baseline);
    turns->sides[SIDE_CANDIDATE].identity = (struct profile_identity){
        .project = turns->project,
        .workload = turns->workload,
        .branch = origin->branch.value,
        .commit = origin->commit.value,
        .label = turns->name,
        .branch_is_implied = origin->branch.is_implied,
        .commit_is_implied = origin->commit.is_implied,
    };
    turns->sides[SIDE_BASELINE].identity = (struct profile_identity){
        .project = turns->project,
        .workload = turns->workload,
        .branch = baseline != NULL ? cli_text(cli, "baseline-branch") : NULL,
        .commit = baseline,
        .label = turns->name,
    };
    return true;
}

/* Before hours of runs: whether there is a ledger to put them in, and a policy to judge them by. */
static bool readiness_check(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    struct conf_file file = {0};
    struct gate_policy policy;
    const struct policy_scope scope = {0};
    const char *path = cli_text(cli, "policy");
    return connect_ledger(cli, &db, err) &&
           (path == NULL || (conf_file_read(path, &cli->arena, &file, err) &&
                             gate_policy_read(&file, &scope, &cli->arena, &policy, err)));
}

/* ---- folders --------------------------------------------------------------------------------- */

static bool root_make(struct interleaving *turns, struct err *err)
{
    struct cli *cli = turns->cli;
    const char *given = cli_text(cli, "capture-root"), *parent = getenv("TMPDIR");
    turns->keeps_root = given != NULL;
    if (given != NULL) {
        char real[PATH_MAX], *named = path_join(&cli->arena, given, turns->name);
        if (!file_make_dirs(named, err))
            return false;
        if (realpath(named, real) == NULL) /* commands may stand elsewhere */
            return err_set_errno(err, ERR_INPUT, "cannot use the folder '%s'", named);
        turns->root = arena_strdup(&cli->arena, real);
        return true;
    }
    char *root = arena_printf(&cli->arena, "%s/stepledger-interleave-XXXXXX",
                              parent != NULL && parent[0] == '/' ? parent : "/tmp");
    turns->root = root;
    return mkdtemp(root) != NULL ||
           err_set_errno(err, ERR_FULL, "cannot make a folder for captures (set TMPDIR)");
}

static int entry_remove(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

/* ---- one turn -------------------------------------------------------------------------------- */

/* What is known of a turn: the common facts, those of its own file, and its place in the order. */
static bool turn_facts(struct interleaving *turns, const struct interleave_turn *turn,
                       struct collection *ret_facts, struct err *err)
{
    struct arena *arena = &turns->cli->arena;
    bool is_first = turns->first[turn->round - 1] == turn->side;
    const struct fact facts[FACTS_OF_A_TURN] = {
        {"interleave", turns->name, "interleave"},
        {"interleave_round", arena_printf(arena, "%zu of %zu", turn->round, turns->round_count),
         "interleave"},
        {"interleave_turn", is_first ? "first" : "second", "interleave"},
        {"interleave_seed", arena_printf(arena, "%" PRIu64, turns->seed), "interleave"},
    };
    *ret_facts = turns->collection;
    if (access(turn->env_file, F_OK) == 0 &&
        !collect_env_file(turn->env_file, arena, ret_facts, err))
        return false;
    collect_add(facts, FACTS_OF_A_TURN, arena, ret_facts);
    return true;
}

/* All that the command left is one run. What cannot be read ends it: the pair would be none. */
static bool turn_ingest(struct interleaving *turns, const struct interleave_turn *turn,
                        struct err *err)
{
    struct cli *cli = turns->cli;
    struct side *side = &turns->sides[turn->side];
    struct collection facts;
    scoped_db *db = NULL;
    struct intake intake = {.identity = side->identity};
    intake.identity.run = arena_printf(&cli->arena, "%s-%zu-%s", turns->name, turn->round,
                                       interleave_side_names[turn->side]);
    if (!summarize_reading(cli, &intake.reading, err) || !turn_facts(turns, turn, &facts, err) ||
        !connect_ledger(cli, &db, err))
        return false;
    intake.flow = connect_flow(cli, db);
    intake.reading.options.collected = facts.facts;
    intake.reading.options.collected_count = facts.count;
    if (!intake_path(&intake, turn->folder, err))
        return false;
    struct string_list *profiles = &side->profiles;
    for (size_t i = 0; i < intake.count; i++) {
        if (!intake.items[i].stored) {
            *err = intake.items[i].failure;
            return false;
        }
        profiles->items = arena_grow(&cli->arena, profiles->items, profiles->count, &side->capacity,
                                     sizeof *profiles->items);
        profiles->items[profiles->count++] =
            arena_printf(&cli->arena, "p%" PRId64, intake.items[i].receipt.id);
    }
    return arena_ok(&cli->arena, "the profiles", err);
}

static bool turn_take(struct interleaving *turns, size_t round, enum interleave_side which,
                      struct err *err)
{
    struct arena *arena = &turns->cli->arena;
    const char *name = interleave_side_names[which];
    const struct interleave_turn turn = {
        .argv = turns->sides[which].argv,
        .side = which,
        .round = round,
        .folder = arena_printf(arena, "%s/%zu-%s", turns->root, round, name),
        .env_file = arena_printf(arena, "%s/%zu-%s.env.json", turns->root, round, name),
    };
    char number[NUMBER_BYTES];
    if (mkdir(turn.folder, 0777) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot make the folder %s", turn.folder);
    (void)snprintf(number, sizeof number, "%zu", round);
    log_event(LOG_INFO, LOG_turn_started, "round", number, "side", name, "folder", turn.folder,
              NULL);
    return interleave_turn_run(&turn, err) && turn_ingest(turns, &turn, err);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool pairs_judge(struct interleaving *turns, struct err *err)
{
    struct cli *cli = turns->cli;
    scoped_db *db = NULL;
    const struct gate_job job = {
        .project = turns->project,
        .workload = turns->workload,
        .branch = turns->sides[SIDE_CANDIDATE].identity.branch,
        .commit = turns->sides[SIDE_CANDIDATE].identity.commit,
        .origin = turns->origin,
        .baseline_branch = cli_text(cli, "baseline-branch"),
        .policy = cli_text(cli, "policy"),
        .last = cli_int(cli, "last"),
        .strict_provenance = cli_given(cli, "strict-provenance"),
        .paired = true,
        .candidates = turns->sides[SIDE_CANDIDATE].profiles,
        .baselines = turns->sides[SIDE_BASELINE].profiles,
    };
    struct gate_outcome outcome;
    if (!connect_ledger(cli, &db, err))
        return false;
    const struct flow flow = connect_flow(cli, db);
    gate_judge_job(&flow, &job, &outcome);
    if (outcome.failure.kind != ERR_NONE)
        (void)cli_fail(cli, &outcome.failure);
    const struct gate_report report = {.cli = cli,
                                       .db = db,
                                       .outcomes = &outcome,
                                       .count = 1,
                                       .exit_code = gate_exit_code(cli, &outcome)};
    cli->code = (enum exit_code)report.exit_code;
    return gate_report_print(&report, err) && gate_report_leave(&report, err);
}

static bool interleave(struct cli *cli, struct err *err)
{
    struct interleaving turns = {.cli = cli};
    bool done = commands_read(&turns, err) &&
                cli_scope(cli, &turns.project, &turns.workload, err) && order_make(&turns, err) &&
                sides_identify(&turns, err) && readiness_check(cli, err) && root_make(&turns, err);
    for (size_t i = 0; done && i < turns.round_count; i++) {
        enum interleave_side first = turns.first[i];
        enum interleave_side second = first == SIDE_BASELINE ? SIDE_CANDIDATE : SIDE_BASELINE;
        done = turn_take(&turns, i + 1, first, err) && turn_take(&turns, i + 1, second, err);
    }
    done = done && pairs_judge(&turns, err);
    if (turns.root != NULL && !turns.keeps_root)
        (void)nftw(turns.root, entry_remove, WALK_FOLDERS, FTW_DEPTH | FTW_PHYS);
    if (!done)
        cli->code = (enum exit_code)gate_report_failure(cli, err);
    return true;
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"rounds", CLI_INT, "N", "6", "pairs of runs; with fewer and no past, nothing passes"},
    {"branch", CLI_TEXT, "B", NULL, "branch of the candidate"},
    {"commit", CLI_TEXT, "SHA", NULL, "commit of the candidate"},
    {"baseline-branch", CLI_TEXT, "B", "main", "branch of the baseline, and of its past runs"},
    {"baseline-commit", CLI_TEXT, "SHA", NULL,
     "commit of the baseline: its runs count as runs of that branch"},
    {"name", CLI_TEXT, "NAME", NULL, "label of all profiles, beginning of their runs' names"},
    {"seed", CLI_INT, "N", NULL, "draw this order again (default: one that is recorded)"},
    {"capture-root", CLI_TEXT, "DIR", NULL,
     "keep the captures in a folder of that name below DIR (default: removed)"},
    CLI_COLLECT,
    {"last", CLI_INT, "N", "200", "past runs of the baseline branch, for the noise"},
    {"policy", CLI_TEXT, "FILE", NULL, "thresholds and actions (`stepledger policy show`)"},
    CLI_JUDGING,
    CLI_TAKING_IN,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_interleave = {
    .name = "interleave",
    .line = "run baseline and candidate in turns, and judge the pairs",
    .operands = "-- BASELINE COMMAND... -- CANDIDATE COMMAND...",
    .operand_min = 0,
    .operand_max = -1,
    .options = options,
    .details =
        "Runs both commands in each round, one after the other; which goes first is drawn,\n"
        "balanced over the rounds, and recorded with the profiles. Each run finds an empty\n"
        "folder in STEPLEDGER_CAPTURE_DIR; all that its profiler leaves there is one run, and\n"
        "the two runs of a round are a pair. At the end the pairs are judged as `gate --paired`\n"
        "judges them, with all others that are known of the same commit. What drifts with time\n"
        "or differs between machines hits both alike, so that far fewer runs show the same\n"
        "loss.\n\n"
        "  stepledger interleave --workload pretrain --rounds 6 --commit \"$NEW\" \\\n"
        "      --baseline-commit \"$OLD\" -- ./train.sh old/ -- ./train.sh new/\n\n"
        "STEPLEDGER_SIDE is baseline or candidate, STEPLEDGER_ROUND counts from 1; a document\n"
        "that `capture-env --output \"$STEPLEDGER_ENV_FILE\"` writes there belongs to the run.\n"
        "A command's stdout goes to stderr. One that fails, or leaves nothing, ends it all;\n"
        "what was ingested before stays.\n\n"
        "exit: as `gate`; 65 a command failed or left nothing · 6 there is no such program",
    .run = interleave,
};
