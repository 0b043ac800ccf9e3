/* How often the gate is right when its runs come out of the ledger, and whether the way through the
 * ledger changes any verdict.
 *
 * The draws of gate_accuracy.c, each a workload of its own in a real database: appended run by run,
 * found again as the last runs of a branch, judged. Prints the rates with their standard errors;
 * exits 1 when an A/A pair fails more often than two standard errors above 1 %, or when a verdict
 * differs from the one on the same runs in memory. DRAWS=n sets the number (default 40).
 */
#include "history/profiles/ledger.h"
#include "tests/support/cluster.h"
#include "tests/support/draws_asked.h"
#include "tests/support/gate_draws.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_DRAWS = 40, RUNS = 3 };

static struct db *db;
static long trace_count;

static void stop_unless(bool done, const struct err *err)
{
    if (done)
        return;
    (void)fprintf(stderr, "ledger_accuracy: %s\n", err->text);
    exit(1);
}

/* A trace of its own for each profile: the ledger knows bytes again. */
static void side_append(struct draw *draw, const struct gate_profile *profiles, size_t count,
                        const struct profile_identity *identity)
{
    struct err err = {0};
    for (size_t i = 0; i < count; i++) {
        struct summary summary = *profiles[i].summary;
        struct profile_receipt receipt;
        summary.trace_provenance.trace_sha256 = arena_printf(&draw->arena, "%064ld", ++trace_count);
        summary.source_path = summary.trace_overview.duration_basis =
            summary.time_breakdown.duration_basis = "drawn";
        stop_unless(ledger_append_profile(db, identity, &summary, &draw->arena, &receipt, &err),
                    &err);
    }
}

static struct gate_side side_of(struct draw *draw, const struct profile_page *page, size_t first,
                                size_t count)
{
    struct gate_profile *profiles = arena_array(&draw->arena, struct gate_profile, count);
    for (size_t i = 0; i < count; i++) {
        const struct ledger_profile *item = &page->items[first + i];
        profiles[i] = (struct gate_profile){
            .profile_id = arena_printf(&draw->arena, "p%lld", (long long)item->id),
            .summary = &item->summary};
    }
    return (struct gate_side){profiles, count, NULL};
}

static struct profile_page branch_load(struct draw *draw, const char *workload, const char *branch,
                                       size_t runs)
{
    const struct baseline_query query = {
        .project = "accuracy", .workload = workload, .branch = branch, .run_limit = (int64_t)runs};
    struct place_list places;
    struct err err = {0};
    stop_unless(ledger_baseline_places(db, &query, &draw->arena, &places, &err), &err);
    if (places.count != runs) {
        (void)fprintf(stderr, "ledger_accuracy: %zu of %zu runs came back\n", places.count, runs);
        exit(1);
    }
    struct profile_page page = {arena_array(&draw->arena, struct ledger_profile, runs), runs};
    for (size_t i = 0; i < runs; i++)
        stop_unless(ledger_load_profile(db, places.items[i].id, &draw->arena, &page.items[i], &err),
                    &err);
    return page;
}

static struct verdict ledger_judge(struct draw *draw, const char *workload)
{
    const struct profile_identity past = {
        .project = "accuracy", .workload = workload, .branch = "main"};
    const struct profile_identity change = {
        .project = "accuracy", .workload = workload, .branch = "topic"};
    side_append(draw, draw->history, DRAW_HISTORY_RUNS, &past);
    side_append(draw, draw->before, RUNS, &past);
    side_append(draw, draw->after, RUNS, &change);
    struct profile_page main_page = branch_load(draw, workload, "main", DRAW_HISTORY_RUNS + RUNS);
    struct profile_page topic_page = branch_load(draw, workload, "topic", RUNS);
    const struct gate_input input = {
        .project = "accuracy",
        .workload = "simulated",
        .baseline = side_of(draw, &main_page, 0, RUNS),
        .history = side_of(draw, &main_page, RUNS, DRAW_HISTORY_RUNS),
        .candidate = side_of(draw, &topic_page, 0, RUNS),
        .created_at_utc = "2026-01-01T00:00:00.000000Z",
    };
    struct verdict verdict;
    struct err err = {0};
    stop_unless(gate_judge(&input, &draw->arena, &verdict, &err), &err);
    return verdict;
}

static bool same_judgement(const struct verdict *a, const struct verdict *b)
{
    return a->status == b->status &&
           fabs(a->statistics.estimate_pct.value - b->statistics.estimate_pct.value) < 1e-9 &&
           fabs(a->statistics.p.value - b->statistics.p.value) < 1e-9;
}

static bool measure(double effect, long draws)
{
    static struct draw draw;
    double rate[VERDICT_STATUS_COUNT] = {0};
    bool same = true;
    for (long i = 0; i < draws; i++) {
        const struct draw_plan plan = {.seed =
                                           900001 * (uint64_t)(i + 1) + (uint64_t)(effect * 1e4),
                                       .runs = RUNS,
                                       .effect = effect};
        char workload[64];
        (void)snprintf(workload, sizeof workload, "effect%g-draw%ld", effect, i);
        draw_start(&draw, &plan);
        struct verdict stored = ledger_judge(&draw, workload), held = draw_judge(&draw);
        same &= same_judgement(&stored, &held);
        rate[stored.status] += 1;
        arena_done(&draw.arena);
    }
    for (size_t i = 0; i < VERDICT_STATUS_COUNT; i++)
        rate[i] /= (double)draws;
    double fail = rate[VERDICT_FAIL], error = sqrt(fail * (1 - fail) / (double)draws);
    printf("%4.0f %%  %d  %.4f (+- %.4f) %.4f %.4f %.4f   %s\n", 100 * effect, RUNS, fail, error,
           rate[VERDICT_WARN], rate[VERDICT_PASS], rate[VERDICT_INCONCLUSIVE],
           same ? "all as in memory" : "NOT KEPT: verdicts differ from those in memory");
    double bound = 0.01 + 2 * sqrt(0.01 * 0.99 / (double)draws);
    return same && (effect > 0 || fail <= bound);
}

int main(void)
{
    static const double effects[] = {0, 0.03, 0.05};
    long draws = (long)draws_asked(DEFAULT_DRAWS, NULL).count;
    struct test_database database;
    struct err err = {0};
    bool kept = true;
    test_database_make(&database);
    stop_unless(db_open(database.app, &db, &err), &err);
    printf("step time through the ledger, H = %d, %ld draws\n", DRAW_HISTORY_RUNS, draws);
    printf("effect  R   fail                warn   pass   inconclusive\n");
    for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++)
        kept &= measure(effects[i], draws);
    db_close(db);
    return kept ? 0 : 1;
}
