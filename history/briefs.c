/* Implements the reading of briefs: the headers in the order of the ids, then what belongs to each,
 * by its place in that order. */
#include "history/briefs.h"

#include "history/connection.h"
#include "history/result.h"
#include "ops/runtime/clock.h"

#include <inttypes.h>
#include <string.h>

struct reading {
    struct db *db;
    struct arena *arena;
    const int64_t *ids;
    size_t count;
    struct ledger_brief *briefs;
};

static bool rows_ask(const struct reading *reading, enum query_id id, PGresult **ret_rows,
                     struct err *err)
{
    struct args args = {0};
    args_i64s(&args, reading->arena, reading->ids, reading->count);
    if (id == Q_brief_steps)
        args_i64(&args, BRIEF_STEPS_MAX);
    return query_run(reading->db, id, &args, ret_rows, err);
}

/* The brief that a row belongs to; *ret_end: behind the last row of the same one. */
static struct ledger_brief *stretch_find(const struct reading *reading, const PGresult *rows,
                                         int row, int *ret_end)
{
    int64_t place = result_i64(rows, row, 0);
    int end = row + 1;
    while (end < PQntuples(rows) && result_i64(rows, end, 0) == place)
        end++;
    *ret_end = end;
    return &reading->briefs[place - 1];
}

/* ---- headers --------------------------------------------------------------------------------- */

static bool header_read(const PGresult *rows, int row, struct arena *arena,
                        struct ledger_profile *profile)
{
    char recorded_at[CLOCK_ISO_BYTES];
    struct summary *summary = &profile->summary;
    struct environment *environment = &summary->environment;
    clock_iso(result_wall_us(rows, row, 6), recorded_at);
    profile->id = result_i64(rows, row, 0);
    profile->series = arena_printf(arena, "s%" PRId64, result_i64(rows, row, 1));
    profile->recorded_at_utc = arena_strdup(arena, recorded_at);
    environment->device_count = result_opt_i64(rows, row, 10);
    environment->host_count = result_opt_i64(rows, row, 11);
    summary->producer.definition_version = result_i64(rows, row, 13);
    summary->has_ours = summary->producer.definition_version > 0;
    return profile->series != NULL && profile->recorded_at_utc != NULL &&
           result_copy_text(rows, row, 2, arena, &profile->run) &&
           result_copy_text(rows, row, 3, arena, &profile->branch) &&
           result_copy_text(rows, row, 4, arena, &profile->commit) &&
           result_copy_text(rows, row, 5, arena, &profile->label) &&
           result_copy_text(rows, row, 7, arena, &summary->trace_provenance.trace_sha256) &&
           result_copy_text(rows, row, 8, arena, &summary->producer.breakdown_mode) &&
           result_copy_text(rows, row, 9, arena, &environment->device_type) &&
           result_copy_text(rows, row, 12, arena, &environment->topology);
}

static bool headers_read(struct reading *reading, struct err *err)
{
    scoped_result *rows = NULL;
    if (!rows_ask(reading, Q_brief_profiles, &rows, err))
        return false;
    if ((size_t)PQntuples(rows) != reading->count)
        return err_set(err, ERR_MISSING, "the ledger holds %d of %zu profiles that were asked for",
                       PQntuples(rows), reading->count);
    for (size_t i = 0; i < reading->count; i++) {
        reading->briefs[i] = (struct ledger_brief){0};
        if (!header_read(rows, (int)i, reading->arena, &reading->briefs[i].profile))
            return arena_failed(reading->arena, "the past runs", err);
    }
    return true;
}

/* ---- provenance ------------------------------------------------------------------------------ */

static bool facts_fill(const PGresult *rows, int row, int end, struct arena *arena,
                       struct summary *summary)
{
    struct environment *environment = &summary->environment;
    size_t most = (size_t)(end - row);
    environment->facts = arena_array(arena, struct fact, most);
    environment->hosts.items = arena_array(arena, const char *, most);
    if (environment->facts == NULL || environment->hosts.items == NULL)
        return false;
    for (; row < end; row++) {
        struct fact *fact = &environment->facts[environment->fact_count];
        const char **host = &environment->hosts.items[environment->hosts.count];
        bool is_host = result_bool(rows, row, 1);
        if (!result_copy_text(rows, row, 2, arena, is_host ? host : &fact->name) ||
            (!is_host && (!result_copy_text(rows, row, 3, arena, &fact->value) ||
                          !result_copy_text(rows, row, 4, arena, &fact->source))))
            return false;
        *(is_host ? &environment->hosts.count : &environment->fact_count) += 1;
    }
    const struct fact *method = environment_fact(environment, "step_method");
    if (method != NULL && method->value != NULL)
        step_table_named(method->value, &summary->steps);
    return true;
}

