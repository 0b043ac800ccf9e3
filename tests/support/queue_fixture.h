/* Jobs for tests of the queue: short ways to add, claim, fail and store. Whatever fails here ends
 * the test program. */
#ifndef TESTS_SUPPORT_QUEUE_FIXTURE_H
#define TESTS_SUPPORT_QUEUE_FIXTURE_H

#include "history/lease/queue_admin.h"
#include "tests/support/cluster.h"

enum { QUEUE_LEASE_MS = 60000 };

/* A database of its own, and a connection to it. */
struct queue_scene {
    struct test_database database;
    struct db *db;
    struct arena arena;
};

/* The files of queue_entry_make: one to be read from its path, one with its bytes. */
extern const struct queue_file queue_fixture_files[2];

/* A job of project llm, workload pretrain, with 3 attempts. */
struct queue_entry queue_entry_make(const char *dedupe_key);

/* Makes the scene; free with queue_scene_free. */
struct queue_scene *queue_scene_new(void);
/* Closes the connection. */
void queue_scene_free(struct queue_scene *scene);

/* Adds; the job's number, 0 when its dedupe key was known. */
int64_t queue_scene_add(struct queue_scene *scene, const struct queue_entry *entry);

/* Adds queue_entry_make(NULL). */
int64_t queue_scene_add_one(struct queue_scene *scene);

/* Claims as "host:1"; *ret_found says whether there was one. */
struct queue_job queue_scene_claim(struct queue_scene *scene, bool *ret_found);

/* Ends an attempt that failed ("killed by signal 11", kind crash); true when it was set aside. */
bool queue_scene_fail(struct queue_scene *scene, const struct queue_job *job,
                      enum queue_ending ending);

/* queue_store of ledger_summary(number); *err is cleared before. */
bool queue_scene_store(struct queue_scene *scene, const struct queue_job *job, int number,
                       struct profile_receipt *ret_receipt, struct err *err);

/* The first value of a query, as the superuser. */
int64_t queue_scene_number(const struct queue_scene *scene, const char *text);

#endif
