/* stepledger queue: jobs for the workers, by hand. */
#include "history/lease/lease.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/submit/submit.h"
#include "ops/runtime/text_harmless.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 256 << 20 };

/* ---- add ------------------------------------------------------------------------------------- */

struct addition {
    struct cli *cli;
    struct submission submission;
    json_t *jobs;
};

static bool capture_add(struct addition *addition, const struct profile_files *capture,
                        struct err *err)
{
    int64_t id;
    scoped_arena arena;
    arena_init_within(&arena, addition->cli->memory);
    if (!submission_add(&addition->submission, capture, &arena, &id, err))
        return false;
    json_t *row = json_pack("{s:I, s:o}", "job", (json_int_t)id, "path", json_text(capture->path));
    (void)json_array_append_new(addition->jobs, row);
    return true;
}

static bool paths_add(struct addition *addition, struct err *err)
{
    struct cli *cli = addition->cli;
    for (size_t i = 1; i < cli->operand_count; i++) {
        struct profile_list list;
        if (!ingest_discover(cli->operands[i], &cli->arena, &list, err))
            return false;
        for (size_t k = 0; k < list.count; k++)
            if (!capture_add(addition, &list.items[k], err))
                return false;
    }
    return true;
}

/* What was added before a failure stays, and is printed. */
static bool queue_cmd_add(struct cli *cli, struct db *db, struct err *err)
{
    struct ingest_options options;
    struct collection collection;
    struct code_origin origin;
    scoped_json *jobs = json_array();
    struct addition addition = {
        .cli = cli,
        .submission = {.db = db,
                       .conf = &cli->conf,
                       .identity = {.run = cli_text(cli, "run"), .label = cli_text(cli, "label")},
                       .with_bytes = cli_given(cli, "bytes"),
                       .judge = cli_given(cli, "judge")},
        .jobs = jobs,
    };
    struct profile_identity *identity = &addition.submission.identity;
    if (cli->operand_count < 2)
        return err_set(err, ERR_USAGE, "queue add: PATH is missing");
    if (!cli_scope(cli, &identity->project, &identity->workload, err) ||
        !summarize_options(cli, &options, err) || !collect_of_options(cli, &collection, err) ||
        !origin_of_options(cli, &collection, cli_text(cli, "commit"), cli_text(cli, "branch"),
                           &origin, err))
        return false;
    options.collected = collection.facts;
    options.collected_count = collection.count;
    identity->branch = origin.branch.value;
    identity->commit = origin.commit.value;
    if (identity->run == NULL)
        identity->run = collection.run;
    addition.submission.options = job_options_text(&options, &cli->arena, err);
    if (addition.submission.options == NULL)
        return false;
    bool all = paths_add(&addition, err);
    struct err late = {0};
    bool told = json_array_size(jobs) == 0 || queue_hint(db, &late);
    json_t *document = json_pack("{s:O}", "jobs", jobs);
    bool printed = document_print(NULL, document, all && told ? err : &late);
    if (all && !told)
        *err = late;
    return all && told && printed;
}

/* ---- judge ----------------------------------------------------------------------------------- */

/* A name stands for what the ledger knows by it: its commit when it is one, else itself; the whole
 * commit when its start was given. */
static bool subject_find(struct cli *cli, struct db *db, const char *name,
                         struct judgement_subject *ret_subject, struct err *err)
{
    struct profile_page page;
    struct judgement_subject subject = {.candidate = name};
    if (!cli_scope(cli, &subject.project, &subject.workload, err))
        return false;
    const struct profile_reference reference = {subject.project, subject.workload, name};
    if (!ledger_resolve(db, &reference, &cli->arena, &page, err))
        return false;
    const struct ledger_profile *first = &page.items[0];
    subject.branch = first->branch;
    subject.commit = first->commit;
    if (first->commit != NULL && strncmp(first->commit, name, strlen(name)) == 0)
        subject.candidate = first->commit;
    *ret_subject = subject;
    return true;
}

/* `queue judge REF...`: asks for a verdict on each and prints their numbers. ERR_MISSING: nothing
 * in the ledger has that name. */
static bool queue_judge(struct cli *cli, struct db *db, struct err *err)
{
    if (cli->operand_count < 2)
        return err_set(err, ERR_USAGE, "queue judge: name a commit, a run or a profile");
    scoped_json *list = json_array();
    for (size_t i = 1; i < cli->operand_count; i++) {
        int64_t id;
        struct judgement_subject subject;
        if (!subject_find(cli, db, cli->operands[i], &subject, err) ||
            !judgement_ask(db, &subject, &id, err))
            return false;
        json_t *row = json_pack("{s:I, s:o}", "judgement", (json_int_t)id, "candidate",
                                json_text(subject.candidate));
        (void)json_array_append_new(list, row);
    }
    return document_print(NULL, json_pack("{s:O}", "judgements", list), err);
}

