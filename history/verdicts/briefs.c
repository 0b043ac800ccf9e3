/* Implements the reading of briefs: the headers in the order of the ids, then what belongs to each,
 * by its place in that order. The statements give the columns of a profile's content, so that what
 * was read is hashed on its way and checked against the profile's entry. */
#include "history/verdicts/briefs.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>

/* Where the columns of the content begin, and how many there are. */
static const struct column_range header_columns = {C_brief_profiles_header_id, 19},
                                 fact_columns = {C_brief_facts_profile_id, 4},
                                 step_columns = {C_brief_steps_profile_id, 8};

/* What was read of one profile. */
struct found {
    struct section_digest sections[PROFILE_SECTION_COUNT];
};

struct reading {
    struct db *db;
    struct arena *arena;
    const int64_t *ids;
    size_t count;
    struct ledger_brief *briefs;
    struct found *found;
};

static bool rows_ask(const struct reading *reading, enum query_id id, PGresult **ret_rows,
                     struct err *err)
{
    enum { ROW_BYTES = 200 }; /* what a row takes in a result, beside its words */
    /* Who may store profiles may store facts that fill the memory: all that are asked for at once
     * may take an eighth of it. Those of a capture take some KiB. */
    static const size_t facts_least = 64 << 10;
    const size_t share = reading->arena->budget_bytes / 8 / reading->count;
    const size_t facts_bytes = share > facts_least ? share : facts_least;
    struct args args = {0};
    (void)ARGS_MORE(&args, arg_i64s(reading->arena, reading->ids, reading->count));
    if (id == Q_brief_facts)
        (void)ARGS_MORE(&args, arg_i64((int64_t)facts_bytes), arg_i64(ROW_BYTES));
    if (id == Q_brief_measures)
        (void)ARGS_MORE(&args, arg_i64(RECORDED_MEASURES_MAX));
    if (id == Q_brief_steps)
        (void)ARGS_MORE(&args, arg_i64(BRIEF_STEPS_MAX));
    return query_run(reading->db, id, &args, ret_rows, err);
}

/* Behind the last row of the same profile; its place comes first in all of them. */
static int stretch_end(const PGresult *rows, int row)
{
    int64_t place = result_i64(rows, row, C_brief_facts_place);
    int end = row + 1;
    while (end < PQntuples(rows) && result_i64(rows, end, C_brief_facts_place) == place)
        end++;
    return end;
}

static struct ledger_profile profile_of(const PGresult *rows, int row, struct arena *arena)
{
    const int64_t version = result_i64(rows, row, C_brief_profiles_definition_version);
    struct summary summary = {
        .source_format = result_copy_text(rows, row, C_brief_profiles_source_format, arena),
        .trace_provenance.trace_sha256 =
            result_copy_text(rows, row, C_brief_profiles_trace_sha256, arena),
        .producer.breakdown_mode =
            result_copy_text(rows, row, C_brief_profiles_breakdown_mode, arena),
        .producer.definition_version = version,
        .has_ours = version > 0,
        .environment.device_count = result_opt_i64(rows, row, C_brief_profiles_device_count),
        .environment.host_count = result_opt_i64(rows, row, C_brief_profiles_host_count),
        .environment.device_type = result_copy_text(rows, row, C_brief_profiles_device_type, arena),
        .environment.topology = result_copy_text(rows, row, C_brief_profiles_topology, arena),
    };
    return (struct ledger_profile){
        .id = result_i64(rows, row, C_brief_profiles_id),
        .series = result_name(rows, row, C_brief_profiles_series_id, "s", arena),
        .recorded_at_utc = result_copy_time(rows, row, C_brief_profiles_recorded_at, arena),
        .ran_at_utc = result_copy_time(rows, row, C_brief_profiles_ran_at, arena),
        .run = result_copy_text(rows, row, C_brief_profiles_run, arena),
        .branch = result_copy_text(rows, row, C_brief_profiles_branch, arena),
        .commit = result_copy_text(rows, row, C_brief_profiles_commit_sha, arena),
        .label = result_copy_text(rows, row, C_brief_profiles_label, arena),
        .summary = summary,
    };
}

