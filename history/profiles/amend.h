/* Corrections of profiles, appended: what one is called (amend), that it does not count (retract,
 * and restore to take that back), and that another profile counts instead (supersede).
 *
 * Nothing is changed. From then on baselines, trends, lists and names follow; verdicts of before
 * keep what they were made from. A profile that was superseded is not corrected any more: its
 * successor is.
 */
#ifndef HISTORY_PROFILES_AMEND_H
#define HISTORY_PROFILES_AMEND_H

#include "history/profiles/ledger.h"
#include "schema/documents/origin.h"

#define AMEND_ACTIONS(X) X(amend) X(retract) X(restore) X(supersede)
enum amend_action {
#define AMEND_ACTION(name) AMEND_##name,
    AMEND_ACTIONS(AMEND_ACTION)
#undef AMEND_ACTION
        AMEND_ACTION_COUNT
};
extern const char *const amend_action_names[AMEND_ACTION_COUNT];

struct amendment {
    int64_t profile_id;
    enum amend_action action;
    const char *workload, *branch, *commit, *run, *label; /* AMEND_amend; NULL = as it is */
    int64_t successor_id;                                 /* AMEND_supersede */
    const char *reason;
    const char *by;              /* who says so; NULL: the session alone */
    const struct origin *origin; /* of an import; NULL: it is said now */
};

/* Appends one in the caller's transaction; *ret_id is its number ("m3"). A new name takes the place
 * of all that were said before; with another workload the profile goes to the series of that
 * workload that is otherwise the same. ERR_MISSING: no such profile. ERR_INPUT, with the reason:
 * nothing would change, it was retracted or superseded, the workload has these bytes already, a
 * name that cannot be one. */
bool ledger_amend_within(struct db *db, const struct amendment *amendment, struct arena *arena,
                         int64_t *ret_id, struct err *err);

/* The same in a transaction of its own. */
bool ledger_amend(struct db *db, const struct amendment *amendment, struct arena *arena,
                  int64_t *ret_id, struct err *err);

/* What takes a profile's place, and why. by, origin: as in struct amendment. */
struct successor {
    int64_t id;
    const char *reason, *by;
    const struct origin *origin;
};

/* "Profile B counts instead of profile A from now on", in the caller's transaction, in which B was
 * appended: A's branches, commits and labels that B does not have are said of B, too. Both uses are
 * this: the same bytes read in another way, and a capture of which a further host arrived.
 * ERR_INPUT when A was superseded or retracted, or when B is older or of another project or
 * workload. */
bool ledger_supersede_within(struct db *db, int64_t profile_id, const struct successor *successor,
                             struct arena *arena, struct err *err);

#endif
