/* Implements corrections. */
#include "ops/cli/cli.h"
#include "ops/cli/deciding/correct.h"

#include "ops/cli/operand/operand.h"

#include <inttypes.h>
#include <string.h>

struct correcting {
    struct cli *cli;
    struct db *db;
    struct amendment amendment;
    json_t *rows;
};

static json_t *row_json(const struct correcting *correcting, int64_t id,
                        const struct ledger_profile *profile)
{
    char amendment[24], name[24];
    (void)snprintf(amendment, sizeof amendment, "m%" PRId64, id);
    (void)snprintf(name, sizeof name, "p%" PRId64, profile->id);
    return json_pack("{ss, ss, ss, so, so, so, so, so, so, so, so, so}", "amendment", amendment,
                     "profile", name, "action", amend_action_names[correcting->amendment.action],
                     "project", json_text(profile->project), "workload",
                     json_text(profile->workload), "series", json_text(profile->series), "branch",
                     json_text(profile->branch), "commit", json_text(profile->commit), "run",
                     json_text(profile->run), "label", json_text(profile->label),
                     "retracted_at_utc", json_text(profile->retracted_at_utc), "reason",
                     json_text(correcting->amendment.reason));
}

/* What is corrected has to be meant: a name that several profiles have is none. */
static bool operand_correct(struct correcting *correcting, const char *name, struct err *err)
{
    struct id_list ids;
    int64_t verdict_id;
    const struct reference_scope scope = {cli_text(correcting->cli, "project"), NULL};
    if (reference_is_id(name, 'v', &verdict_id))
        return err_set(err, ERR_USAGE, "'%s' is a verdict; profiles are corrected: p12", name);
    if (!reference_profiles(correcting->db, &scope, name, &correcting->cli->arena, &ids, err))
        return false;
    if (ids.count > 1)
        return err_set(err, ERR_INPUT,
                       "'%s' is %zu profiles (p%" PRId64 ", p%" PRId64 "%s): name each by its id",
                       name, ids.count, ids.items[0], ids.items[1], ids.count > 2 ? ", ..." : "");
    int64_t profile_id = ids.items[0];
    int64_t id;
    struct ledger_profile profile;
    struct arena *arena = &correcting->cli->arena;
    correcting->amendment.profile_id = profile_id;
    if (!ledger_load_header(correcting->db, profile_id, arena, &profile, err))
        return false;
    /* An id of another project than was asked for is a slip. */
    const char *project = cli_text(correcting->cli, "project");
    if (project != NULL && strcmp(project, profile.project) != 0)
        return err_set(err, ERR_INPUT, "p%" PRId64 " is of project \"%s\", not of \"%s\"",
                       profile.id, profile.project, project);
    if (!ledger_amend_within(correcting->db, &correcting->amendment, arena, &id, err) ||
        !ledger_load_header(correcting->db, profile_id, arena, &profile, err))
        return false;
    return json_array_append_new(correcting->rows, row_json(correcting, id, &profile)) == 0 ||
           err_set_memory(err, "no memory for the corrections");
}

static bool all_correct(struct correcting *correcting, struct err *err)
{
    struct cli *cli = correcting->cli;
    if (!db_begin(correcting->db, err))
        return false;
    bool done = true;
    for (size_t i = 0; done && i < cli->operand_count; i++)
        done = operand_correct(correcting, cli->operands[i], err);
    return db_end(correcting->db, done, err);
}

bool correct_profiles(struct cli *cli, const struct amendment *amendment, struct err *err)
{
    scoped_db *db = NULL;
    scoped_json *rows = json_array();
    struct correcting correcting = {.cli = cli, .amendment = *amendment, .rows = rows};
    correcting.amendment.by = decide_person(cli);
    if (rows == NULL)
        return err_set_memory(err, "no memory for the corrections");
    if (!decide_reason(cli, &correcting.amendment.reason, err) || !connect_ledger(cli, &db, err))
        return false;
    correcting.db = db;
    if (!all_correct(&correcting, err))
        return false;
    json_t *document =
        json_pack("{ss, sO}", "schema_version", "amendment.v1", "amendments", correcting.rows);
    return document_print(NULL, document, err);
}