static bool headers_read(struct reading *reading, struct err *err)
{
    scoped_result *rows = NULL;
    if (!rows_ask(reading, Q_brief_profiles, &rows, err) ||
        !result_holds_all(rows, reading->count, err))
        return false;
    for (size_t i = 0; i < reading->count; i++) {
        reading->briefs[i] =
            (struct ledger_brief){.profile = profile_of(rows, (int)i, reading->arena)};
        reading->found[i].sections[PROFILE_HEADER] =
            rows_digest(rows, (int)i, (int)i + 1, header_columns);
        if (!arena_ok(reading->arena, "the past runs", err))
            return false;
    }
    return true;
}

/* ---- provenance ------------------------------------------------------------------------------ */

static void facts_fill(const PGresult *rows, int row, int end, struct arena *arena,
                       struct summary *summary)
{
    struct environment *environment = &summary->environment;
    size_t most = (size_t)(end - row);
    environment->facts = arena_array(arena, struct fact, most);
    environment->hosts.items = arena_array(arena, const char *, most);
    for (; row < end; row++) {
        const char *name = result_copy_text(rows, row, C_brief_facts_name, arena);
        if (result_bool(rows, row, C_brief_facts_is_host))
            environment->hosts.items[environment->hosts.count++] = name;
        else
            environment->facts[environment->fact_count++] =
                (struct fact){name, result_copy_text(rows, row, C_brief_facts_value, arena),
                              result_copy_text(rows, row, C_brief_facts_source, arena)};
    }
    const struct fact *method = environment_fact(environment, "step_method");
    if (method != NULL && method->value != NULL)
        step_table_named(method->value, &summary->steps);
}

/* Hosts come behind the facts: profile, ordinal, name. */
static struct section_digest hosts_digest(const PGresult *rows, int row, int end)
{
    enum { COLUMNS = 3 };
    struct row_hash hash;
    row_hash_begin(&hash);
    for (; row < end; row++) {
        uint8_t ordinal[4];
        be_put(ordinal, (uint32_t)result_i32(rows, row, C_brief_facts_ordinal), sizeof ordinal);
        row_hash_row(&hash, COLUMNS);
        row_hash_i64(&hash, result_i64(rows, row, C_brief_facts_profile_id));
        row_hash_value(&hash, ordinal, sizeof ordinal);
        row_hash_value(&hash, PQgetvalue(rows, row, C_brief_facts_name),
                       (size_t)PQgetlength(rows, row, C_brief_facts_name));
    }
    return row_hash_end(&hash);
}

