/* The application's conninfo with another login in it. */
#include "tests/support/worker_logins.h"

#include "tests/support/integrity_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const roles[LOGINS] = {"ingest", "compare", "alert", "read"};

void worker_logins_make(const struct test_database *database, char logins[LOGINS][CONNINFO_BYTES])
{
    const char *user = strstr(database->app, "user=stepledger");
    assert_non_null(user);
    for (size_t i = 0; i < LOGINS; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "CREATE ROLE only_%s LOGIN IN ROLE stepledger_%s",
                       roles[i], roles[i]);
        sql_do(database->admin, text);
        (void)snprintf(logins[i], CONNINFO_BYTES, "%.*suser=only_%s%s", (int)(user - database->app),
                       database->app, roles[i], user + strlen("user=stepledger"));
    }
}

void worker_ledger_make(struct test_database *ret_database, char logins[LOGINS][CONNINFO_BYTES])
{
    test_database_make(ret_database);
    integrity_fill(ret_database);
    worker_logins_make(ret_database, logins);
}

void is_refused(const char *conninfo, const char *statement, const char *sqlstate)
{
    const char *said = sql_refusal(conninfo, statement);
    if (strcmp(said, sqlstate) != 0)
        fail_msg("%s: SQLSTATE \"%s\", not %s", statement, said, sqlstate);
}
