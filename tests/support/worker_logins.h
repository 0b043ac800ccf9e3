/* A login for each role of workers, for tests of what each may do with SQL of its own. */
#ifndef TESTS_SUPPORT_WORKER_LOGINS_H
#define TESTS_SUPPORT_WORKER_LOGINS_H

#include "tests/support/cluster.h"

enum { LOGIN_INGEST, LOGIN_COMPARE, LOGIN_ALERT, LOGIN_READ, LOGINS };

/* Makes only_ingest, only_compare, only_alert and only_read; fills their conninfos. */
void worker_logins_make(const struct test_database *database, char logins[LOGINS][CONNINFO_BYTES]);

/* A database with the ledger of integrity_fill, and those logins to it. */
void worker_ledger_make(struct test_database *ret_database, char logins[LOGINS][CONNINFO_BYTES]);

/* Fails the test unless the server refuses the statement with that SQLSTATE; "": it takes it. */
void is_refused(const char *conninfo, const char *statement, const char *sqlstate);

#endif
