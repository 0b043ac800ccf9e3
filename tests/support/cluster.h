/* A throw-away PostgreSQL for tests: made in a folder of /tmp, reached by a Unix socket only,
 * stopped and removed when the test program ends, also when it crashes or is killed (a guardian
 * process waits for that).
 *
 * Roles: `admin` is the superuser, `stepledger_owner` owns the schema, `stepledger` is the
 * application. Everything that goes wrong here ends the program with a message; without PostgreSQL
 * it ends with status 77, which counts as skipped.
 */
#ifndef TESTS_SUPPORT_CLUSTER_H
#define TESTS_SUPPORT_CLUSTER_H

#include <stdint.h>

enum { CONNINFO_BYTES = 300 };

/* One database and how to reach it, as each of the roles. */
struct test_database {
    char name[64];
    char app[CONNINFO_BYTES], owner[CONNINFO_BYTES], admin[CONNINFO_BYTES];
};

/* A new database with the schema in it, cloned from one that was migrated once. Starts the cluster
 * on first use. */
void test_database_make(struct test_database *ret_database);

/* A new database without anything, owned by stepledger_owner. */
void test_database_make_empty(struct test_database *ret_database);

/* A copy of a database, to which nobody is connected. */
void test_database_clone(const struct test_database *original, struct test_database *ret_database);

/* Runs SQL text (several statements, no result) or fails the test. */
void sql_do(const char *conninfo, const char *text);

/* The first value of the first row as text, malloc'ed; "" for NULL or no row. Fails the test when
 * the server refuses. */
char *sql_text(const char *conninfo, const char *text);

/* The same as a number. */
int64_t sql_number(const char *conninfo, const char *text);

/* The SQLSTATE with which the server refuses the text, "" when it does not; in a static buffer. */
const char *sql_refusal(const char *conninfo, const char *text);

#endif
