/* One table, one writer of row i: the list at the end says how many rows there are and which
 * statement takes them. */
#include "history/ledger_rows.h"

#include "history/copy.h"
#include "history/hex.h"
#include "history/op_signatures.h"

#include <limits.h>

struct rows {
    int64_t profile_id;
    const struct summary *summary;
    const struct uuid *op_ids; /* one per op of the summary */
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
    copy_i64(copy, rows->profile_id);
    copy_i32(copy, (int32_t)i);
    copy_text(copy, file->path == NULL ? "" : file->path);
    copy_text(copy, file->host);
    copy_bytes(copy, known ? digest : NULL, sizeof digest);
    copy_i64(copy, file->size_bytes);
}

static void host_write(struct copy *copy, const struct rows *rows, size_t i)
{
    copy_i64(copy, rows->profile_id);
    copy_i32(copy, (int32_t)i);
    copy_text(copy, rows->summary->environment.hosts.items[i]);
}

static void fact_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct fact *fact = &rows->summary->environment.facts[i];
    copy_i64(copy, rows->profile_id);
    copy_text(copy, fact->name);
    copy_text(copy, fact->value);
    copy_text(copy, fact->source);
}

static void program_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct hlo_program *program = &rows->summary->environment.programs[i];
    copy_i64(copy, rows->profile_id);
    copy_i32(copy, (int32_t)i);
    copy_text(copy, program->name);
    copy_text(copy, program->fingerprint);
    copy_i64(copy, program->run_count);
}

static void device_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct device_row *device = &rows->summary->devices[i];
    copy_i64(copy, rows->profile_id);
    copy_i32(copy, (int32_t)i);
    copy_text(copy, device->name);
    copy_text(copy, device->host);
    copy_i64(copy, device->window_ps);
    copy_i64(copy, device->busy_ps);
    copy_i64(copy, device->idle_ps);
    copy_i64(copy, device->compute_ps);
    copy_i64(copy, device->exposed_comm_ps);
    copy_i64(copy, device->overlapped_comm_ps);
    copy_i64(copy, device->exposed_copy_ps);
    copy_i64_if(copy, device->steady_step_median_ps >= 0, device->steady_step_median_ps);
    copy_i64(copy, device->op_count);
}

static void step_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct step_row *step = &rows->summary->steps.rows[i];
    copy_i64(copy, rows->profile_id);
    copy_i64(copy, step->number);
    copy_bool(copy, step->warmup);
    copy_i64(copy, step->max_ps);
    copy_i64(copy, step->mean_ps);
    device_put(copy, step->slowest);
    copy_i64_if(copy, step->has_period, step->period_ps);
    copy_i64_if(copy, step->has_gap, step->gap_before_ps);
}

static void op_write(struct copy *copy, const struct rows *rows, size_t i)
{
    const struct op_row *op = &rows->summary->ops[i];
    copy_i64(copy, rows->profile_id);
    copy_i32(copy, (int32_t)i);
    copy_uuid(copy, &rows->op_ids[i]);
    device_put(copy, op->max_device);
    copy_bool(copy, op->asynchronous);
    copy_text(copy, op->program);
    copy_text(copy, op->phase);
    copy_i64(copy, op->count);
    copy_i64(copy, op->device_count);
    copy_i64(copy, op->total_ps);
    copy_i64(copy, op->self_ps);
    copy_i64(copy, op->max_device_self_ps);
    copy_i64(copy, op->steady_count);
    copy_i64(copy, op->steady_self_ps);
    copy_opt_f64(copy, op->flops);
    copy_opt_f64(copy, op->bytes_accessed);
}

typedef void row_writer(struct copy *copy, const struct rows *rows, size_t i);

static bool table_write(struct db *db, enum query_id id, const struct rows *rows, size_t count,
                        row_writer *write, struct err *err)
{
    struct copy copy;
    if (count == 0)
        return true;
    if (count > INT32_MAX)
        return err_set(err, ERR_LIMIT, "%s: %zu rows are more than a table of a profile holds",
                       queries[id].name, count);
    if (!copy_begin(&copy, db, id, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        copy_row(&copy);
        write(&copy, rows, i);
    }
    return copy_end(&copy, err);
}

/* Two levels deep, so it has a loop of its own. */
static bool spans_write(struct db *db, const struct rows *rows, struct err *err)
{
    const struct step_table *steps = &rows->summary->steps;
    struct copy copy;
    if (steps->count == 0)
        return true;
    if (!copy_begin(&copy, db, Q_step_spans_copy, err))
        return false;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *step = &steps->rows[i];
        for (size_t k = 0; k < step->span_count; k++) {
            copy_row(&copy);
            copy_i64(&copy, rows->profile_id);
            copy_i64(&copy, step->number);
            device_put(&copy, step->spans[k].device);
            copy_i64(&copy, step->spans[k].start_ps);
            copy_i64(&copy, step->spans[k].duration_ps);
        }
    }
    return copy_end(&copy, err);
}

bool ledger_rows_append(struct db *db, int64_t profile_id, const struct summary *summary,
                        struct arena *arena, struct err *err)
{
    const struct uuid *op_ids;
    if (!summary->has_ours)
        return true;
    if (!op_signatures_append(db, summary, arena, &op_ids, err))
        return false;
    const struct rows rows = {profile_id, summary, op_ids};
    const struct environment *environment = &summary->environment;
    const struct {
        enum query_id id;
        size_t count;
        row_writer *write;
    } tables[] = {
        {Q_profile_files_copy, summary->source_count, file_write},
        {Q_profile_hosts_copy, environment->hosts.count, host_write},
        {Q_profile_facts_copy, environment->fact_count, fact_write},
        {Q_profile_programs_copy, environment->program_count, program_write},
        {Q_profile_devices_copy, summary->device_count, device_write},
        {Q_profile_steps_copy, summary->steps.count, step_write},
        {Q_op_rows_copy, summary->op_count, op_write},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (!table_write(db, tables[i].id, &rows, tables[i].count, tables[i].write, err))
            return false;
    return spans_write(db, &rows, err);
}
