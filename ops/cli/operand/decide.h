/* What the commands share with which people decide: a verdict by its name, a reason. */
#ifndef OPS_CLI_OPERAND_DECIDE_H
#define OPS_CLI_OPERAND_DECIDE_H

#include "history/alert/alert.h"
#include "history/db.h"
#include "ops/cli/cli.h"
#include "schema/documents/verdict.h"

/* --reason, without blanks around it. ERR_USAGE when there is none, or it is too long. */
bool decide_reason(struct cli *cli, const char **ret_reason, struct err *err);

/* The verdict that an operand names ("v7"). ERR_USAGE, ERR_MISSING. */
bool decide_verdict(struct cli *cli, struct db *db, const char *name, int64_t *ret_id,
                    struct verdict *ret_verdict, struct err *err);

/* Logs why a verdict that fails does not fail its change, or does though it was accepted, whatever
 * a format has room for. id: "v7". */
void decide_log(const struct acceptance *acceptance, const char *id, const struct verdict *verdict);

/* Logs that the verdict ("v4") rests on profiles that were retracted, as verdict_retraction says;
 * why NULL: on none. */
void decide_log_retracted(const char *id, const char *why);

/* Who decides, as the operating system knows the caller; NULL when it does not. */
const char *decide_person(struct cli *cli);

#define CLI_REASON CLI_OPTION("reason", CLI_TEXT, "TEXT", NULL, "why, for those who ask later")

#endif
