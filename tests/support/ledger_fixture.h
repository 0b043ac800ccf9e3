/* Profiles for tests of the ledger: complete summaries, told apart by a number, and short ways to
 * append and find them. Whatever fails here fails the test. */
#ifndef TESTS_SUPPORT_LEDGER_FIXTURE_H
#define TESTS_SUPPORT_LEDGER_FIXTURE_H

#include "history/lease/service.h"
#include "history/profiles/ledger.h"
#include "tests/support/cluster.h"

/* What a test of the ledger stands in: a ledger of its own, and an arena. */
struct scene {
    struct test_database database;
    struct db *db;
    struct arena arena;
};

/* With so many profiles (p1, p2, ...) of llm/pretrain. */
struct scene *scene_open(int profiles);
void scene_close(struct scene *scene);

/* For cmocka, with no profile; *state is the scene. */
int scene_set_up(void **state);
int scene_tear_down(void **state);

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
