/* stepledger ingest: profiles into the ledger. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/take_in/take_in.h"

enum { DOCUMENT_MAX_BYTES = 64 << 20 };

/* Who says commit and branch goes into the document: nothing is taken in silence. */
static void told_add(json_t *origin, const char *name, const struct told *told)
{
    if (told->value != NULL)
        (void)json_object_set_new(origin, name,
                                  json_pack("{s:o, s:o}", "value", json_text(told->value), "source",
                                            json_text(told->source)));
}

static json_t *texts_to_json(const struct string_list *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->count; i++)
        (void)json_array_append_new(list, json_text(texts->items[i]));
    return list;
}

static json_t *item_to_json(const struct intake_item *item)
{
    if (!item->stored)
        return json_pack("{s:o, s:o, s:s}", "error", json_text(item->failure.text), "path",
                         json_text(item->path), "kind", err_kind_name(item->failure.kind));
    char id[24], superseded[24];
    const struct profile_receipt *receipt = &item->receipt;
    const char *status = !receipt->duplicate ? "stored" : receipt->named ? "named" : "duplicate";
    (void)snprintf(id, sizeof id, "p%lld", (long long)receipt->id);
    (void)snprintf(superseded, sizeof superseded, "p%lld", (long long)receipt->superseded);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "profile", id,
                     "trace_sha256", receipt->trace_sha256, "series", receipt->series, "run",
                     receipt->run, "status", status, "supersedes",
                     json_text(receipt->superseded != 0 ? superseded : NULL), "path",
                     json_text(item->path), "hosts", texts_to_json(&item->hosts), "missing_hosts",
                     texts_to_json(&item->missing), "notes", texts_to_json(&item->notes));
}

/* {"notes": […], "origin": {…}, "profiles": […], "rejected": […]} */
static bool print_result(const struct intake *intake, const struct code_origin *origin,
                         struct err *err)
{
    json_t *profiles = json_array(), *rejected = json_array();
    json_t *told = json_pack("{s:o}", "conflicts", texts_to_json(&origin->conflicts));
    scoped_json *document =
        json_pack("{s:o, s:o, s:o, s:o}", "profiles", profiles, "rejected", rejected, "notes",
                  texts_to_json(&intake->notes), "origin", told);
    told_add(told, "commit", &origin->commit);
    told_add(told, "branch", &origin->branch);
    told_add(told, "dirty", &origin->dirty);
    for (size_t i = 0; i < intake->count; i++)
        (void)json_array_append_new(intake->items[i].stored ? profiles : rejected,
                                    item_to_json(&intake->items[i]));
    scoped_text text;
    text_init(&text, DOCUMENT_MAX_BYTES);
    json_print(document, JSON_STYLE_INDENTED, &text);
    return cli_emit(NULL, &text, err);
}

static bool ingest(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    struct intake intake = {
        .identity = {.run = cli_text(cli, "run"), .label = cli_text(cli, "label")},
    };
    struct collection collection;
    struct code_origin origin;
    if (!cli_scope(cli, &intake.identity.project, &intake.identity.workload, err) ||
        !summarize_reading(cli, &intake.reading, err) ||
        !collect_of_options(cli, &collection, err) ||
        !origin_of_options(cli, &collection, cli_text(cli, "commit"), cli_text(cli, "branch"),
                           &origin, err) ||
        !connect_ledger(cli, &db, err))
        return false;
    if (cli_text(cli, "reason") != NULL) {
        intake.identity.by = decide_person(cli);
        if (!decide_reason(cli, &intake.identity.reason, err))
            return false;
    }
    intake.flow = connect_flow(cli, db);
    intake.reading.options.memory_profile = cli_text(cli, "memory-profile");
    intake.reading.options.collected = collection.facts;
    intake.reading.options.collected_count = collection.count;
    if (intake.identity.run == NULL)
        intake.identity.run = collection.run;
    intake.identity.commit = origin.commit.value;
    intake.identity.branch = origin.branch.value;
    intake.identity.commit_is_implied = origin.commit.is_implied;
    intake.identity.branch_is_implied = origin.branch.is_implied;
    /* What was stored before a failure is stored: it is reported in any case. */
    intake_begin(&intake);
    bool all = true;
    for (size_t i = 0; all && i < cli->operand_count; i++)
        all = intake_collect(&intake, cli->operands[i], err);
    all = all && intake_store(&intake, err);
    intake_done(&intake);
    struct err print_err = {0};
    if (!print_result(&intake, &origin, all ? err : &print_err))
        return false;
    /* EXIT_OK, or the code of the first failure. */
    for (size_t i = 0; i < intake.count && cli->code == EXIT_OK; i++)
        if (!intake.items[i].stored)
            cli->code = exit_code_of(intake.items[i].failure.kind);
    return all;
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", NULL, "branch that the code came from, such as main"},
    {"commit", CLI_TEXT, "SHA", NULL, "commit that the code came from"},
    {"run", CLI_TEXT, "RUN", NULL, "execution of the job; profiles of one run are samples of it"},
    {"label", CLI_TEXT, "L", NULL, "a name to find the profiles by"},
    {"reason", CLI_TEXT, "TEXT", NULL, "why known profiles get other facts than were recorded"},
    CLI_COLLECT,
    CLI_TAKING_IN,
    CLI_MEMORY_PROFILE,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_ingest = {
    .name = "ingest",
    .line = "store profiles in the ledger",
    .operands = "PATH...",
    .operand_min = 1,
    .operand_max = -1,
    .options = options,
    .details = "PATH is an XPlane file, a trace in Chrome's JSON, an export of Nsight Systems, or\n"
               "a directory with captures below it (*.xplane.pb, *.sqlite, and *.json, *.json.gz\n"
               "that hold a trace), of which traces count where no XPlane file of their host lies\n"
               "by them; a trace whose capture is known from its XPlane file adds nothing,\n"
               "wherever it lies. Files whose times overlap, whose step numbers agree and whose\n"
               "hosts or ranks differ are hosts of one capture, wherever they lie and whenever\n"
               "they come; without times, those of one job's directory, of one --run or of one\n"
               "--capture KEY. Captures of one job's directory are one run: of that above\n"
               "plugins/profile or process_N, and, where tensorboard_trace_handler names the\n"
               "files, of one process (<host>_<pid>.<time>.pt.trace.json). A copy, also one that\n"
               "was cut or packed anew, counts once. Device memory profiles (memory.prof) are\n"
               "read with the capture that they lie by, or --memory-profile; where there is\n"
               "none, each is a profile by itself.\n\n"
               "Prints one JSON document: every profile with its id, stored or duplicate,\n"
               "and every rejected one with the reason; a rejected profile does not stop the\n"
               "others. The same bytes give the same id; other facts of them than were recorded\n"
               "(--meta, --env-file, ...) are refused unless --reason says why.\n\n"
               "`origin` says where commit and branch come from: the options, else what was\n"
               "collected beside the job (--env-file, --wandb-run), --repo, or a CI system's\n"
               "variables; never the current directory. `stepledger help capture` says what to\n"
               "capture and what to collect.\n\n"
               "exit: 0 all stored or known · 2 usage · 6 no such path · 65 input rejected ·\n"
               "      69 database away · 75 try again later (disk full, conflict)",
    .run = ingest,
};
