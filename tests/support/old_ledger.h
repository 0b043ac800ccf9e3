/* Ledgers as earlier versions left them: NAME.sql.gz of tests/db/fixtures, plain SQL of pg_dump
 * --inserts without its meta commands. */
#ifndef TESTS_SUPPORT_OLD_LEDGER_H
#define TESTS_SUPPORT_OLD_LEDGER_H

#include "history/migrate/migrate.h"
#include "tests/support/cluster.h"

/* A database of its own with that dump in it ("0.1"). */
void old_ledger_load(const char *name, struct test_database *ret_database);

/* Migrates it as its owner; fails the test when that fails. */
struct migration_report old_ledger_migrate(const struct test_database *database);

#endif
