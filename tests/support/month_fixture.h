/* Ledgers with a past: profiles that are recorded as if it were another day. */
#ifndef TESTS_SUPPORT_MONTH_FIXTURE_H
#define TESTS_SUPPORT_MONTH_FIXTURE_H

#include "tests/support/cluster.h"

/* From now on appends happen on that day ("2026-01-31"), whose month is made; NULL = today again.
 */
void month_pretend(const struct test_database *database, const char *day);

/* Drops the partitions of this month and the next one, as if nobody had made them. */
void months_lose(const struct test_database *database);

#endif
