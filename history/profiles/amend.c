/* Appends corrections. What a profile is called is read under the lock of its workload, and of the
 * one that it goes to: appenders there decide by it whether bytes are known. */
#include "history/profiles/amend.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/identity.h"

#include <inttypes.h>
#include <string.h>

#define ACTION_NAME(name) [AMEND_##name] = #name,
const char *const amend_action_names[AMEND_ACTION_COUNT] = {AMEND_ACTIONS(ACTION_NAME)};
#undef ACTION_NAME

enum { REASON_BYTES_MAX = 2000 };

struct amending {
    struct db *db;
    const struct amendment *amendment;
    struct arena *arena;
    struct ledger_profile profile;
    int64_t series_id;                         /* where it goes; 0 = it stays */
    const char *branch, *commit, *run, *label; /* what is new; NULL = as it is */
};

/* ---- what stands against it ------------------------------------------------------------------ */

static bool names_check(const struct amending *amending, struct err *err)
{
    const struct amendment *amendment = amending->amendment;
    const struct profile_identity identity = {
        .project = amending->profile.project,
        .workload = amendment->workload != NULL ? amendment->workload : amending->profile.workload,
        .branch = amendment->branch,
        .commit = amendment->commit,
        .run = amendment->run,
        .label = amendment->label,
    };
    const struct profile_identity given = {.workload = amendment->workload,
                                           .run = amendment->run,
                                           .label = amendment->label,
                                           .origin = amendment->origin};
    return identity_check(&identity, err) && identity_shows(&given, err);
}

/* A profile counts again when its retraction is taken back, or when what took its place was
 * retracted; never beside another one of the same bytes. */
static bool restore_check(const struct amending *amending, struct err *err)
{
    const struct ledger_profile *profile = &amending->profile;
    struct ledger_profile successor;
    scoped_result *row = NULL;
    if (profile->superseded_by == 0 && profile->retracted_at_utc == NULL)
        return err_set(err, ERR_INPUT, "p%" PRId64 " is not retracted", profile->id);
    if (profile->superseded_by != 0) {
        if (!ledger_load_header(amending->db, profile->superseded_by, amending->arena, &successor,
                                err))
            return false;
        if (successor.retracted_at_utc == NULL)
            return err_set(err, ERR_INPUT,
                           "p%" PRId64 " was superseded by p%" PRId64 ": retract that one first",
                           profile->id, profile->superseded_by);
    }
    const char *none = NULL;
    if (!query_row(amending->db, Q_amendment_check,
                   ARGS(profile->id, profile->workload, none, none, none, none), &row, err))
        return false;
    return result_is_null(row, 0, C_amendment_check_same_bytes_id) ||
           err_set(err, ERR_INPUT,
                   "p%" PRId64 " has the same bytes and counts: retract it before p%" PRId64
                   " counts again",
                   result_i64(row, 0, C_amendment_check_same_bytes_id), profile->id);
}

static bool standing_check(const struct amending *amending, struct err *err)
{
    const struct ledger_profile *profile = &amending->profile;
    enum amend_action action = amending->amendment->action;
    bool retracted = profile->retracted_at_utc != NULL;
    if (action == AMEND_restore)
        return restore_check(amending, err);
    if (profile->superseded_by != 0)
        return err_set(err, ERR_INPUT, "p%" PRId64 " was superseded by p%" PRId64 ": %s that one",
                       profile->id, profile->superseded_by,
                       action == AMEND_retract ? "retract" : "amend");
    if (retracted)
        return err_set(err, ERR_INPUT, "p%" PRId64 " was retracted at %s (%.300s)%s", profile->id,
                       profile->retracted_at_utc, profile->reason,
                       action == AMEND_retract ? " already" : ": take that back first");
    return true;
}

/* ---- where it goes --------------------------------------------------------------------------- */

/* Keeps what is new of what was asked for. */
static bool changes_find(struct amending *amending, struct err *err)
{
    const struct amendment *wanted = amending->amendment;
    scoped_result *row = NULL;
    if (!query_row(amending->db, Q_amendment_check,
                   ARGS(wanted->profile_id, wanted->workload, wanted->branch, wanted->commit,
                        wanted->run, wanted->label),
                   &row, err))
        return false;
    bool moves = wanted->workload != NULL && !result_bool(row, 0, C_amendment_check_same_workload);
    amending->branch = result_bool(row, 0, C_amendment_check_same_branch) ? NULL : wanted->branch;
    amending->commit = result_bool(row, 0, C_amendment_check_same_commit) ? NULL : wanted->commit;
    amending->run =
        wanted->run == NULL || result_bool(row, 0, C_amendment_check_same_run) ? NULL : wanted->run;
    amending->label = result_bool(row, 0, C_amendment_check_same_label) ? NULL : wanted->label;
    if (moves && !result_is_null(row, 0, C_amendment_check_same_bytes_id))
        return err_set(err, ERR_INPUT,
                       "workload \"%s\" has the same bytes already: p%" PRId64
                       "; retract one of the two",
                       wanted->workload, result_i64(row, 0, C_amendment_check_same_bytes_id));
    if (!moves && amending->branch == NULL && amending->commit == NULL && amending->run == NULL &&
        amending->label == NULL)
        return err_set(err, ERR_INPUT, "p%" PRId64 " is called so already: nothing would change",
                       wanted->profile_id);
    if (!moves)
        return true;
    static const struct addition series = {Q_series_like_find, Q_series_like_add, ENTRY_SERIES};
    int64_t held;
    if (!text_parse_i64(amending->profile.series + 1, &held))
        return err_set(err, ERR_BUG, "%s is no series", amending->profile.series);
    return find_or_add(amending->db, &series, ARGS(held, amending->amendment->workload),
                       &amending->series_id, err);
}

