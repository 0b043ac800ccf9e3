/* One table, one writer of row i: the list at the end says how many rows there are and which
 * statement takes them. */
#include "history/profiles/ledger_rows.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "schema/documents/measures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct rows {
    int64_t profile_id;
    const struct summary *summary;
    const struct uuid *op_ids; /* one per op of the summary */
    const struct fact **facts; /* in the byte order of names, as their content is hashed */
    size_t fact_count;
};

static void device_put(struct copy *copy, uint32_t device)
{
    copy_i32_if(copy, device <= INT32_MAX, (int32_t)device);
}

static void file_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct source_file *file = &rows->summary->sources[i];
    uint8_t digest[32];
    bool known = file->sha256 != NULL && hex_read(file->sha256, digest, sizeof digest);
    copy_values(copy, rows->profile_id, (int32_t)i, file->path == NULL ? "" : file->path,
                file->host);
    copy_bytes(copy, known ? digest : NULL, sizeof digest);
    copy_i64(copy, file->size_bytes);
}

static void host_write(struct copy *copy, const struct rows *rows, size_t i)
{
    copy_values(copy, rows->profile_id, (int32_t)i, rows->summary->environment.hosts.items[i]);
}

static void fact_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct fact *fact = rows->facts[i];
    copy_values(copy, rows->profile_id, fact->name, fact->value, fact->source);
}

static void program_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct hlo_program *program = &rows->summary->environment.programs[i];
    copy_values(copy, rows->profile_id, (int32_t)i, program->name, program->fingerprint,
                program->run_count);
}

static void device_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct device_row *device = &rows->summary->devices[i];
    copy_values(copy, rows->profile_id, (int32_t)i, device->name, device->host, device->window_ps,
                device->busy_ps, device->idle_ps, device->compute_ps, device->exposed_comm_ps,
                device->overlapped_comm_ps, device->exposed_copy_ps);
    copy_values(
        copy, ((struct opt_i64){device->steady_step_median_ps >= 0, device->steady_step_median_ps}),
        device->op_count);
}

static void step_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct step_row *step = &rows->summary->steps.rows[i];
    copy_values(copy, rows->profile_id, step->number, step->warmup, step->max_ps, step->mean_ps);
    device_put(copy, step->slowest);
    copy_values(copy, ((struct opt_i64){step->has_period, step->period_ps}),
                ((struct opt_i64){step->has_gap, step->gap_before_ps}));
}

static void op_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct op_row *op = &rows->summary->ops[i];
    copy_values(copy, rows->profile_id, (int32_t)i, &rows->op_ids[i]);
    device_put(copy, op->max_device);
    copy_values(copy, op->asynchronous, op->program, op->phase, op->count, op->device_count,
                op->total_ps, op->self_ps, op->max_device_self_ps, op->steady_count,
                op->steady_self_ps, op->flops, op->bytes_accessed);
}

typedef void row_writer(struct copy *copy, const struct rows *rows, size_t i);

struct row_table {
    enum query_id id;
    enum profile_section section;
    size_t count;
    row_writer *write;
};

static bool table_check(const struct row_table *table, struct err *err)
{
    return table->count <= INT32_MAX ||
           err_set(err, ERR_LIMIT, "%s: %zu rows are more than a table of a profile holds",
                   queries[table->id].name, table->count);
}

static void table_fill(struct copy *copy, const struct row_table *table, const struct rows *rows)
{
    for (size_t i = 0; i < table->count; i++) {
        copy_row(copy);
        table->write(copy, rows, i);
    }
}

static bool table_copy(struct db *db, const struct row_table *table, const struct rows *rows,
                       struct section_digest *sections, struct err *err)
{
    struct copy copy;
    if (table->count == 0)
        return true;
    if (!table_check(table, err) || !copy_begin(&copy, db, table->id, err))
        return false;
    table_fill(&copy, table, rows);
    return copy_end(&copy, &sections[table->section], err);
}

static int by_name(const void *left, const void *right)
{
    return strcmp((*(const struct fact *const *)left)->name,
                  (*(const struct fact *const *)right)->name);
}

/* Adds a fact that the document does not hold as one. */
static void fact_add(struct rows *rows, const char *name, const char *value, struct arena *arena)
{
    struct fact *fact = arena_new(arena, struct fact);
    *fact = (struct fact){name, value, "derived"};
    rows->facts[rows->fact_count++] = fact;
}

/* Content is hashed in one order whoever reads it; the document's own may be another. */
static void facts_sort(struct rows *rows, struct arena *arena)
{
    enum { DERIVED_FACTS = 2 };
    const struct environment *environment = &rows->summary->environment;
    rows->facts = arena_array(arena, const struct fact *, environment->fact_count + DERIVED_FACTS);
    for (size_t i = 0; i < environment->fact_count; i++)
        rows->facts[rows->fact_count++] = &environment->facts[i];
    /* What the document tells elsewhere and who reads no documents has to know
     * (history/verdicts/briefs.h): profiles whose steps were found in another way, or that did
     * other work, are not compared. */
    const struct step_table *steps = &rows->summary->steps;
    struct opt_f64 flops = step_flops(rows->summary);
    if (steps->method != STEPS_NONE && environment_fact(environment, "step_method") == NULL)
        fact_add(rows, "step_method", step_table_text(steps, arena), arena);
    if (flops.set && environment_fact(environment, STEP_FLOPS_FACT) == NULL)
        fact_add(rows, STEP_FLOPS_FACT, arena_printf(arena, "%.6g", flops.value), arena);
    qsort(rows->facts, rows->fact_count, sizeof(const struct fact *), by_name);
}

