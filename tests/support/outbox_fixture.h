/* Messages that verdicts bring into the outbox of a ledger with three profiles (scene_open).
 * Whatever fails here fails the test. */
#ifndef TESTS_SUPPORT_OUTBOX_FIXTURE_H
#define TESTS_SUPPORT_OUTBOX_FIXTURE_H

#include "history/lease/outbox.h"
#include "history/lease/outbox_enqueue.h"
#include "history/profiles/ledger.h"
#include "tests/support/ledger_fixture.h"

enum { LEASE_MS = 60000 };

/* A failing verdict on p3 against p1 and p2. The ids of its candidate may be changed by a test. */
extern const char *candidate_ids[1];
struct verdict verdict_make(void);

/* A message of three bytes. */
struct outbox_message message_make(const char *destination, const char *order, const char *dedupe);

/* Records a verdict with these messages; returns its id. */
int64_t tell(struct scene *scene, const struct outbox_message *messages, size_t count);

/* Claims a message; there must be one that is due, or none, as expected. */
struct outbox_item claim(struct scene *scene, bool expected);

/* Ends of an attempt: as outbox_retry, outbox_delivered and outbox_dead. */
bool retried(struct scene *scene, const struct outbox_item *item, int64_t delay_ms, int http_status,
             const char *reason);
bool delivered(struct scene *scene, const struct outbox_item *item, int http_status,
               const char *remote_ref, struct err *err);
bool died(struct scene *scene, const struct outbox_item *item, int refusals, const char *reason);

#endif
