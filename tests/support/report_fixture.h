/* Reports of trends in tests: kept in a ledger, made again, and what their pages say. */
#ifndef TESTS_SUPPORT_REPORT_FIXTURE_H
#define TESTS_SUPPORT_REPORT_FIXTURE_H

#include "schema/documents/trend_report.h"
#include "tests/support/ledger_fixture.h"

/* Records it in a transaction of its own; it must be new. */
void report_keep(struct scene *scene, struct trend_report *report);

/* Its JSON form, in the scene's arena. */
const char *report_bytes(struct scene *scene, const struct trend_report *report);

/* Fails unless it is the same to the byte, but for canaries, when it is made from the ledger once
 * more. */
void report_assert_same_again(struct scene *scene, const struct trend_report *report);

/* Fails unless its text, Markdown and HTML hold the words. */
void report_assert_says(const struct trend_report *report, const char *words);

#endif
