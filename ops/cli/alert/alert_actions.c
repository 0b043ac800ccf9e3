/* What the actions share, retrying, and the graph of states. */
#include "ops/cli/alert/alert_actions.h"

#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "ops/flow/tell/tell.h"

#include <inttypes.h>
#include <string.h>

enum { DOCUMENT_MAX_BYTES = 16 << 20 };

bool alert_operands_expect(const struct cli *cli, size_t count, const char *what, struct err *err)
{
    size_t given = cli->operand_count - 1;
    if (given == count)
        return true;
    if (given > count)
        return err_set(err, ERR_USAGE, "alert %s: unexpected operand '%s'", cli->operands[0],
                       cli->operands[count + 1]);
    return err_set(err, ERR_USAGE, "alert %s: %s is missing", cli->operands[0], what);
}

bool alert_number_read(const char *text, int64_t *ret_id, struct err *err)
{
    return (text_parse_i64(text, ret_id) && *ret_id > 0) ||
           err_set(err, ERR_USAGE, "'%s' is no number of a message", text);
}

/* ---- graph ---------------------------------------------------------------------------------- */

bool alert_action_graph(struct cli *cli, struct db *db, struct err *err)
{
    (void)db;
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (!alert_operands_expect(cli, 0, "", err))
        return false;
    text_addf(&out, "alerts\n%-13s %-13s %-12s %s\n", "from", "to", "action", "when");
    for (size_t i = 0; i < alert_transition_count; i++) {
        const struct alert_transition *move = &alert_transitions[i];
        text_addf(&out, "%-13s %-13s %-12s %s\n", alert_state_names[move->from],
                  alert_state_names[move->to], alert_action_names[move->action], move->when);
    }
    text_addf(&out, "\nmessages\n%-11s %-11s %-17s %s\n", "from", "to", "action", "when");
    for (size_t i = 0; i < outbox_move_count; i++) {
        const struct state_move *move = &outbox_moves[i];
        text_addf(&out, "%-11s %-11s %-17s %s\n", outbox_state_names[move->from],
                  outbox_state_names[move->to], move->action, move->when);
    }
    text_addf(&out,
              "\nretries: after attempt n a wait of 0 to min(%" PRId64 " ms, %" PRId64
              " ms * 2^n), never less than the receiver asks for;\n"
              "at most %" PRId64 " attempts; chat 24 h, states of commits 6 h after the verdict.\n"
              "A destination that refuses %d times in a row (credential, address), says that it is "
              "gone,\nor takes nothing for 5 days is disabled for an hour, then for twice as long, "
              "at most a day;\nthen one message is tried. `alert retry DESTINATION` opens it at "
              "once.\nFinished messages are removed after %" PRId64
              " days, those of open alerts after a year; their receipts stay.\n",
              conf_int(&cli->conf, CONF_delivery_cap_ms),
              conf_int(&cli->conf, CONF_delivery_base_ms),
              conf_int(&cli->conf, CONF_delivery_attempts), OUTBOX_REFUSALS_MAX,
              conf_int(&cli->conf, CONF_outbox_keep_days));
    return text_ok(&out, "the graph", err) && cli_write(out.data, out.length, err);
}

/* ---- retry ---------------------------------------------------------------------------------- */

/* Whether each message that was named is on its way. */
static bool named_are_sent(const struct outbox_ids *named, const struct revival_list *list,
                           struct err *err)
{
    for (size_t i = 0; i < named->count; i++) {
        const struct revival *found = NULL;
        for (size_t j = 0; j < list->count; j++)
            if (list->items[j].id == named->items[i])
                found = &list->items[j];
        if (found == NULL)
            return err_set(err, ERR_MISSING,
                           "message %" PRId64 " is not dead (`alert list` shows messages)",
                           named->items[i]);
        if (found->why[0] != '\0')
            return err_set(err, ERR_INPUT, "message %" PRId64 " is not sent: %s", found->id,
                           found->why);
    }
    return true;
}

bool alert_action_retry(struct cli *cli, struct db *db, struct err *err)
{
    size_t count = cli->operand_count - 1;
    struct outbox_selection chosen = {{arena_array(&cli->arena, int64_t, count), count}, NULL};
    struct revival_list list;
    if ((count == 0) != cli_given(cli, "all"))
        return err_set(
            err, ERR_USAGE,
            "alert retry: name messages by their numbers, or a destination, or say --all");
    if (count == 1 && cli->operands[1][strspn(cli->operands[1], "0123456789")] != '\0') {
        chosen = (struct outbox_selection){.destination = cli->operands[1]};
        if (!destination_reopen(db, chosen.destination, err))
            return false;
    }
    for (size_t i = 0; i < chosen.ids.count; i++)
        if (!alert_number_read(cli->operands[i + 1], &chosen.ids.items[i], err))
            return false;
    if (!notify_revive(db, &cli->conf, &chosen, &cli->arena, &list, err))
        return false;
    scoped_json *messages = json_array(), *kept = json_array();
    for (size_t i = 0; i < list.count; i++) {
        const struct revival *revival = &list.items[i];
        if (revival->why[0] == '\0')
            (void)json_array_append_new(messages, json_integer((json_int_t)revival->id));
        else
            (void)json_array_append_new(kept,
                                        json_pack("{s:I, s:o}", "message", (json_int_t)revival->id,
                                                  "why", json_text(revival->why)));
    }
    json_t *document = json_pack("{s:o, s:O, s:O}", "destination", json_text(chosen.destination),
                                 "messages", messages, "not_sent", kept);
    if (!document_print(NULL, document, err))
        return false;
    return named_are_sent(&chosen.ids, &list, err);
}