/* ---- list ------------------------------------------------------------------------------------ */

static const struct member judgement_members[] = {
    M_INT_AS("judgement", judgement_row, id),
    M_FIELDS(judgement_row, state, project, workload, candidate, branch, attempt, worker,
             failure_kind, failure),
    M_ENTRY("verdict", judgement_row, verdict_id, 'v'),
    M_TEXT(judgement_row, finished_at_utc),
};
static const struct record judgement_record = RECORD_OF(judgement_row, judgement_members);

static const struct member job_members[] = {
    M_INT_AS("job", queue_row, id),
    M_FIELDS(queue_row, state, project, workload, path, attempt, max_attempts, worker, failure_kind,
             failure),
    M_ENTRY("profile", queue_row, profile_id, 'p'),
    M_FIELDS(queue_row, duplicate, submitted_at_utc, not_before_utc, finished_at_utc),
};
static const struct record job_record = RECORD_OF(queue_row, job_members);

struct waiting {
    struct queue_page jobs;
    struct judgement_page judgements;
};

static const struct member waiting_members[] = {
    M_LIST("jobs", waiting, jobs.items, jobs.count, queue_row, job_record),
    M_LIST("judgements", waiting, judgements.items, judgements.count, judgement_row,
           judgement_record),
};
static const struct record waiting_record = RECORD_OF(waiting, waiting_members);

static bool list_text(const struct waiting *waiting, struct err *err)
{
    const struct queue_page *page = &waiting->jobs;
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    harmless_line(&out, "%8s  %-8s %-5s %-10s %s", "job", "state", "tries", "profile", "path");
    for (size_t i = 0; i < page->count; i++) {
        const struct queue_row *row = &page->items[i];
        char profile[24] = "-", tries[24];
        if (row->profile_id != 0)
            (void)snprintf(profile, sizeof profile, "p%lld", (long long)row->profile_id);
        (void)snprintf(tries, sizeof tries, "%d/%d", row->attempt, row->max_attempts);
        harmless_line(&out, "%8lld  %-8s %-5s %-10s %s", (long long)row->id, row->state, tries,
                      profile, row->path);
        if (row->failure != NULL)
            harmless_line(&out, "%10s%s: %s", "", row->failure_kind, row->failure);
    }
    const struct judgement_page *judgements = &waiting->judgements;
    if (judgements->count > 0)
        text_addf(&out, "\n%8s  %-8s %-10s %s\n", "to judge", "state", "verdict", "candidate");
    for (size_t i = 0; i < judgements->count; i++) {
        char verdict[24] = "-";
        const struct judgement_row *row = &judgements->items[i];
        if (row->verdict_id != 0)
            (void)snprintf(verdict, sizeof verdict, "v%lld", (long long)row->verdict_id);
        harmless_line(&out, "%8lld  %-8s %-10s %s of %s/%s", (long long)row->id, row->state,
                      verdict, row->candidate, row->project, row->workload);
        if (row->failure != NULL)
            harmless_line(&out, "%10s%s: %s", "", row->failure_kind, row->failure);
    }
    return text_ok(&out, "the list of jobs", err) && cli_write(out.data, out.length, err);
}

static bool queue_cmd_list(struct cli *cli, struct db *db, struct err *err)
{
    struct waiting waiting;
    scoped_arena arena;
    arena_init_within(&arena, cli->memory);
    const char *state = cli_text(cli, "state");
    if (cli->operand_count > 1)
        return err_set(err, ERR_USAGE, "queue list: unexpected operand '%s'", cli->operands[1]);
    if (cli_int(cli, "last") < 1)
        return err_set(err, ERR_USAGE, "option --last: %s is not 1 or more", cli_text(cli, "last"));
    if (!queue_list(db, state, cli_int(cli, "last"), &arena, &waiting.jobs, err) ||
        !judgement_list(db, state, cli_int(cli, "last"), &arena, &waiting.judgements, err))
        return false;
    bool as_text = strcmp(cli_text(cli, "format"), "text") == 0;
    return as_text ? list_text(&waiting, err) : record_emit(&waiting_record, &waiting, err);
}

/* ---- retry and drop -------------------------------------------------------------------------- */