static bool facts_read(struct reading *reading, struct err *err)
{
    scoped_result *rows = NULL;
    if (!rows_ask(reading, Q_brief_facts, &rows, err))
        return false;
    for (int row = 0, hosts, end; row < PQntuples(rows); row = end) {
        size_t at = (size_t)result_i64(rows, row, C_brief_facts_place) - 1;
        struct section_digest *found = reading->found[at].sections;
        end = stretch_end(rows, row);
        if (result_is_null(rows, row, C_brief_facts_name)) {
            struct ledger_brief *brief = &reading->briefs[at];
            brief->changed = arena_printf(
                reading->arena,
                "p%" PRId64 " tells more facts than there is room for within max_memory_mb; "
                "`stepledger retract p%" PRId64 "` says that it does not count",
                reading->ids[at], reading->ids[at]);
            continue;
        }
        for (hosts = row; hosts < end && !result_bool(rows, hosts, C_brief_facts_is_host);)
            hosts++;
        found[PROFILE_FACTS] = rows_digest(rows, row, hosts, fact_columns);
        found[PROFILE_HOSTS] = hosts_digest(rows, hosts, end);
        facts_fill(rows, row, end, reading->arena, &reading->briefs[at].profile.summary);
        if (!arena_ok(reading->arena, "the past runs", err))
            return false;
    }
    return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

static bool measures_read(struct reading *reading, struct err *err)
{
    scoped_result *rows = NULL;
    if (!rows_ask(reading, Q_brief_measures, &rows, err))
        return false;
    for (int row = 0, end; row < PQntuples(rows); row = end) {
        size_t at = (size_t)result_i64(rows, row, C_brief_measures_place) - 1;
        end = stretch_end(rows, row);
        reading->found[at].sections[PROFILE_MEASURES] =
            rows_digest(rows, row, end, recorded_measure_columns);
        bool has_many = end - row > RECORDED_MEASURES_MAX, unusual = has_many;
        for (int i = row; i < end; i++) {
            int32_t measure = result_i32(rows, i, C_brief_measures_measure);
            double value = result_f64(rows, i, C_brief_measures_value);
            if (!recorded_measure_is_usual(value))
                unusual = true;
            else if (measure >= MEASURE_FIRST && measure < MEASURE_END)
                reading->briefs[at].measures[measure] = some_f64(value);
        }
        if (unusual)
            reading->briefs[at].changed =
                recorded_measure_why(reading->ids[at], has_many, reading->arena);
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

static void steps_fill(const PGresult *rows, int row, int end, struct arena *arena,
                       struct step_table *table)
{
    size_t count = (size_t)(end - row);
    struct step_span *spans = arena_array(arena, struct step_span, count);
    table->rows = arena_array(arena, struct step_row, count);
    for (size_t i = 0; i < count; i++, row++) {
        struct opt_i64 period = result_opt_i64(rows, row, C_brief_steps_period_ps);
        spans[i] = (struct step_span){UINT32_MAX, 0, result_i64(rows, row, C_brief_steps_mean_ps)};
        table->rows[table->count++] = (struct step_row){
            .number = result_i64(rows, row, C_brief_steps_number),
            .warmup = result_bool(rows, row, C_brief_steps_warmup),
            .max_ps = result_i64(rows, row, C_brief_steps_max_ps),
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
}

/* A profile of before the measures were there, or of before they spoke for so few steps, has the
 * steps that they are made of. */
static void waits_fill(struct ledger_brief *brief)
{
    static const enum measure of_steps[] = {MEASURE_steady_step_period, MEASURE_steady_step_mean};
    struct opt_f64 told[MEASURE_END];
    if (!brief->profile.summary.has_ours)
        return;
    measures_take(&brief->profile.summary, told);
    for (size_t i = 0; i < sizeof of_steps / sizeof of_steps[0]; i++) {
        if (!brief->measures[of_steps[i]].set)
            brief->measures[of_steps[i]] = told[of_steps[i]];
    }
}

static bool steps_read(struct reading *reading, struct err *err)
{
    scoped_result *rows = NULL;
    if (!rows_ask(reading, Q_brief_steps, &rows, err))
        return false;
    for (int row = 0, end; row < PQntuples(rows); row = end) {
        size_t at = (size_t)result_i64(rows, row, C_brief_steps_place) - 1;
        end = stretch_end(rows, row);
        reading->found[at].sections[PROFILE_STEPS] = rows_digest(rows, row, end, step_columns);
        steps_fill(rows, row, end, reading->arena, &reading->briefs[at].profile.summary.steps);
        waits_fill(&reading->briefs[at]);
        if (!arena_ok(reading->arena, "the past runs", err))
            return false;
    }
    return true;
}

/* ---- what was recorded ----------------------------------------------------------------------- */

static bool found_check(struct reading *reading, struct err *err)
{
    static const enum profile_section sections[] = {PROFILE_HEADER, PROFILE_FACTS, PROFILE_HOSTS,
                                                    PROFILE_MEASURES, PROFILE_STEPS};
    struct recorded_profile *recorded;
    if (!recorded_read(reading->db, reading->ids, reading->count, reading->arena, &recorded, err))
        return false;
    for (size_t i = 0; i < reading->count; i++) {
        struct err why = {0};
        struct section_digest *found = reading->found[i].sections;
        /* Not all of its steps were read. */
        if (found[PROFILE_STEPS].rows == BRIEF_STEPS_MAX &&
            !recorded_section(reading->db, reading->ids[i], PROFILE_STEPS, &found[PROFILE_STEPS],
                              err))
            return false;
        for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++)
            if (reading->briefs[i].changed == NULL &&
                !recorded_check(&recorded[i], sections[k], &found[sections[k]], &why))
                reading->briefs[i].changed = arena_strdup(reading->arena, why.text);
    }
    return true;
}

bool ledger_load_stored_briefs(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                               struct ledger_brief **ret_briefs, struct err *err)
{
    struct reading reading = {
        .db = db,
        .arena = arena,
        .ids = ids,
        .count = count,
        .briefs = arena_array(arena, struct ledger_brief, count),
        .found = arena_array(arena, struct found, count),
    };
    if (count > 0 && (!headers_read(&reading, err) || !facts_read(&reading, err) ||
                      !measures_read(&reading, err) || !steps_read(&reading, err) ||
                      !found_check(&reading, err)))
        return false;
    *ret_briefs = reading.briefs;
    return arena_ok(arena, "the past runs", err);
}

bool ledger_load_briefs(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                        struct ledger_brief **ret_briefs, struct err *err)
{
    if (!ledger_load_stored_briefs(db, ids, count, arena, ret_briefs, err))
        return false;
    for (size_t i = 0; i < count; i++)
        if ((*ret_briefs)[i].changed != NULL)
            return err_set(err, ERR_INPUT, "%s", (*ret_briefs)[i].changed);
    return true;
}

/* ---- ops ------------------------------------------------------------------------------------- */

static void ops_fill(const PGresult *rows, int row, int end, struct arena *arena,
                     struct summary *summary)
{
    summary->ops = arena_array(arena, struct op_row, (size_t)(end - row));
    /* counts of ops are those of all devices */
    int64_t devices = summary->environment.device_count.value;
    summary->steps.steady_spans =
        summary->step_time.steady_state_steps.count * (devices > 0 ? devices : 1);
    for (; row < end; row++) {
        struct op_row *op = &summary->ops[summary->op_count++];
        *op = (struct op_row){
            .signature = result_copy_text(rows, row, C_brief_ops_signature, arena),
            .category = result_copy_text(rows, row, C_brief_ops_category, arena),
            .opcode = result_copy_text(rows, row, C_brief_ops_opcode, arena),
            .phase = result_copy_text(rows, row, C_brief_ops_phase, arena),
            .shape_signature = result_copy_text(rows, row, C_brief_ops_shape_signature, arena),
            .op_path = result_copy_text(rows, row, C_brief_ops_op_path, arena),
            .count = result_i64(rows, row, C_brief_ops_count),
            .steady_count = result_i64(rows, row, C_brief_ops_steady_count),
            .steady_self_ps = result_i64(rows, row, C_brief_ops_steady_self_ps),
        };
        if (!result_is_null(rows, row, C_brief_ops_flops))
            op->flops = some_f64(result_f64(rows, row, C_brief_ops_flops));
    }
}

bool ledger_brief_ops(struct db *db, struct ledger_brief *briefs, size_t count, struct arena *arena,
                      struct err *err)
{
    scoped_result *rows = NULL;
    int64_t *ids = arena_array(arena, int64_t, count);
    for (size_t i = 0; i < count; i++)
        ids[i] = briefs[i].profile.id;
    if (!query_run(db, Q_brief_ops, ARGS(arg_i64s(arena, ids, count)), &rows, err))
        return false;
    for (int row = 0, end; row < PQntuples(rows); row = end) {
        size_t at = (size_t)result_i64(rows, row, C_brief_ops_place) - 1;
        end = stretch_end(rows, row);
        ops_fill(rows, row, end, arena, &briefs[at].profile.summary);
        if (!arena_ok(arena, "the past runs", err))
            return false;
    }
    return true;
}
