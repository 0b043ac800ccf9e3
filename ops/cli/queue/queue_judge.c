/* A name stands for what the ledger knows by it: its commit when it is one, else itself. */
#include "ops/cli/cli.h"
#include "ops/cli/queue/queue_judge.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text_harmless.h"

#include <stdio.h>
#include <string.h>

/* The whole commit when its start was given. */
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

static bool name_ask(struct cli *cli, struct db *db, const char *name, json_t *list,
                     struct err *err)
{
    int64_t id;
    struct judgement_subject subject;
    if (!subject_find(cli, db, name, &subject, err) || !judgement_ask(db, &subject, &id, err))
        return false;
    json_t *row = json_pack("{s:I, s:o}", "judgement", (json_int_t)id, "candidate",
                            json_text(subject.candidate));
    return json_array_append_new(list, row) == 0 ||
           err_set_memory(err, "no memory for the list of candidates");
}

bool queue_judge(struct cli *cli, struct db *db, struct err *err)
{
    if (cli->operand_count < 2)
        return err_set(err, ERR_USAGE, "queue judge: name a commit, a run or a profile");
    scoped_json *list = json_array();
    for (size_t i = 1; i < cli->operand_count; i++)
        if (!name_ask(cli, db, cli->operands[i], list, err))
            return false;
    return document_print(NULL, json_pack("{s:O}", "judgements", list), err);
}

static const char *verdict_name(const struct judgement_row *row, char buffer[24])
{
    (void)snprintf(buffer, 24, "v%lld", (long long)row->verdict_id);
    return row->verdict_id == 0 ? NULL : buffer;
}

static json_t *row_json(const struct judgement_row *row)
{
    char verdict[24];
    return json_pack(
        "{s:I, s:s, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "judgement",
        (json_int_t)row->id, "state", row->state, "project", json_text(row->project), "workload",
        json_text(row->workload), "candidate", json_text(row->candidate), "branch",
        json_text(row->branch), "attempt", row->attempt, "worker", json_text(row->worker),
        "failure_kind", json_text(row->failure_kind), "failure", json_text(row->failure), "verdict",
        json_text(verdict_name(row, verdict)), "finished_at_utc", json_text(row->finished_at_utc));
}

json_t *judgements_json(const struct judgement_page *page)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < page->count; i++)
        if (json_array_append_new(list, row_json(&page->items[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

void judgements_text(const struct judgement_page *page, struct text *out)
{
    if (page->count > 0)
        text_addf(out, "\n%8s  %-8s %-10s %s\n", "to judge", "state", "verdict", "candidate");
    for (size_t i = 0; i < page->count; i++) {
        char verdict[24];
        const struct judgement_row *row = &page->items[i];
        const char *name = verdict_name(row, verdict);
        harmless_line(out, "%8lld  %-8s %-10s %s of %s/%s", (long long)row->id, row->state,
                      name == NULL ? "-" : name, row->candidate, row->project, row->workload);
        if (row->failure != NULL)
            harmless_line(out, "%10s%s: %s", "", row->failure_kind, row->failure);
    }
}
