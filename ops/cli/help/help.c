/* The topics, and those that are tables alone. */
#include "ops/cli/help/help.h"

#include "alerts/channels.h"
#include "alerts/route.h"
#include "compare/policy/policy.h"
#include "history/alert/alert.h"
#include "history/cluster/cluster.h"
#include "ops/cli/cli.h"
#include "ops/flow/reports/reports.h"
#include "schema/documents/measures.h"
#include "schema/documents/verdict_reasons.h"

#include <string.h>

/* ---- policy ---------------------------------------------------------------------------------- */

static void help_policy(struct arena *arena, struct text *out)
{
    struct gate_policy policy;
    gate_policy_default(&policy);
    text_add(out, "# The policy of a gate, for `gate --policy FILE` and judge_policy of the\n"
                  "# configuration: this is the default, and what a file leaves out is as here.\n"
                  "# Behind [project PATTERN ...] or [workload PATTERN ...] a key holds for these\n"
                  "# alone. `policy check FILE` finds what is wrong, `policy diff FILE` what\n"
                  "# differs.\n\n");
    text_add(out, gate_policy_guide(&policy, arena));
}

/* ---- database -------------------------------------------------------------------------------- */

static void help_database(struct arena *arena, struct text *out)
{
    (void)arena;
    text_add(out,
             "-- Once for a server, as its superuser: stepledger help database | psql -U postgres\n"
             "-- Then: stepledger migrate --db 'dbname=stepledger user=stepledger_owner', and\n"
             "-- `db = dbname=stepledger user=stepledger` in the configuration. How each role may\n"
             "-- log in is said in pg_hba.conf. A worker that shall do nothing but its own work\n"
             "-- gets a login of its own, and so does a reader:\n"
             "--     CREATE ROLE ingester LOGIN IN ROLE stepledger_ingest CONNECTION LIMIT 20;\n"
             "--     ALTER ROLE ingester SET temp_file_limit = '4GB';\n"
             "-- Over a network, `db` also says sslmode=verify-full and sslrootcert=FILE.\n"
             "-- `migrate` gives rights to the roles that are there: one that is made later has\n"
             "-- none, and `stepledger check` says so.\n"
             "-- Without these roles a single user who owns the database does everything.\n"
             "-- Back it up with pg_basebackup or pg_dump; `stepledger db backup` is for the\n"
             "-- embedded database, which needs nothing of this.\n");
    text_add(out, cluster_roles);
    text_add(out,
             "-- Who may open the database, and nothing but entries fills the disk or what all\n"
             "-- sessions share. `migrate` alone takes an advisory lock.\n"
             "\\connect stepledger\n"
             "REVOKE CONNECT, TEMPORARY ON DATABASE stepledger FROM PUBLIC;\n"
             "GRANT CONNECT ON DATABASE stepledger TO stepledger, stepledger_ingest,\n"
             "    stepledger_compare, stepledger_alert, stepledger_read;\n"
             "REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid),\n"
             "    lo_from_bytea(oid, bytea), pg_logical_emit_message(boolean, text, text),\n"
             "    pg_logical_emit_message(boolean, text, bytea), pg_export_snapshot(),\n"
             "    pg_advisory_lock(bigint), pg_advisory_lock(integer, integer),\n"
             "    pg_advisory_lock_shared(bigint), pg_advisory_lock_shared(integer, integer),\n"
             "    pg_advisory_xact_lock(bigint), pg_advisory_xact_lock(integer, integer),\n"
             "    pg_advisory_xact_lock_shared(bigint),\n"
             "    pg_advisory_xact_lock_shared(integer, integer),\n"
             "    pg_try_advisory_lock(bigint), pg_try_advisory_lock(integer, integer),\n"
             "    pg_try_advisory_lock_shared(bigint),\n"
             "    pg_try_advisory_lock_shared(integer, integer),\n"
             "    pg_try_advisory_xact_lock(bigint), pg_try_advisory_xact_lock(integer, integer),\n"
             "    pg_try_advisory_xact_lock_shared(bigint),\n"
             "    pg_try_advisory_xact_lock_shared(integer, integer) FROM PUBLIC;\n"
             "GRANT EXECUTE ON FUNCTION pg_advisory_xact_lock(bigint) TO stepledger_owner;\n");
}

/* ---- exit codes ------------------------------------------------------------------------------ */

