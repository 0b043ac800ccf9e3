/* What `stepledger alert` can do: one function per action, called with the action as first operand.
 * Each prints its document. db is NULL where the action needs none. */
#ifndef OPS_CLI_ALERT_ALERT_ACTIONS_H
#define OPS_CLI_ALERT_ALERT_ACTIONS_H

#include "history/db.h"
#include "ops/cli/cli.h"

#include <jansson.h>

/* Alerts with their state, destinations that take nothing, messages. */
bool alert_action_list(struct cli *cli, struct db *db, struct err *err);
/* One message with its bytes and what became of each attempt. ERR_MISSING. */
bool alert_action_show(struct cli *cli, struct db *db, struct err *err);
/* Sends a test message at once. ERR_UNAVAILABLE: it was not delivered. */
bool alert_action_test(struct cli *cli, struct db *db, struct err *err);
/* Dead messages get all their attempts again. ERR_MISSING: one that is named is not dead;
 * ERR_INPUT: it is no longer true. */
bool alert_action_retry(struct cli *cli, struct db *db, struct err *err);
/* The states of messages and of alerts. */
bool alert_action_graph(struct cli *cli, struct db *db, struct err *err);

/* What people say about one alert, by the name of its action: "l12" or the verdict "v7".
 * ERR_MISSING: there is none; ERR_INPUT: it cannot be done in its state. silence without an
 * operand: of a project. */
bool alert_action_respond(struct cli *cli, struct db *db, struct err *err);

/* ---- what the actions share ---- */

/* ERR_USAGE unless as many operands follow the action; what: the first one that is missing. */
bool alert_operands_expect(const struct cli *cli, size_t count, const char *what, struct err *err);
/* The number of a message. ERR_USAGE. */
bool alert_number_read(const char *text, int64_t *ret_id, struct err *err);

#endif