static bool selection_read(struct cli *cli, struct queue_selection *ret_selection, struct err *err)
{
    size_t count = cli->operand_count - 1;
    int64_t *ids = arena_array(&cli->arena, int64_t, count + 1);
    if (count == 0 && !cli_given(cli, "all"))
        return err_set(err, ERR_USAGE, "queue %s: name jobs by their numbers, or say --all",
                       cli->operands[0]);
    if (count > 0 && cli_given(cli, "all"))
        return err_set(err, ERR_USAGE, "queue %s: numbers or --all, not both", cli->operands[0]);
    for (size_t i = 0; i < count; i++)
        if (!text_parse_i64(cli->operands[i + 1], &ids[i]) || ids[i] < 1)
            return err_set(err, ERR_USAGE, "'%s' is no number of a job", cli->operands[i + 1]);
    *ret_selection = (struct queue_selection){ids, count};
    return true;
}

static bool queue_cmd_move(struct cli *cli, struct db *db, struct err *err)
{
    int64_t lost;
    struct queue_ids ids;
    struct queue_selection selection;
    scoped_json *jobs = json_array();
    bool drops = strcmp(cli->operands[0], "drop") == 0;
    /* What a worker left that is gone may be moved too, where no other worker takes it back. */
    if (!selection_read(cli, &selection, err) || !queue_reap(db, &lost, err) ||
        !(drops ? queue_drop : queue_retry)(db, &selection, &cli->arena, &ids, err) ||
        (ids.count > 0 && !queue_hint(db, err)))
        return false;
    for (size_t i = 0; i < ids.count; i++)
        (void)json_array_append_new(jobs, json_integer((json_int_t)ids.items[i]));
    if (!document_print(NULL, json_pack("{s:O}", "jobs", jobs), err))
        return false;
    return ids.count >= selection.count ||
           err_set(err, ERR_MISSING,
                   "%zu of %zu jobs are not in a state for that (`queue list` shows them)",
                   selection.count - ids.count, selection.count);
}

static const struct {
    const char *name;
    bool (*connect)(struct cli *cli, struct db **ret_db, struct err *err);
    bool (*run)(struct cli *cli, struct db *db, struct err *err);
} actions[] = {{"add", connect_ledger, queue_cmd_add},
               {"list", connect_reader, queue_cmd_list},
               {"retry", connect_ledger, queue_cmd_move},
               {"drop", connect_ledger, queue_cmd_move},
               {"judge", connect_ledger, queue_judge}};

static bool queue(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(actions[i].name, cli->operands[0]) == 0)
            return actions[i].connect(cli, &db, err) && actions[i].run(cli, db, err);
    return err_set(err, ERR_USAGE, "unknown action '%s': add, list, retry, drop or judge",
                   cli->operands[0]);
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", NULL, "branch that the code came from, such as main"},
    {"commit", CLI_TEXT, "SHA", NULL, "commit that the code came from"},
    {"run", CLI_TEXT, "RUN", NULL, "execution of the job; profiles of one run are samples of it"},
    {"label", CLI_TEXT, "L", NULL, "a name to find the profiles by"},
    CLI_COLLECT,
    {"bytes", CLI_FLAG, NULL, NULL, "add: the files travel in the database (queue_max_bytes)"},
    {"judge", CLI_FLAG, NULL, NULL, "add: what is stored is to be judged (`work compare`)"},
    CLI_META,
    CLI_WARMUP,
    CLI_MODE,
    CLI_STRICT_INPUT,
    {"state", CLI_CHOICE, "ready|running|done|aside|dropped", NULL, "list: only these"},
    {"last", CLI_INT, "N", "100", "list: how many, newest first"},
    {"format", CLI_CHOICE, "json|text", "json", "list: what to print"},
    {"all", CLI_FLAG, NULL, NULL, "retry, drop: every job that was set aside"},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_queue = {
    .name = "queue",
    .line = "jobs for the workers: add, list, retry, drop, judge",
    .operands = "add|list|retry|drop|judge [PATH|JOB|REF]...",
    .operand_min = 1,
    .operand_max = -1,
    .options = options,
    .details =
        "add PATH...   one job per capture below each path, as `ingest` finds them. Workers read\n"
        "              the path, so they must see it; with --bytes they need nothing but the\n"
        "              database. What lies beside (memory.prof, the trace of a host whose XPlane\n"
        "              file is broken) is read as `ingest` does.\n"
        "list          jobs with their state: ready, running, done, aside (set aside, with the\n"
        "              reason: the input is bad, or its attempts are used up), dropped; a job\n"
        "              of files that lie loose is done without those that are bad, and says so.\n"
        "retry JOB...  jobs that were set aside get all their attempts again.\n"
        "drop JOB...   jobs that nobody works on are given up.\n"
        "judge REF...  a verdict is wanted on a commit, run or profile of the ledger: from\n"
        "              `work compare`, at once; also when it was set aside. add --judge asks for\n"
        "              the same of what is added; list shows who waits, with the verdict.\n\n"
        "exit: 0 done · 2 usage · 6 no such path or job · 65 a file is too large for --bytes ·\n"
        "      69 database away · 75 disk full",
    .run = queue,
};
