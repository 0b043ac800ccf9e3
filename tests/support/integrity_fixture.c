/* Fills the ledger through its own functions only. */
#include "tests/support/integrity_fixture.h"

#include "history/lease/outbox.h"
#include "history/profiles/ledger.h"
#include "history/verdicts/verdicts.h"
#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void profiles_append(struct db *db, struct arena *arena)
{
    struct profile_identity identity = {
        .project = "llm", .workload = "pretrain", .branch = "main", .commit = "abc"};
    for (int number = 1; number <= 3; number++)
        (void)ledger_append(db, arena, &identity, number);
    identity.workload = "finetune";
    (void)ledger_append(db, arena, &identity, 4);
    identity.workload = "pretrain";
    identity.label = "good";
    assert_true(ledger_append(db, arena, &identity, 1).duplicate);
}

static void verdict_append(struct db *db, struct err *err)
{
    static const char *baseline[] = {"p1", "p2"}, *candidate[] = {"p3"};
    const struct verdict verdict = {
        .schema_version = "verdict.v1",
        .project = "llm",
        .workload = "pretrain",
        .status = VERDICT_FAIL,
        .rule_id = "step_median",
        .rule_version = 1,
        .baseline.profile_ids = {baseline, 2},
        .candidate.profile_ids = {candidate, 1},
    };
    const struct outbox_message message = {.destination = "ci",
                                           .order_key = "llm/pretrain",
                                           .dedupe_key = "v1",
                                           .content_type = "application/json",
                                           .body = "{}",
                                           .body_length = 2};
    struct verdict_entry entry = {
        .verdict = &verdict, .document = "{}", .messages = &message, .message_count = 1};
    assert_true(ledger_reserve_verdict(db, &entry.id, err));
    if (!ledger_append_verdict(db, &entry, err))
        fail_msg("%s", err->text);
}

static void delivery_append(struct db *db, struct arena *arena, struct err *err)
{
    enum { LEASE_MS = 60000 };
    bool found;
    struct outbox_item item;
    const struct outbox_success success = {.http_status = 200};
    assert_true(outbox_claim(db, LEASE_MS, arena, &item, &found, err));
    if (found && !outbox_delivered(db, &item, &success, err))
        fail_msg("%s", err->text);
}

void integrity_fill(const struct test_database *database)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    scoped_db *db = ledger_open(database->app);
    profiles_append(db, &arena);
    verdict_append(db, &err);
    delivery_append(db, &arena, &err);
}

struct checkpoint integrity_checkpoint(const struct test_database *database, struct arena *arena)
{
    bool fresh;
    struct err err = {0};
    struct checkpoint checkpoint;
    scoped_db *db = ledger_open(database->app);
    if (!checkpoint_append(db, NULL, arena, &checkpoint, &fresh, &err))
        fail_msg("%s", err.text);
    return checkpoint;
}

struct verify_report *integrity_verify(const struct test_database *database,
                                       const struct checkpoint *against, struct arena *arena)
{
    struct err err = {0};
    struct verify_report *report;
    scoped_db *db = ledger_open(database->app);
    const struct verify_against kept = {against, against != NULL};
    if (!ledger_verify(db, &kept, arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

void integrity_assert_clean(const struct verify_report *report)
{
    if (report->finding_count == 0)
        return;
    const struct verify_finding *first = &report->findings[0];
    fail_msg("%d findings, the first: %s %d %s: %s", (int)report->finding_count,
             first->chain == NULL ? "-" : first->chain, (int)first->position,
             first->entry == NULL ? "-" : first->entry, first->what);
}

void integrity_assert_ledger(const struct test_database *database)
{
    scoped_arena arena;
    arena_init(&arena, (size_t)64 << 20);
    integrity_assert_clean(integrity_verify(database, NULL, &arena));
}
