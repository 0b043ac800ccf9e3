/* Builds on the planned summaries of tests/support/summary_fixture.h and fills what only the ledger
 * looks at. */
#include "tests/support/ledger_fixture.h"

#include "ops/runtime/json.h"
#include "tests/support/summary_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEVICES = 4, STEPS = 8, DOCUMENT_BYTES = 64 << 20, SCENE_BYTES = 512 << 20 };

_Noreturn static void give_up(const char *what, const char *why)
{
    (void)fprintf(stderr, "ledger fixture: %s: %s\n", what, why);
    abort();
}

static struct planned_op *ops_make(struct arena *arena, int number, size_t count)
{
    struct planned_op *ops = arena_array(arena, struct planned_op, count);
    for (size_t i = 0; i < count; i++) {
        int of = i == 0 ? number : 0; /* one op is new with each number, the others are known */
        ops[i].signature = arena_printf(arena, "compute|fusion|f32[%zu,%d]|jit(f)/mul", i, of);
        ops[i].name = arena_printf(arena, "fusion.%zu", i);
        ops[i].op_path = i % 2 == 0 ? "jit(f)/mul" : NULL;
        ops[i].us = 1.5;
    }
    return ops;
}

static void v1_fill(struct arena *arena, struct summary *summary, int number)
{
    summary->generated_at_utc = "2026-01-02T03:04:05Z";
    summary->source_path = arena_printf(arena, "runs/%d/host0.xplane.pb", number);
    summary->trace_overview.display_time_unit = "ms";
    summary->trace_overview.duration_basis = "exclusive_duration_per_track";
    summary->time_breakdown.duration_basis = "exclusive_duration_per_track";
    summary->has_semantic_families = true;
}

static void ours_fill(struct arena *arena, struct summary *summary, int number)
{
    static const char *hosts[] = {"host0", "host1"};
    summary->environment.hosts = (struct string_list){hosts, 2};
    summary->source_count = 2;
    summary->sources = arena_array(arena, struct source_file, 2);
    for (size_t i = 0; i < 2; i++)
        summary->sources[i] = (struct source_file){
            .path = arena_printf(arena, "runs/%d/%s.xplane.pb", number, hosts[i]),
            .host = hosts[i],
            .sha256 = summary->trace_provenance.trace_sha256,
            .size_bytes = 1000 + number,
        };
    summary->steps.rows[1].has_period = true;
    summary->steps.rows[1].period_ps = 20000000001;
    if (summary->op_count > 0)
        summary->ops[0].flops = some_f64(1.25e12);
}

struct summary *ledger_summary(struct arena *arena, int number, size_t op_count)
{
    static const struct fact facts[] = {{"batch", "512", "option"},
                                        {"jax_version", "0.4.38", "task_environment"}};
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.trace_sha256 = arena_printf(arena, "%064x", (unsigned)number);
    plan.device_count = DEVICES;
    plan.host_count = 2;
    plan.topology = "2x2";
    plan.steps = STEPS;
    plan.step_sd = 0.01;
    plan.seed = (uint64_t)number + 1;
    plan.ops = ops_make(arena, number, op_count);
    plan.op_count = op_count;
    plan.facts = facts;
    plan.fact_count = 2;
    struct summary *summary = arena_new(arena, struct summary);
    *summary = *summary_make(arena, &plan);
    v1_fill(arena, summary, number);
    ours_fill(arena, summary, number);
    return summary;
}

struct db *ledger_open(const char *conninfo)
{
    struct err err;
    struct db *db;
    if (!db_open(conninfo, &db, &err))
        give_up("open", err.text);
    return db;
}

struct profile_receipt ledger_append(struct db *db, struct arena *arena,
                                     const struct profile_identity *identity, int number)
{
    struct err err;
    struct profile_receipt receipt;
    if (!ledger_append_profile(db, identity, ledger_summary(arena, number, 3), arena, &receipt,
                               &err))
        give_up("append", err.text);
    return receipt;
}

const char *ledger_document(struct arena *arena, const struct summary *summary)
{
    scoped_text text;
    text_init(&text, DOCUMENT_BYTES);
    scoped_json *json = summary_to_json(summary);
    json_print(json, JSON_STYLE_INDENTED, &text);
    return arena_strdup(arena, text_string(&text));
}

const struct state_numbers *state_numbers_of(const struct state_table *table, const char *state)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->items[i].state, state) == 0)
            return &table->items[i];
    fail_msg("%s is no state of the table", state);
    return NULL;
}

struct scene *scene_open(int profiles)
{
    static const struct profile_identity identity = {.project = "llm", .workload = "pretrain"};
    struct scene *scene = calloc(1, sizeof *scene);
    test_database_make(&scene->database);
    scene->db = ledger_open(scene->database.app);
    arena_init(&scene->arena, SCENE_BYTES);
    for (int i = 1; i <= profiles; i++)
        ledger_append(scene->db, &scene->arena, &identity, i);
    return scene;
}

void scene_close(struct scene *scene)
{
    db_close(scene->db);
    arena_done(&scene->arena);
    free(scene);
}

int scene_set_up(void **state)
{
    *state = scene_open(0);
    return 0;
}

int scene_tear_down(void **state)
{
    scene_close(*state);
    return 0;
}
