/* stepledger query: a question about a summary, answered the same way every time. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/present/query/query.h"

#include <stdio.h>
#include <string.h>

struct asked {
    const char *summary, *question;
};

/* --summary, else the first operand; --question, else what follows. */
static bool asked_read(struct cli *cli, struct arena *arena, struct asked *ret_asked,
                       struct err *err)
{
    size_t next = 0;
    struct asked asked = {cli_text(cli, "summary"), cli_text(cli, "question")};
    if (asked.summary == NULL && next < cli->operand_count)
        asked.summary = cli->operands[next++];
    if (asked.question != NULL && next < cli->operand_count)
        return err_set(err, ERR_USAGE, "unexpected operand '%s'", cli->operands[next]);
    for (; next < cli->operand_count; next++) {
        asked.question = asked.question == NULL
                             ? cli->operands[next]
                             : arena_printf(arena, "%s %s", asked.question, cli->operands[next]);
    }
    if (asked.summary == NULL || asked.question == NULL)
        return err_set(err, ERR_USAGE, "option --%s is required (or SUMMARY QUESTION, or --list)",
                       asked.summary == NULL ? "summary" : "question");
    /* The reference answers an empty --question with its list of forms. */
    if (cli_text(cli, "question") == NULL &&
        asked.question[strspn(asked.question, " \t\r\n")] == '\0')
        return err_set(err, ERR_USAGE, "the question is empty; ask one, or see --list");
    *ret_asked = asked;
    return true;
}

/* The verdict on what is asked about; *ret_answer stays NULL where the question is another, or no
 * verdict is known. */
static bool verdict_answer(struct cli *cli, const struct reference_scope *scope,
                           const struct asked *asked, struct arena *arena, json_t **ret_answer,
                           struct err *err)
{
    char name[24];
    struct reference_judged judged;
    bool of_verdict = query_asks_for_verdict(asked->question);
    if ((!of_verdict && !query_asks_for_change(asked->question)) || cli_given(cli, "baseline") ||
        reference_is_file(asked->summary))
        return true;
    if (!reference_verdict(cli, scope, asked->summary, arena, &judged, err))
        return false;
    (void)snprintf(name, sizeof name, "v%lld", (long long)judged.id);
    if (judged.id == 0)
        return true;
    *ret_answer = of_verdict ? query_verdict(&judged.verdict, name, arena)
                             : query_verdict_changes(&judged.verdict, name, asked->question,
                                                     cli_int(cli, "top-k"), arena);
    return arena_ok(arena, "an answer", err);
}

static bool query(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    if (cli_given(cli, "list"))
        return document_print(NULL, query_forms(), err);
    struct asked asked = {0};
    struct summary summary, baseline;
    const char *baseline_path = cli_text(cli, "baseline");
    const struct reference_scope scope = reference_scope_of(cli);
    scoped_json *judged = NULL;
    if (!asked_read(cli, arena, &asked, err) ||
        !verdict_answer(cli, &scope, &asked, arena, &judged, err))
        return false;
    if (judged != NULL)
        return document_print(NULL, json_incref(judged), err);
    if (!reference_summary(cli, &scope, asked.summary, arena, &summary, err) ||
        (baseline_path != NULL &&
         !reference_summary(cli, &scope, baseline_path, arena, &baseline, err)))
        return false;
    const char *question = asked.question;
    json_t *answer = query_answer(&summary, baseline_path != NULL ? &baseline : NULL, question,
                                  cli_int(cli, "top-k"), arena, err);
    return document_print(NULL, answer, err);
}

static const struct cli_option options[] = {
    {"summary", CLI_TEXT, "SUMMARY", NULL, "what is asked about: a file, p12, a run, ..."},
    {"question", CLI_TEXT, "TEXT", NULL, "the question"},
    {"baseline", CLI_TEXT, "SUMMARY", NULL, "summary to compare with, for \"what changed\""},
    {"list", CLI_FLAG, NULL, NULL, "print the known forms of a question"},
    CLI_TOP_K,
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_query = {
    .name = "query",
    .line = "answer a question about a summary",
    .operands = "[SUMMARY QUESTION...]",
    .operand_max = -1,
    .options = options,
    .details =
        "SUMMARY is a file, or what the ledger calls it: p12, v4 (its candidate), a run, a label,\n"
        "a commit; stepledger query p12 what is slow. Of what the ledger judged, `query v4 why\n"
        "did it fail` and `query p12 is it slower than main` say the verdict, `query v4 which op\n"
        "got slower` and `query v4 what changed` what it compared: a verdict has its baseline.\n"
        "Whether people accepted its change both say as `show` does (`accepted`, `beyond`).\n"
        "The answer is a JSON object with `query_type`. A question that fits no form says so\n"
        "(`recognized: false`) and lists the forms.\n\n"
        "exit: 0 answered · 1 error · 2 usage",
    .run = query,
    .compatible = true,
};
