/* Summaries, verdicts and reports read from documents below tests/golden. */
#ifndef TESTS_SUPPORT_DOCUMENT_FIXTURE_H
#define TESTS_SUPPORT_DOCUMENT_FIXTURE_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"
#include "schema/documents/trend_report.h"
#include "schema/documents/verdict.h"

/* Prepare the arena and fill the struct in it, or fail the running test. */
void document_summary(const char *name, struct arena *arena, struct summary *ret_summary);
void document_verdict(const char *name, struct arena *arena, struct verdict *ret_verdict);
void document_report(const char *name, struct arena *arena, struct trend_report *ret_report);

#endif
