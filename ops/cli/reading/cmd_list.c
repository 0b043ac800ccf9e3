/* stepledger list: what the ledger holds, by name. */
#include "compare/changes/changes.h"
#include "history/reading/reading.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/reading/list_print.h"
#include "ops/flow/trends/trends.h"
#include "ops/runtime/text_harmless.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX_BYTES = 1 << 30, LIMIT_MAX = 1000000, FILTERS_MAX_BYTES = 64 << 10 };

static bool noun_read(const char *name, const struct list_noun **ret_noun, struct err *err)
{
    const char *names[LIST_NOUN_COUNT];
    *ret_noun = list_noun_find(name);
    if (*ret_noun != NULL)
        return true;
    for (size_t i = 0; i < LIST_NOUN_COUNT; i++)
        names[i] = list_nouns[i].name;
    return err_set(err, ERR_USAGE, "'%s' cannot be listed%s", name,
                   text_choices(name, names, LIST_NOUN_COUNT).words);
}

/* "a|b" holds the word. */
static bool is_one_of(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = words; p != NULL; p = strchr(p, '|')) {
        p += *p == '|';
        if (length > 0 && strncmp(p, word, length) == 0 && (p[length] == '|' || p[length] == '\0'))
            return true;
    }
    return false;
}

static bool filters_read(const struct cli *cli, struct list_query *query, struct err *err)
{
    const struct list_noun *noun = query->noun;
    for (int by = 0; by < LIST_BY_COUNT; by++) {
        query->by[by] = cli_text(cli, list_by_names[by]);
        if (query->by[by] != NULL && (noun->filters & 1u << by) == 0)
            return err_set(err, ERR_USAGE, "--%s means nothing for %s", list_by_names[by],
                           noun->name);
    }
    const char *status = query->by[LIST_BY_STATUS], *since = cli_text(cli, "since");
    if (status != NULL && !is_one_of(noun->statuses, status))
        return err_set(err, ERR_USAGE, "option --status: '%s' is none of %s", status,
                       noun->statuses);
    query->limit = cli_int(cli, "limit");
    if (query->limit < 1 || query->limit > LIMIT_MAX)
        return err_set(err, ERR_USAGE, "option --limit: %lld is not from 1 to %d",
                       (long long)query->limit, LIMIT_MAX);
    return since == NULL || moment_read_past(since, "since", &query->since_us, err);
}

/* On stderr too: who counts the rows of a table must not take silence for an answer. */
static void emptiness_say(const struct list_query *query)
{
    scoped_text filters;
    text_init(&filters, FILTERS_MAX_BYTES);
    for (int by = 0; by < LIST_BY_COUNT; by++)
        if (query->by[by] != NULL)
            text_addf(&filters, ", %s %s", list_by_names[by], query->by[by]);
    harmless_say("stepledger list: the ledger holds no %s%s%s", query->noun->name,
                 text_shown(&filters), query->since_us != 0 ? ", since then" : "");
}

/* CSV has no place to say it, and who counts the rows of JSON may not look for `is_cut`. */
static void cut_say(const struct list *list, const struct list_query *query)
{
    harmless_say("stepledger list: the newest %zu %s; there are more: --limit, or a filter shows "
                 "them",
                 list->row_count, query->noun->name);
}

static const struct {
    const char *name;
    bool (*print)(const struct list_query *query, const struct list *list, struct text *out,
                  struct err *err);
} formats[] = {{"json", list_print_json}, {"text", list_print_text}, {"csv", list_print_csv}};

static bool print(const struct cli *cli, const struct list_query *query, const struct list *list,
                  struct err *err)
{
    const char *wanted = cli_text(cli, "format");
    scoped_text out;
    text_init(&out, LIST_MAX_BYTES);
    if (wanted == NULL)
        wanted = isatty(STDOUT_FILENO) ? "text" : "json";
    if (list->row_count == 0)
        emptiness_say(query);
    if (list->is_cut && strcmp(wanted, "text") != 0)
        cut_say(list, query);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, wanted) == 0)
            return formats[i].print(query, list, &out, err) && cli_emit(NULL, &out, err);
    return err_set(err, ERR_BUG, "no printer for --format %s", wanted);
}

static bool list_show(struct cli *cli, struct arena *arena, struct err *err)
{
    struct list list;
    struct list_query query = {0};
    scoped_db *db = NULL;
    return noun_read(cli->operands[0], &query.noun, err) && filters_read(cli, &query, err) &&
           connect_reader(cli, &db, err) && ledger_list(db, &query, arena, &list, err) &&
           print(cli, &query, &list, err);
}

static int run_list(struct cli *cli)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init_within(&arena, cli->memory);
    return list_show(cli, &arena, &err) ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"project", CLI_TEXT, "P", NULL, "only of this project", false},
    {"workload", CLI_TEXT, "W", NULL, "only of this workload", false},
    {"branch", CLI_TEXT, "B", NULL, "only of this branch", false},
    {"commit", CLI_TEXT, "SHA", NULL, "only of this commit, or of those that start so", false},
    {"run", CLI_TEXT, "RUN", NULL, "only of this run", false},
    {"status", CLI_TEXT, "S", NULL,
     "profiles: counts (default), retracted, superseded, all; verdicts: pass, fail, ...; alerts: "
     "unresolved (default), open, ..., all; changes: standing (default), candidate, ..., all",
     false},
    {"since", CLI_TEXT, "TIME", NULL,
     "only what was recorded then or later, whenever it was captured: 2026-11-30, 24h, 7d, 4w",
     false},
    {"limit", CLI_INT, "N", "50", "rows listed; it is said when there are more", false},
    {"format", CLI_CHOICE, "json|text|csv", NULL,
     "what to print (default: text on a terminal, else json)", false},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

#define DIGITS(number) #number
#define DIGITS_OF(number) DIGITS(number)
#define SHOWN_BY DIGITS_OF(COURSE_NEWEST_RUNS)
#define SETTLED_BY DIGITS_OF(MARKING_SETTLED_RUNS)
#define NOUN_OPERAND(noun, filters, statuses) "|" #noun
const struct cli_command cmd_list = {
    .name = "list",
    .line = "list projects, workloads, series, runs, profiles, verdicts, ...",
    .operands = &LIST_NOUNS(NOUN_OPERAND)[1], /* behind the first bar */
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "Newest first, with the ids that other commands take (p12, v4, s3, l7). What was\n"
        "corrected stands as it is now; profiles that were retracted or superseded are listed\n"
        "when --status asks for them. Changes are those of the step time that the scheduler finds\n"
        "once a day. A gate goes by its runs and needs none of them: it sets runs of an older\n"
        "level aside once " SHOWN_BY " runs show the newer one. A candidate adds nothing to that;\n"
        "with one that is confirmed, once " SETTLED_BY " runs hold the new level, the baseline\n"
        "begins anew, and no run before it is looked at. People confirm earlier\n"
        "(`rebaseline SERIES --at PROFILE`) or withdraw (--withdraw), and their word stands.\n"
        "\n" CLI_CSV_DETAILS
        "exit: 0 listed, also when there is nothing (which is said) · 2 usage · 69 database away",
    .run = run_list,
};
#undef NOUN_OPERAND