/* As their content orders them (history/rows.tables): by device, the host's last, then by time. */
static int by_device(const void *left, const void *right)
{
    const struct step_span *a = left, *b = right;
    const int64_t ours[] = {a->device <= INT32_MAX ? a->device : UINT32_MAX, a->start_ps,
                            a->duration_ps};
    const int64_t others[] = {b->device <= INT32_MAX ? b->device : UINT32_MAX, b->start_ps,
                              b->duration_ps};
    size_t i = 0;
    while (i < 2 && ours[i] == others[i])
        i++;
    return (ours[i] > others[i]) - (ours[i] < others[i]);
}

/* Two levels deep, so it has a loop of its own. */
static bool spans_write(struct db *db, const struct rows *rows, struct arena *arena,
                        struct section_digest *ret_digest, struct err *err)
{
    const struct step_table *steps = &rows->summary->steps;
    struct copy copy;
    if (steps->count == 0)
        return true;
    size_t most = 0;
    for (size_t i = 0; i < steps->count; i++)
        most = steps->rows[i].span_count > most ? steps->rows[i].span_count : most;
    struct step_span *sorted = arena_array(arena, struct step_span, most);
    if (!copy_begin(&copy, db, Q_step_spans_copy, err))
        return false;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *step = &steps->rows[i];
        if (step->span_count > 0)
            memcpy(sorted, step->spans, step->span_count * sizeof *sorted);
        qsort(sorted, step->span_count, sizeof *sorted, by_device);
        for (size_t k = 0; k < step->span_count; k++) {
            copy_row(&copy);
            copy_values(&copy, rows->profile_id, step->number);
            device_put(&copy, sorted[k].device);
            copy_values(&copy, sorted[k].start_ps, sorted[k].duration_ps);
        }
    }
    return copy_end(&copy, ret_digest, err);
}

bool ledger_measures_add(struct pipeline *pipeline, const struct rows_owner *owner,
                         const struct summary *summary, struct section_digest *ret_digest,
                         struct err *err)
{
    struct copy copy;
    struct opt_f64 values[MEASURE_END];
    measures_take(summary, values);
    copy_begin_arrays(&copy, Q_measures_add);
    for (int measure = MEASURE_FIRST; measure < MEASURE_END; measure++) {
        if (!values[measure].set)
            continue;
        copy_row(&copy);
        copy_values(&copy, owner->profile_id, owner->series_id, measure, values[measure]);
    }
    return copy_end_arrays(&copy, pipeline, ret_digest, err);
}

bool ledger_few_rows_add(struct pipeline *pipeline, const struct rows_owner *owner,
                         const struct summary *summary, struct arena *arena,
                         struct section_digest *sections, struct err *err)
{
    const struct environment *environment = &summary->environment;
    struct rows rows = {.profile_id = owner->profile_id, .summary = summary};
    facts_sort(&rows, arena);
    const struct row_table tables[] = {
        {Q_profile_files_add, PROFILE_FILES, summary->source_count, file_write},
        {Q_profile_hosts_add, PROFILE_HOSTS, environment->hosts.count, host_write},
        {Q_profile_facts_add, PROFILE_FACTS, rows.fact_count, fact_write},
        {Q_profile_programs_add, PROFILE_PROGRAMS, environment->program_count, program_write},
        {Q_profile_devices_add, PROFILE_DEVICES, summary->device_count, device_write},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct copy copy;
        if (!table_check(&tables[i], err))
            return false;
        copy_begin_arrays(&copy, tables[i].id);
        table_fill(&copy, &tables[i], &rows);
        if (!copy_end_arrays(&copy, pipeline, &sections[tables[i].section], err))
            return false;
    }
    return true;
}

bool ledger_many_rows_copy(struct db *db, const struct rows_owner *owner,
                           const struct op_dictionary *dictionary, struct section_digest *sections,
                           struct err *err)
{
    const struct summary *summary = dictionary->summary;
    const struct rows rows = {
        .profile_id = owner->profile_id, .summary = summary, .op_ids = dictionary->ids};
    const struct row_table steps = {Q_profile_steps_copy, PROFILE_STEPS, summary->steps.count,
                                    step_write};
    const struct row_table ops = {Q_op_rows_copy, PROFILE_OPS, summary->op_count, op_write};
    const struct step_row *row = summary->steps.rows;
    for (size_t i = 1; i < summary->steps.count; i++)
        if (row[i].number <= row[i - 1].number)
            return err_set(err, ERR_INPUT,
                           "step %" PRId64 " comes after step %" PRId64
                           " in the summary: step numbers must ascend",
                           row[i].number, row[i - 1].number);
    return table_copy(db, &steps, &rows, sections, err) &&
           table_copy(db, &ops, &rows, sections, err) &&
           spans_write(db, &rows, dictionary->arena, &sections[PROFILE_SPANS], err);
}
