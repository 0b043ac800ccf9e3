/* Implements the year of runs. */
#include "tests/support/year_fixture.h"

#include "history/profiles/profiles.h"
#include "ops/flow/reports/reports.h"
#include "ops/runtime/clock.h"
#include "tests/support/summary_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double usual_step_us = 10000;
enum { OPS = 3, SUMMARY_BYTES = 16 << 20 };

void year_commit(int day, char out[41])
{
    (void)snprintf(out, 41, "%08x%032x", day, day);
}

static double drift_of(const struct year_plan *plan, int day)
{
    int length = plan->drift_until - plan->drift_from, passed = day - plan->drift_from;
    if (length <= 0 || passed <= 0)
        return 0;
    return plan->drift_us * (passed < length ? passed : length) / length;
}

/* Ops that tell what they work on. */
static const struct summary *rows_tell(const struct summary *summary, struct arena *arena,
                                       const struct year_plan *plan, int day)
{
    int rows = day >= plan->rows_from ? 17 : 16;
    for (size_t i = 0; i < summary->op_count && plan->rows_from > 0; i++) {
        struct op_row *op = &summary->ops[i];
        op->shape_signature = arena_printf(arena, "(bf16[%d,1024,2048])", rows);
        op->signature = arena_printf(arena, "%s|%s", op->signature, op->shape_signature);
        assert_true(op->signature != NULL && op->shape_signature != NULL);
        if (plan->knows_flops)
            op->flops = some_f64(1e9 * rows * (double)op->count);
    }
    return summary;
}

/* What a document needs that is read again. */
static void document_fill(struct summary *summary, struct arena *arena, const char *run)
{
    summary->source_path = arena_printf(arena, "%s.xplane.pb", run);
    summary->trace_overview.display_time_unit = "ms";
    summary->trace_overview.duration_basis = "exclusive_duration_per_track";
    summary->time_breakdown.duration_basis = "exclusive_duration_per_track";
}

/* Fills the ops of a day; how long its step takes, µs. */
static double ops_of_day(const struct year_plan *plan, int day, uint64_t *state,
                         struct planned_op ops[OPS])
{
    static const struct planned_op usual[OPS] = {
        {"sig-fusion.1", "fusion.1", "jit(step)/fusion", 6000},
        {"sig-fusion.2", "fusion.2", "jit(step)/loss", 2500},
        {"sig-copy.3", "copy.3", "jit(step)/copy", 1000}};
    double step = 500 - plan->beside_us, factor = 1 + plan->sd * fixture_normal(state);
    for (int i = 0; i < OPS; i++) {
        ops[i] = usual[i];
        for (int c = 0; c < plan->change_count; c++)
            if (day >= plan->changes[c].day && strcmp(plan->changes[c].op, ops[i].name) == 0)
                ops[i].us += plan->changes[c].us;
        if (i == OPS - 1)
            ops[i].us += drift_of(plan, day);
        ops[i].us *= factor;
        step += ops[i].us;
    }
    return step;
}

static void day_append(struct db *db, struct arena *arena, const struct year_plan *plan, int nth)
{
    int day = plan->taken_in != NULL ? plan->taken_in[nth] : nth;
    uint64_t state = plan->seed * 1000003 + (uint64_t)day;
    struct planned_op ops[OPS];
    double step = ops_of_day(plan, day, &state, ops);
    char commit[41], run[16], sha256[65];
    char captured_at[CLOCK_ISO_BYTES];
    clock_iso(YEAR_FIRST_US + (day - plan->captured_before) * YEAR_DAY_US, captured_at);
    struct fact facts[] = {
        {.name = "batch",
         .value = plan->batch_from > 0 && day >= plan->batch_from ? "32" : "16",
         .source = "option"},
        {.name = "captured_at", .value = captured_at, .source = "option"},
    };
    struct summary_plan made;
    summary_plan_default(&made);
    year_commit(plan->one_commit ? 0 : day, commit);
    (void)snprintf(run, sizeof run, "day-%d", day);
    (void)snprintf(sha256, sizeof sha256, "%032x%016x%016llx", day,
                   (unsigned)strlen(plan->workload) * 31u + (unsigned char)plan->workload[0],
                   (unsigned long long)plan->seed);
    made.trace_sha256 = sha256;
    made.step_us = step;
    made.steps = 4;
    made.device_count = plan->devices_from > 0 && day >= plan->devices_from ? 2 : 1;
    made.seed = state;
    made.ops = ops;
    made.op_count = OPS;
    made.facts = facts;
    made.fact_count = plan->captured_before > 0 ? 2 : 1;
    char recorded_at[CLOCK_ISO_BYTES];
    clock_iso(YEAR_FIRST_US + nth * YEAR_DAY_US, recorded_at);
    bool is_topic = plan->topic_from > 0 && day >= plan->topic_from;
    const struct origin origin = {.recorded_at_utc = recorded_at, .by = "nightly"};
    const struct profile_identity identity = {.project = plan->project,
                                              .workload = plan->workload,
                                              .branch = is_topic ? "topic" : "main",
                                              .commit = commit,
                                              .run = run,
                                              .origin = &origin};
    struct profile_receipt receipt;
    struct err err = {0};
    struct summary summary = *rows_tell(summary_make(arena, &made), arena, plan, day);
    document_fill(&summary, arena, run);
    struct summary_figure mfu = {.measure = "mfu",
                                 .unit = "share",
                                 .value = some_f64(plan->mfu * usual_step_us / step),
                                 .of = "model flops as planned"};
    if (plan->mfu > 0) {
        summary.has_figures = true;
        summary.figures = &mfu;
        summary.figure_count = 1;
    }
    if (!ledger_append_profile_within(db, &identity, &summary, arena, &receipt, &err))
        fail_msg("day %d: %s", day, err.text);
}

void year_append(struct db *db, struct arena *arena, const struct year_plan *plan)
{
    struct err err = {0};
    for (int nth = 0; nth < plan->days; nth++) {
        struct arena_mark mark = arena_mark(arena);
        if (nth % 50 == 0)
            assert_true(db_begin(db, &err));
        day_append(db, arena, plan, nth);
        if (nth % 50 == 49 || nth + 1 == plan->days)
            assert_true(db_commit(db, &err));
        arena_rewind(arena, mark);
    }
}

struct trend_report year_report(struct db *db, struct arena *arena,
                                const struct year_window *window)
{
    struct err err = {0};
    struct trend_report report;
    const struct report_request request = {.project = window->project,
                                           .branch = "main",
                                           .measure = "steady_step_median",
                                           .since_us = YEAR_FIRST_US + window->from * YEAR_DAY_US,
                                           .until_us = YEAR_FIRST_US + window->until * YEAR_DAY_US,
                                           .made_us = YEAR_FIRST_US + window->made * YEAR_DAY_US};
    if (!report_make(db, &request, arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}
