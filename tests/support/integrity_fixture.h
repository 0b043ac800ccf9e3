/* A small ledger with an entry of every kind, for tests of its integrity. */
#ifndef TESTS_SUPPORT_INTEGRITY_FIXTURE_H
#define TESTS_SUPPORT_INTEGRITY_FIXTURE_H

#include "history/verify/checkpoints.h"
#include "history/verify/verify.h"
#include "tests/support/cluster.h"

/* Profiles p1 to p3 of "pretrain" (chain s1), p4 of "finetune" (s2), a second event of p1 (e5), a
 * verdict of p3 (v1) with one message, which was delivered (d1). */
void integrity_fill(const struct test_database *database);

/* Takes a checkpoint; it lives in the arena. */
struct checkpoint integrity_checkpoint(const struct test_database *database, struct arena *arena);

/* Verifies; the report lives in the arena. */
struct verify_report *integrity_verify(const struct test_database *database,
                                       const struct checkpoint *against, struct arena *arena);

/* Fails the test when there is any finding, and shows the first. */
void integrity_assert_clean(const struct verify_report *report);
/* The same of the ledger as it stands. */
void integrity_assert_ledger(const struct test_database *database);

#endif
