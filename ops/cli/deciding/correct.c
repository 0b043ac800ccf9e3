/* Implements corrections. */
#include "ops/cli/cli.h"
#include "ops/cli/deciding/correct.h"

#include "ops/cli/operand/operand.h"

#include <inttypes.h>
#include <string.h>

struct correction {
    int64_t id;
    enum amend_action action;
    const char *reason;
    struct ledger_profile profile; /* as it stands now */
};

static const struct member correction_members[] = {
    M_ENTRY("amendment", correction, id, 'm'),
    M_ENTRY("profile", correction, profile.id, 'p'),
    M_CHOICE(correction, action, enum amend_action, amend_action_names, AMEND_ACTION_COUNT),
    M_TEXT_AS("project", correction, profile.project),
    M_TEXT_AS("workload", correction, profile.workload),
    M_TEXT_AS("series", correction, profile.series),
    M_TEXT_AS("branch", correction, profile.branch),
    M_TEXT_AS("commit", correction, profile.commit),
    M_TEXT_AS("run", correction, profile.run),
    M_TEXT_AS("label", correction, profile.label),
    M_TEXT_AS("retracted_at_utc", correction, profile.retracted_at_utc),
    M_FIELDS(correction, reason),
};
static const struct record correction_record = RECORD_OF(correction, correction_members);

struct corrections {
    const char *schema_version;
    struct correction *items; /* room for all operands */
    size_t count;
};

static const struct member corrections_members[] = {
    M_FIELDS(corrections, schema_version),
    M_LIST("amendments", corrections, items, count, correction, correction_record),
};
static const struct record corrections_record = RECORD_OF(corrections, corrections_members);

struct correcting {
    struct cli *cli;
    struct db *db;
    struct amendment amendment;
    struct corrections made;
};

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
    struct correction made = {.action = correcting->amendment.action,
                              .reason = correcting->amendment.reason};
    struct ledger_profile *profile = &made.profile;
    struct arena *arena = &correcting->cli->arena;
    correcting->amendment.profile_id = profile_id;
    if (!ledger_load_header(correcting->db, profile_id, arena, profile, err))
        return false;
    /* An id of another project than was asked for is a slip. */
    const char *project = cli_text(correcting->cli, "project");
    if (project != NULL && strcmp(project, profile->project) != 0)
        return err_set(err, ERR_INPUT, "p%" PRId64 " is of project \"%s\", not of \"%s\"",
                       profile->id, profile->project, project);
    if (!ledger_amend_within(correcting->db, &correcting->amendment, arena, &made.id, err) ||
        !ledger_load_header(correcting->db, profile_id, arena, profile, err))
        return false;
    correcting->made.items[correcting->made.count++] = made;
    return true;
}

bool correct_profiles(struct cli *cli, const struct amendment *amendment, struct err *err)
{
    scoped_db *db = NULL;
    scoped_transaction *open = NULL;
    struct correcting correcting = {
        .cli = cli, .amendment = *amendment, .made = {.schema_version = "amendment.v1"}};
    correcting.amendment.by = decide_person(cli);
    correcting.made.items = arena_array(&cli->arena, struct correction, cli->operand_count);
    if (!decide_reason(cli, &correcting.amendment.reason, err) || !connect_ledger(cli, &db, err) ||
        !transaction_open(db, &open, err))
        return false;
    correcting.db = db;
    for (size_t i = 0; i < cli->operand_count; i++)
        if (!operand_correct(&correcting, cli->operands[i], err))
            return false;
    return transaction_close(&open, err) && record_emit(&corrections_record, &correcting.made, err);
}