static bool facts_read(struct reading *reading, struct err *err)
{
    scoped_result *rows = NULL;
    if (!rows_ask(reading, Q_brief_facts, &rows, err))
        return false;
    for (int row = 0, end; row < PQntuples(rows); row = end) {
        struct ledger_brief *brief = stretch_find(reading, rows, row, &end);
        if (!facts_fill(rows, row, end, reading->arena, &brief->profile.summary))
            return arena_failed(reading->arena, "the past runs", err);
    }
    return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

static bool measures_read(struct reading *reading, struct err *err)
{
    scoped_result *rows = NULL;
    if (!rows_ask(reading, Q_brief_measures, &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++) {
        int32_t measure = result_i32(rows, row, 1);
        struct ledger_brief *brief = &reading->briefs[result_i64(rows, row, 0) - 1];
        if (measure >= MEASURE_FIRST && measure < MEASURE_END)
            brief->measures[measure] = some_f64(result_f64(rows, row, 2));
    }
    for (size_t i = 0; i < reading->count; i++) {
        const struct opt_f64 *measures = reading->briefs[i].measures;
        struct summary *summary = &reading->briefs[i].profile.summary;
        summary->steps.steady_median_us = measures[MEASURE_steady_step_median];
        summary->steps.steady_p90_us = measures[MEASURE_steady_step_p90];
        summary->coverage.steady_idle_us_per_step = measures[MEASURE_step_idle].value;
        summary->step_time.steady_state_steps = (struct duration_stats){
            .count = (int64_t)measures[MEASURE_steady_steps].value,
            .median = measures[MEASURE_step_median],
            .p90 = measures[MEASURE_step_p90],
        };
    }
    return true;
}

static bool steps_fill(const PGresult *rows, int row, int end, struct arena *arena,
                       struct step_table *table)
{
    size_t count = (size_t)(end - row);
    struct step_span *spans = arena_array(arena, struct step_span, count);
    table->rows = arena_array(arena, struct step_row, count);
    if (table->rows == NULL || spans == NULL)
        return false;
    for (size_t i = 0; i < count; i++, row++) {
        struct opt_i64 period = result_opt_i64(rows, row, 5);
        spans[i] = (struct step_span){UINT32_MAX, 0, result_i64(rows, row, 4)};
        table->rows[table->count++] = (struct step_row){
            .number = result_i64(rows, row, 1),
            .warmup = result_bool(rows, row, 2),
            .max_ps = result_i64(rows, row, 3),
            .mean_ps = spans[i].duration_ps,
            .slowest = UINT32_MAX,
            .has_period = period.set,
            .period_ps = period.value,
            .spans = &spans[i],
            .span_count = 1,
        };
        table->steady_count += !table->rows[i].warmup;
    }
    table->steady_spans = table->steady_count;
    return true;
}

static bool steps_read(struct reading *reading, struct err *err)
{
    scoped_result *rows = NULL;
    if (!rows_ask(reading, Q_brief_steps, &rows, err))
        return false;
    for (int row = 0, end; row < PQntuples(rows); row = end) {
        struct ledger_brief *brief = stretch_find(reading, rows, row, &end);
        if (!steps_fill(rows, row, end, reading->arena, &brief->profile.summary.steps))
            return arena_failed(reading->arena, "the past runs", err);
    }
    return true;
}

bool ledger_load_briefs(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                        struct ledger_brief **ret_briefs, struct err *err)
{
    struct reading reading = {
        .db = db,
        .arena = arena,
        .ids = ids,
        .count = count,
        .briefs = arena_array(arena, struct ledger_brief, count),
    };
    if (reading.briefs == NULL)
        return arena_failed(arena, "the past runs", err);
    if (count > 0 && (!headers_read(&reading, err) || !facts_read(&reading, err) ||
                      !measures_read(&reading, err) || !steps_read(&reading, err)))
        return false;
    *ret_briefs = reading.briefs;
    return true;
}
