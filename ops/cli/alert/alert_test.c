/* stepledger alert test: one message, sent at once, past the outbox. */
#include "alerts/channels.h"
#include "ops/cli/cli.h"
#include "ops/cli/alert/alert_actions.h"
#include "ops/runtime/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static bool test_send(const struct cli *cli, const struct destination *to, struct arena *arena,
                      struct delivery *ret_delivery, struct err *err)
{
    const struct channel *channel;
    struct message message;
    char id[64];
    /* What a message of any kind of destination can be made of. */
    struct verdict sample = (struct verdict){
        .project = "stepledger",
        .workload = "test",
        .status = VERDICT_PASS,
        .evidence_sha256 = "test",
        .candidate = {.branch = cli_text(cli, "branch"), .commit = cli_text(cli, "commit")},
    };
    struct notice notice = {.headline = "a test message: this destination works"};
    if (!channel_find(to->kind, &channel, err))
        return false;
    if (channel->shows_state || channel->keeps_record)
        notice = (struct notice){.verdict = &sample, .details = notice.headline};
    if (channel->takes != NULL && !channel->takes(&notice, to))
        return err_set(err, ERR_USAGE,
                       "destination '%s' is of kind %s: name what it writes to with --commit SHA "
                       "or --branch pull/NUMBER",
                       to->name, to->kind);
    (void)snprintf(id, sizeof id, "test-%" PRId64 "-%d", clock_wall_us(), (int)getpid());
    if (!message_build(&notice, to, arena, &message, err))
        return false;
    const struct delivery_request request = {.content_type = message.content_type,
                                             .body = message.body,
                                             .body_length = message.length,
                                             .message_id = id,
                                             .wall_us = clock_wall_us(),
                                             .created_us = clock_wall_us()};
    return deliver(to, &request, arena, ret_delivery, err);
}

struct tested {
    const char *destination, *outcome, *remote_ref, *note;
    int http_status;
};

static const struct member tested_members[] = {
    M_FIELDS(tested, destination, outcome, remote_ref, note, http_status),
};
static const struct record tested_record = RECORD_OF(tested, tested_members);

bool alert_action_test(struct cli *cli, struct db *db, struct err *err)
{
    (void)db;
    scoped_arena arena;
    struct destination to;
    struct delivery delivery = {0};
    arena_init_within(&arena, cli->memory);
    if (!alert_operands_expect(cli, 1, "the name of a destination", err) ||
        !destination_find(&cli->conf, cli->operands[1], &arena, &to, err) ||
        !test_send(cli, &to, &arena, &delivery, err))
        return false;
    if (delivery.class != DELIVERY_DONE)
        return err_set(err, ERR_UNAVAILABLE, "destination '%s' (%s): %s", to.name,
                       delivery_class_names[delivery.class], delivery.reason);
    const struct tested tested = {to.name, "done", delivery.remote_ref, delivery.reason,
                                  delivery.http_status};
    return record_emit(&tested_record, &tested, err);
}