static void help_exit_codes(struct arena *arena, struct text *out)
{
    static const struct {
        int number;
        const char *help;
    } rows[] = {
#define EXIT_ROW(name, number, help) {number, help},
        EXIT_CODES(EXIT_ROW)
#undef EXIT_ROW
    };
    (void)arena;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        text_addf(out, "%3d  %s\n", rows[i].number, rows[i].help);
    text_add(out,
             "\nsummarize, query, compare, track, report, history, bundle and publish exit as the\n"
             "reference tool does: 0, 1 for errors and strict provenance, 2 for usage; `track`\n"
             "exits 0 on a fail. `gate --on-error=pass` makes 69 and 75 a 0: who can keep it from\n"
             "the database can make it pass. It makes no 0 of a ledger that was changed (65) or\n"
             "does not fit together (70).\n");
}

/* ---- verdict --------------------------------------------------------------------------------- */

static const char *const status_meanings[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = "not slower by what matters, as far as the runs can show",
    [VERDICT_WARN] = "probably slower, or a measure that only warns is beyond its limit",
    [VERDICT_FAIL] = "slower, surely and by what matters",
    [VERDICT_INCONCLUSIVE] = ("the runs show neither: it says how many more would; worse than a\n"
                              "                warning, which stands beside it (--warn-exit)"),
    [VERDICT_INCOMPARABLE] = "the sides differ in what decides speed: it says in what",
};

static void help_verdict(struct arena *arena, struct text *out)
{
    static const struct {
        const char *code, *meaning;
    } reasons[] = {
#define REASON_ROW(code, meaning) {#code, meaning},
        VERDICT_REASONS(REASON_ROW)
#undef REASON_ROW
            {"MEASURE_increased", "a measure is beyond its limit; _decreased where less is worse"},
        {"FACT_differs", "the sides disagree on a fact of provenance"},
        {"FACT_unknown", "a fact of provenance is not known of one side or both"},
    };
    static const struct {
        const char *name, *unit, *help;
    } measures[] = {
#define MEASURE_ROW(number, name, unit, worse, help) {#name, unit, help},
        MEASURES(MEASURE_ROW)
#undef MEASURE_ROW
    };
    (void)arena;
    text_add(out, "status\n");
    for (size_t i = 0; i < VERDICT_STATUS_COUNT; i++)
        text_addf(out, "  %-14s %s\n", verdict_status_names[i], status_meanings[i]);
    text_add(
        out,
        "\nThe step time decides. A run is the sample, so that more steps of one run say\n"
        "little and more runs say much; the noise is that of past runs.\n\n"
        "All runs of a commit of a clean tree count together, however often it is judged, on\n"
        "whatever branch but the baseline's, if they are of one project and workload and can\n"
        "be compared: of a given commit, and of the one that the ledger knows the runs by that\n"
        "are named. A fail stands, and the gate exits 1, until they pass or their interval\n"
        "ends below what matters, with a run or pair among them that the fail had not seen,\n"
        "or a person accepts it (on_earlier_fail of the policy): a retry does not hide it,\n"
        "nor another branch, nor a choice among its runs or another order of its pairs;\n"
        "another policy may judge the same runs anew. What failed against one baseline is\n"
        "lifted by that one alone: a branch with its new runs, the same commit or profiles,\n"
        "or pairs whose baseline runs are of it (interleave: --baseline-commit). On the\n"
        "baseline's branch the runs of a commit count together once it failed. Runs of its\n"
        "own commit are never its baseline: they are left out of a branch's past, and\n"
        "incomparable where they are named. Pairs do not pass while runs of the commit are\n"
        "left out that no verdict has judged.\n\n"
        "An op is all instructions that are alike in category, opcode, shapes and source path,\n"
        "as the layers of an unrolled model are: its times are those of all of them, and its\n"
        "name is that of the one that ran first. A recompile that numbers them anew changes\n"
        "nothing; which of them is slower `table roofline FILE` of both sides tells.\n\n"
        "reasons\n");
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        text_addf(out, "  %-27s %s\n", reasons[i].code, reasons[i].meaning);
    text_add(out, "\nmeasures (of `trend`, and of [measure NAME] in a policy)\n");
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        text_addf(out, "  %-31s %-6s %s\n", measures[i].name, measures[i].unit, measures[i].help);
}

/* ---- alerts ---------------------------------------------------------------------------------- */