/* ---- the entry ------------------------------------------------------------------------------- */

static bool entry_append(struct amending *amending, int64_t *ret_id, struct err *err)
{
    const struct amendment *amendment = amending->amendment;
    bool supersedes = amendment->action == AMEND_supersede;
    scoped_result *row = NULL;
    if (!query_row(amending->db, Q_amendment_add,
                   ARGS(amendment->profile_id, amend_action_names[amendment->action],
                        amendment->reason, arg_id(amending->series_id), amending->run,
                        amending->branch, amending->commit, amending->label,
                        arg_id(supersedes ? amendment->successor_id : 0)),
                   &row, err))
        return false;
    *ret_id = result_i64(row, 0, C_amendment_add_id);
    return added_due(amending->db, ENTRY_AMENDMENT, row, amendment->origin, amendment->by, err);
}

bool ledger_amend_within(struct db *db, const struct amendment *amendment, struct arena *arena,
                         int64_t *ret_id, struct err *err)
{
    struct amending amending = {.db = db, .amendment = amendment, .arena = arena};
    const char *reason = amendment->reason;
    if (reason == NULL || reason[0] == '\0')
        return err_set(err, ERR_INPUT, "a correction needs a reason");
    if (strlen(reason) > REASON_BYTES_MAX ||
        text_utf8_valid(reason, strlen(reason)) != strlen(reason))
        return err_set(err, ERR_INPUT, "the reason has more than %d bytes or is not UTF-8",
                       REASON_BYTES_MAX);
    if (!ledger_load_header(db, amendment->profile_id, arena, &amending.profile, err) ||
        !names_check(&amending, err))
        return false;
    /* Both workloads, in one order for everybody; then the profile as it is under the lock. */
    int64_t project_id;
    const char *from = amending.profile.workload, *to = amending.amendment->workload;
    if (!project_find_or_add(amending.db, amending.profile.project, &project_id, err))
        return false;
    bool swap = to != NULL && strcmp(to, from) < 0;
    if (!query_do(db, Q_workload_lock, ARGS(project_id, swap ? to : from), err) ||
        (to != NULL && !query_do(db, Q_workload_lock, ARGS(project_id, swap ? from : to), err)) ||
        !ledger_load_header(amending.db, amending.amendment->profile_id, amending.arena,
                            &amending.profile, err))
        return false;
    if (strcmp(from, amending.profile.workload) != 0)
        return err_set(err, ERR_CONFLICT, "p%" PRId64 " went to workload \"%s\" meanwhile",
                       amending.profile.id, amending.profile.workload);
    return standing_check(&amending, err) &&
           (amendment->action != AMEND_amend || changes_find(&amending, err)) &&
           entry_append(&amending, ret_id, err);
}

bool ledger_amend(struct db *db, const struct amendment *amendment, struct arena *arena,
                  int64_t *ret_id, struct err *err)
{
    scoped_transaction *open = NULL;
    return transaction_open(db, &open, err) &&
           ledger_amend_within(db, amendment, arena, ret_id, err) && transaction_close(&open, err);
}

/* ---- one instead of another ------------------------------------------------------------------ */

bool ledger_supersede_within(struct db *db, int64_t profile_id, const struct successor *successor,
                             struct arena *arena, struct err *err)
{
    int64_t id;
    struct ledger_profile old, new;
    const struct amendment amendment = {.profile_id = profile_id,
                                        .action = AMEND_supersede,
                                        .successor_id = successor->id,
                                        .reason = successor->reason,
                                        .by = successor->by,
                                        .origin = successor->origin};
    if (!ledger_load_header(db, profile_id, arena, &old, err) ||
        !ledger_load_header(db, successor->id, arena, &new, err))
        return false;
    if (profile_id >= successor->id || strcmp(old.project, new.project) != 0 ||
        strcmp(old.workload, new.workload) != 0)
        return err_set(err, ERR_INPUT,
                       "p%" PRId64 " cannot take the place of p%" PRId64
                       ": it must be newer, and of the same project and workload",
                       successor->id, profile_id);
    scoped_result *events = NULL;
    if (!query_run(db, Q_profile_events_inherit, ARGS(successor->id, profile_id), &events, err))
        return false;
    for (int row = 0; row < PQntuples(events); row++)
        if (!entry_due(db, result_text(events, row, C_profile_events_inherit_chain), ENTRY_EVENT,
                       result_i64(events, row, C_profile_events_inherit_id), err))
            return false;
    return ledger_amend_within(db, &amendment, arena, &id, err);
}
