/* What people call an entry of the ledger, for every command that takes a summary, a profile or a
 * verdict: p12, v4, a run, a label, a commit (7 digits of it are enough). The one resolver.
 *
 * Where a file may stand, one that exists wins, and that is said when it is named like an entry.
 */
#ifndef OPS_CLI_OPERAND_REFERENCE_H
#define OPS_CLI_OPERAND_REFERENCE_H

#include "history/profiles/profiles.h"
#include "ops/cli/cli.h"
#include "schema/documents/verdict.h"

/* Of commands that find profiles by name. The configuration's project and workload count, too. */
#define CLI_REFERENCE_SCOPE \
    CLI_OPTION("project", CLI_TEXT, "P", NULL, \
               "look for names only there (default: configuration)"), \
        CLI_OPTION("workload", CLI_TEXT, "W", NULL, \
                   "look for names only there (default: configuration)")

/* Whose entries are meant; NULL: any project, any workload. Ids mean what they say everywhere. */
struct reference_scope {
    const char *project, *workload;
};
struct reference_scope reference_scope_of(const struct cli *cli);
/* Of a command whose --project is something else: the configuration alone. */
struct reference_scope reference_scope_configured(const struct cli *cli);

/* Whether it is written as an entry is: a letter and a number ("v4"); its number. */
bool reference_is_id(const char *name, char letter, int64_t *ret_id);

/* Opens the ledger for reading, but makes none: ERR_MISSING when there is none yet. what: the name
 * that is looked for, for the message. */
bool reference_connect(struct cli *cli, const char *what, struct db **ret_db, struct err *err);

/* A verdict's sides, each by the id of its newest profile ("p12"), in the arena. */
struct reference_sides {
    const char *before, *after;
};
bool reference_sides(struct cli *cli, int64_t verdict_id, struct arena *arena,
                     struct reference_sides *ret_sides, struct err *err);

/* The verdict that is so called, or the newest on a candidate that the profile so called belongs
 * to, and what people said of it (accepted, beyond), which is logged too.
 */
struct reference_judged {
    int64_t id; /* 0: there is none */
    struct verdict verdict;
};
bool reference_verdict(struct cli *cli, const struct reference_scope *scope, const char *name,
                       struct arena *arena, struct reference_judged *ret_judged, struct err *err);

/* The profiles that are so called, newest first, in the arena; a verdict's id stands for its
 * candidate. ERR_MISSING; ERR_INPUT: the start of several commits. */
bool reference_profiles(struct db *db, const struct reference_scope *scope, const char *name,
                        struct arena *arena, struct id_list *ret_ids, struct err *err);

/* The one profile that is meant, without its document: of several of one workload the newest, which
 * is said. ERR_INPUT when they are of several workloads. */
bool reference_profile(struct db *db, const struct reference_scope *scope, const char *name,
                       struct arena *arena, struct ledger_profile *ret_profile, struct err *err);

/* Warns of a profile that somebody named and that does not count any more. */
void reference_withdrawn_log(const struct ledger_profile *profile, struct arena *arena);

/* Whether a file is meant: one exists, or the name can be nothing else. */
bool reference_is_file(const char *name);

/* Says that the file which is read is so called as an entry of the ledger is. */
void reference_file_log(const char *name);

/* Whether it means a summary, of a file or of the ledger, and no files of a profile. */
bool reference_is_summary(const char *name);

/* The summary that a file holds, or of the profile that it is; or of the profile that is so called.
 * ERR_MISSING, ERR_INPUT naming file, place and member. */
bool reference_summary(struct cli *cli, const struct reference_scope *scope, const char *name,
                       struct arena *arena, struct summary *ret_summary, struct err *err);

#endif
