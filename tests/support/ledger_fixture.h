/* Profiles for tests of the ledger: complete summaries, told apart by a number, and short ways to
 * append and find them. Whatever fails here fails the test. */
#ifndef TESTS_SUPPORT_LEDGER_FIXTURE_H
#define TESTS_SUPPORT_LEDGER_FIXTURE_H

#include "history/lease/service.h"
#include "history/profiles/ledger.h"

/* A summary with every table filled: 2 hosts, 4 devices, 8 steps, ops, facts; the trace hash and
 * one op are of this number. Lives in the arena. */
struct summary *ledger_summary(struct arena *arena, int number, size_t op_count);

/* Opens the ledger. */
struct db *ledger_open(const char *conninfo);

/* Appends ledger_summary(number) with 3 ops. */
struct profile_receipt ledger_append(struct db *db, struct arena *arena,
                                     const struct profile_identity *identity, int number);

/* The numbers of a state, which must be one of the table's. */
const struct state_numbers *state_numbers_of(const struct state_table *table, const char *state);

/* The document that stands for a summary. */
const char *ledger_document(struct arena *arena, const struct summary *summary);

#endif