static void channel_add(const struct channel *channel, struct text *out)
{
    text_addf(out, "  %-15s ", channel->kind);
    size_t start = out->length;
    static const struct {
        unsigned need;
        const char *key;
    } needs[] = {{NEEDS_URL, "url"},
                 {NEEDS_SECRET, "secret"},
                 {NEEDS_CHANNEL, "channel"},
                 {NEEDS_REPOSITORY, "repository"},
                 {NEEDS_ADDRESSES, "from, to"}};
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if ((channel->needs & needs[i].need) != 0)
            text_addf(out, "%s%s", out->length > start ? ", " : "", needs[i].key);
    }
    const char *hears = channel->keeps_record  ? "every verdict, as a record; reports"
                        : channel->by_commit   ? "every verdict, as the state of its commit"
                        : channel->shows_state ? "every verdict, as the state of its request"
                                               : "what routes say";
    text_addf(out, "%*s %s\n", (int)(start + 24 > out->length ? start + 24 - out->length : 0), "",
              hears);
}

static void keys_add(const struct section_keys *keys, struct text *out)
{
    for (size_t i = 0; i < keys->count; i++)
        text_addf(out, "  %-16s %s\n", keys->items[i].name, keys->items[i].help);
}

static void help_alerts(struct arena *arena, struct text *out)
{
    static const struct channel *const channels[] = {
#define CHANNEL_ROW(name) &channel_##name,
        CHANNELS(CHANNEL_ROW)
#undef CHANNEL_ROW
    };
    const struct section_keys to = destination_keys(), policy = section_policy_keys(),
                              route = route_keys(), report = report_section_keys();
    (void)arena;
    text_add(
        out,
        "One alert per project, workload, series and branch: the first fail opens it, a pass\n"
        "ends it, and what is told follows from its moves. `serve`, or `work alert`, sends.\n"
        "`check` finds what keeps messages from arriving, `alert test NAME` sends one.\n\n"
        "  notify = team\n\n"
        "  [destination team]\n"
        "  kind = slack\n"
        "  url = file:/etc/stepledger/slack-url\n\n"
        "A forge of your own is url = https://HOST with the path of its interface: /api/v4 of\n"
        "GitLab, /api/v3 of GitHub Enterprise; what stands in for Slack's own has /api. Its\n"
        "address must be in allow_addresses. Comments appear at the request whose number is in\n"
        "the branch (pull/7, mr/7; CI sets it), or at `issue`.\n\n"
        "kinds of destinations, what they need, what they hear\n");
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++)
        channel_add(channels[i], out);
    text_add(out, "\n[destination NAME]\n");
    keys_add(&to, out);
    keys_add(&policy, out);
    text_add(out, "\n[route NAME]\n");
    keys_add(&route, out);
    text_add(out, "`notify` is the first route. A destination hears of a verdict once: as the\n"
                  "first of its routes says that tells it that.\n");
    text_add(out, "\n[report NAME]\n");
    keys_add(&report, out);
    text_add(
        out,
        "\n  A report is kept as an entry: `list reports`, `report rp7`. Mail holds its pictures,\n"
        "  W&B its page with them; chats take text alone by their webhooks, and are told the\n"
        "  command that shows the pictures. A `webhook` gets its JSON without courses in at most\n"
        "  20,000 bytes: where lists are cut for that, losses last, `cut` is true, `counts` tells\n"
        "  how many there are and `whole` the command that prints it all.\n"
        "\nwhat becomes of an alert\n");
    for (size_t i = 0; i < alert_transition_count; i++) {
        const struct alert_transition *move = &alert_transitions[i];
        text_addf(out, "  %-13s %-12s %-13s %s\n", alert_state_names[move->from],
                  alert_action_names[move->action], alert_state_names[move->to], move->when);
    }
    text_add(out, "\nAn alert of a branch without runs for alert_gone_days expires; never that of\n"
                  "the baseline branch. `alert acknowledge|silence|dismiss|reopen` and `accept`\n"
                  "are what people say.\n");
}

const struct help_topic help_topics[] = {
    {"config", "every key of the configuration, as a file", help_config},
    {"policy", "every key of a gate's policy, as a file", help_policy},
    {"alerts", "who can be told of verdicts, and what becomes of an alert", help_alerts},
    {"capture", "what to capture so that a verdict is possible", help_capture},
    {"database", "the roles for a PostgreSQL of your own, as SQL", help_database},
    {"exit-codes", "what each exit code says", help_exit_codes},
    {"verdict", "what a verdict says: status, reasons, measures", help_verdict},
};
const size_t help_topic_count = sizeof help_topics / sizeof help_topics[0];
