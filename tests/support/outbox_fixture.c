/* Implements verdicts, their messages, and ends of attempts. */
#include "tests/support/outbox_fixture.h"

#include "history/verdicts/verdicts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *baseline_ids[] = {"p1", "p2"};
const char *candidate_ids[1] = {"p3"};

bool retried(struct scene *scene, const struct outbox_item *item, int64_t delay_ms, int http_status,
             const char *reason)
{
    struct err err = {0};
    bool dead;
    const struct outbox_failure failure = {.delay_ms = delay_ms,
                                           .http_status = http_status,
                                           .reason = reason,
                                           .pause = http_status == 429};
    return outbox_retry(scene->db, item, &failure, &dead, &err);
}

bool delivered(struct scene *scene, const struct outbox_item *item, int http_status,
               const char *remote_ref, struct err *err)
{
    const struct outbox_success success = {http_status, remote_ref, 0};
    return outbox_delivered(scene->db, item, &success, err);
}

bool died(struct scene *scene, const struct outbox_item *item, int refusals, const char *reason)
{
    const struct outbox_failure failure = {
        .http_status = 400, .reason = reason, .refusals = refusals};
    return outbox_dead(scene->db, item, &failure, NULL);
}

struct verdict verdict_make(void)
{
    return (struct verdict){
        .schema_version = "verdict.v1",
        .project = "llm",
        .workload = "pretrain",
        .status = VERDICT_FAIL,
        .rule_id = "step_median",
        .rule_version = 1,
        .baseline.profile_ids = {baseline_ids, 2},
        .candidate.profile_ids = {candidate_ids, 1},
        .evidence_sha256 = "0000000000000000000000000000000000000000000000000000000000000001",
    };
}

struct outbox_message message_make(const char *destination, const char *order, const char *dedupe)
{
    return (struct outbox_message){.destination = destination,
                                   .order_key = order,
                                   .dedupe_key = dedupe,
                                   .content_type = "application/json",
                                   .body = "a\0b",
                                   .body_length = 3};
}

int64_t tell(struct scene *scene, const struct outbox_message *messages, size_t count)
{
    struct err err = {0};
    struct verdict verdict = verdict_make();
    struct verdict_entry entry = {.verdict = &verdict,
                                  .document = "{\"status\": \"fail\"}",
                                  .messages = messages,
                                  .message_count = count};
    if (!ledger_reserve_verdict(scene->db, &entry.id, &err) ||
        !ledger_append_verdict(scene->db, &entry, &err))
        fail_msg("%s", err.text);
    return entry.id;
}

struct outbox_item claim(struct scene *scene, bool expected)
{
    struct err err = {0};
    struct outbox_item item = {0};
    bool found;
    if (!outbox_claim(scene->db, LEASE_MS, &scene->arena, &item, &found, &err))
        fail_msg("%s", err.text);
    assert_int_equal(found, expected);
    return item;
}
