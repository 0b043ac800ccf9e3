/* Thin wrappers of history/lease/queue.h that give up on errors. */
#include "tests/support/queue_fixture.h"

#include "tests/support/ledger_fixture.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn static void give_up(const char *what, const struct err *err)
{
    (void)fprintf(stderr, "queue fixture: %s: %s\n", what, err->text);
    abort();
}

const struct queue_file queue_fixture_files[2] = {{.path = "/runs/1/host0.xplane.pb"},
                                                  {"/runs/1/memory.prof", "a\0b", 3, FILE_MEMORY}};

struct queue_entry queue_entry_make(const char *dedupe_key)
{
    return (struct queue_entry){
        .identity = {.project = "llm", .workload = "pretrain", .branch = "main", .run = "run-7"},
        .path = "/runs/1",
        .options = "{}",
        .dedupe_key = dedupe_key,
        .max_attempts = 3,
        .files = queue_fixture_files,
        .file_count = 2,
    };
}

struct queue_scene *queue_scene_new(void)
{
    struct queue_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL)
        abort();
    test_database_make(&scene->database);
    scene->db = ledger_open(scene->database.app);
    arena_init(&scene->arena, 64 << 20);
    return scene;
}

void queue_scene_free(struct queue_scene *scene)
{
    db_close(scene->db);
    arena_done(&scene->arena);
    free(scene);
}

int64_t queue_scene_add(struct queue_scene *scene, const struct queue_entry *entry)
{
    int64_t id;
    struct err err = {0};
    if (!queue_add(scene->db, entry, &id, &err))
        give_up("add", &err);
    return id;
}

int64_t queue_scene_add_one(struct queue_scene *scene)
{
    const struct queue_entry entry = queue_entry_make(NULL);
    return queue_scene_add(scene, &entry);
}

struct queue_job queue_scene_claim(struct queue_scene *scene, bool *ret_found)
{
    struct err err = {0};
    struct queue_job job = {0};
    const struct queue_lease lease = {"host:1", QUEUE_LEASE_MS};
    if (!queue_claim(scene->db, &lease, &scene->arena, &job, ret_found, &err))
        give_up("claim", &err);
    return job;
}

bool queue_scene_fail(struct queue_scene *scene, const struct queue_job *job,
                      enum queue_ending ending)
{
    bool aside;
    struct err err = {0};
    const struct queue_failure failure = {
        .ending = ending, .kind = "crash", .text = "killed by signal 11"};
    if (!queue_fail(scene->db, job, &failure, &aside, &err))
        give_up("fail", &err);
    return aside;
}

bool queue_scene_store(struct queue_scene *scene, const struct queue_job *job, int number,
                       struct profile_receipt *ret_receipt, struct err *err)
{
    struct db *db = scene->db;
    struct profile_receipt receipt;
    const struct summary *summary = ledger_summary(&scene->arena, number, 3);
    scoped_transaction *open = NULL;
    *err = (struct err){0};
    if (!transaction_open(db, &open, err) || !queue_store_begin(db, job, err) ||
        !ledger_append_profile_within(db, &job->identity, summary, &scene->arena, &receipt, err) ||
        !queue_store_end(db, job, &receipt, NULL, err) || !transaction_close(&open, err))
        return false;
    *ret_receipt = receipt;
    return true;
}

int64_t queue_scene_number(const struct queue_scene *scene, const char *text)
{
    return sql_number(scene->database.admin, text);
}
