/* The story of merging, and the members that need the hosts' names. */
#include "ingest/merge/merging.h"

#include "ingest/breakdown/breakdown.h"
#include "ingest/memory/memory.h"
#include "ingest/step_table/step_table.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- hosts ----------------------------------------------------------------------------------- */

static int compare_hosts(const void *a, const void *b)
{
    const struct summary *const *left = a, *const *right = b;
    const struct capture_host *x = host_of(*left), *y = host_of(*right);
    if (x->process.set != y->process.set)
        return x->process.set ? -1 : 1;
    if (x->process.value != y->process.value)
        return x->process.value < y->process.value ? -1 : 1;
    const char *x_name = x->host != NULL ? x->host : path_base((*left)->sources[0].path);
    const char *y_name = y->host != NULL ? y->host : path_base((*right)->sources[0].path);
    int order = strcmp(x_name, y_name);
    return order != 0 ? order : strcmp(x->sha256, y->sha256);
}

static bool is_taken(const struct merging *merging, size_t before, const char *name)
{
    for (size_t i = 0; i < before; i++) {
        if (strcmp(merging->names[i], name) == 0)
            return true;
    }
    return false;
}

/* The first of what the file says, its own name, `process_N`, `host#2`, … that is free. The file's
 * name is that without its endings. What PyTorch's handler and people call files is no host's name
 * and differs from run to run: a rank tells them apart. */
static const char *unique_name(struct merging *merging, size_t index)
{
    const struct summary *summary = merging->hosts[index];
    const struct capture_host *host = host_of(summary);
    const char *path = summary->sources[0].path;
    const bool is_hosts =
        strcmp(summary->source_format, "nsight_sqlite") != 0 && strstr(path, ".pt.trace.") == NULL;
    const struct file_place place = file_place_of(path, merging->arena);
    const struct opt_i64 rank = host->process.set ? host->process : place.rank;
    const char *file = rank.set && !is_hosts
                           ? arena_printf(merging->arena, "process_%lld", (long long)rank.value)
                           : place.host;
    const char *first = host->host != NULL ? host->host : file, *name = first;
    if (is_taken(merging, index, name))
        name = file;
    if (is_taken(merging, index, name) && host->process.set)
        name = arena_printf(merging->arena, "process_%lld", (long long)host->process.value);
    for (size_t number = 2; is_taken(merging, index, name); number++)
        name = arena_printf(merging->arena, "%s#%zu", first, number);
    return name;
}

static void hosts_take(struct merging *merging, const struct summary *hosts)
{
    size_t renamed = 0;
    merging->hosts = arena_array(merging->arena, const struct summary *, merging->count);
    merging->names = arena_array(merging->arena, const char *, merging->count);
    merging->first_devices = arena_array(merging->arena, uint32_t, merging->count + 1);
    for (size_t i = 0; i < merging->count; i++)
        merging->hosts[i] = &hosts[i];
    qsort(merging->hosts, merging->count, sizeof *merging->hosts, compare_hosts);
    for (size_t i = 0; i < merging->count; i++) {
        const char *said = host_of(merging->hosts[i])->host;
        merging->names[i] = unique_name(merging, i);
        renamed += said != NULL && strcmp(said, merging->names[i]) != 0;
        merging->first_devices[i + 1] =
            merging->first_devices[i] + (uint32_t)merging->hosts[i]->device_count;
    }
    if (renamed > 0)
        NOTE(&merging->notes,
             "%zu files give a host name that another file has, too ('%s'): those hosts go by "
             "their files' names or ranks.",
             renamed, host_of(merging->hosts[0])->host);
}

/* ---- devices and steps ----------------------------------------------------------------------- */

static void devices_merge(struct merging *merging)
{
    struct summary *summary = merging->summary;
    size_t total = merging->first_devices[merging->count];
    struct device_row *rows = arena_array(merging->arena, struct device_row, total);
    for (size_t h = 0; h < merging->count; h++) {
        const struct summary *host = merging->hosts[h];
        for (size_t d = 0; d < host->device_count; d++) {
            struct device_row *row = &rows[merging->first_devices[h] + d];
            *row = host->devices[d];
            row->host = merging->names[h];
            row->name =
                arena_printf(merging->arena, "%s%s", merging->names[h], host->devices[d].name);
            row->steady_step_median_ps = -1;
        }
    }
    summary->devices = total == 0 ? NULL : rows;
    summary->device_count = total;
}

/* Steps are those of hosts that have devices, when any has. */
static bool has_part(const struct merging *merging, size_t host)
{
    return merging->hosts[host]->steps.count > 0 &&
           (merging->hosts[host]->device_count > 0 || merging->summary->device_count == 0);
}

/* The method of most hosts; of equally many the surer one. */
static enum step_method method_choose(const struct merging *merging)
{
    size_t counts[STEP_METHOD_COUNT] = {0};
    enum step_method best = STEPS_NONE;
    for (size_t h = 0; h < merging->count; h++)
        counts[merging->hosts[h]->steps.method] += has_part(merging, h);
    counts[STEPS_NONE] = 0;
    for (int method = 0; method < STEP_METHOD_COUNT; method++) {
        if (counts[method] > counts[best])
            best = (enum step_method)method;
    }
    return best;
}

static size_t spans_of_host(const struct merging *merging, size_t host, enum step_method method,
                            struct numbered_span *spans)
{
    const struct step_table *table = summary_steps_by(merging->hosts[host], method);
    size_t count = 0;
    int64_t shift;
    (void)merging_shift(merging, host, &shift);
    for (size_t i = 0; table != NULL && i < table->count; i++) {
        for (size_t s = 0; s < table->rows[i].span_count; s++) {
            struct numbered_span *out = spans == NULL ? NULL : &spans[count];
            count++;
            if (out == NULL)
                continue;
            *out = (struct numbered_span){table->rows[i].number, table->rows[i].spans[s]};
            if (out->span.device != UINT32_MAX)
                out->span.device += merging->first_devices[host];
            ps_sum(&out->span.start_ps, shift);
        }
    }
    return count;
}

static int compare_numbers(const void *a, const void *b)
{
    const struct step_row *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

/* A step is warm-up when any host says so, for the reason that the first of them gives; and the
 * host compiled in it when any did. */
static void warmup_merge(const struct merging *merging, const bool *taken, struct step_table *table)
{
    for (size_t h = 0; h < merging->count; h++) {
        const struct step_table *own = summary_steps_by(merging->hosts[h], table->method);
        for (size_t i = 0; taken[h] && i < own->count; i++) {
            struct step_row *row =
                bsearch(&own->rows[i], table->rows, table->count, sizeof *row, compare_numbers);
            if (row == NULL)
                continue;
            row->host_compiled |= own->rows[i].host_compiled;
            if (!own->rows[i].warmup || row->warmup)
                continue;
            row->warmup = true;
            row->warmup_reason = own->rows[i].warmup_reason;
        }
    }
}

/* The steps of the hosts that are taken by table->method. */
static void table_merge(const struct merging *merging, const bool *taken, struct step_table *table)
{
    size_t total = 0, count = 0;
    for (size_t h = 0; h < merging->count; h++)
        total += taken[h] ? spans_of_host(merging, h, table->method, NULL) : 0;
    struct numbered_span *spans = arena_array(merging->arena, struct numbered_span, total);
    for (size_t h = 0; h < merging->count; h++)
        count += taken[h] ? spans_of_host(merging, h, table->method, spans + count) : 0;
    step_rows_make(spans, count, merging->arena, table);
    for (size_t h = 0; h < merging->count && table->program == NULL; h++) {
        if (taken[h])
            table->program = summary_steps_by(merging->hosts[h], table->method)->program;
    }
    warmup_merge(merging, taken, table);
}

/* Steps by the other methods, where all hosts have them. */
static void others_merge(struct merging *merging, bool *taken)
{
    struct summary *summary = merging->summary;
    struct step_table *tables = arena_array(merging->arena, struct step_table, STEP_METHOD_COUNT);
    summary->other_steps = NULL;
    summary->other_step_count = 0;
    for (int m = STEPS_NONE + 1; m < STEP_METHOD_COUNT; m++) {
        struct step_table *table = &tables[summary->other_step_count];
        bool whole = m != (int)summary->steps.method, any = false;
        *table = (struct step_table){.method = (enum step_method)m};
        for (size_t h = 0; h < merging->count; h++) {
            taken[h] = has_part(merging, h);
            any = any || taken[h];
            whole = whole && (!taken[h] || summary_steps_by(merging->hosts[h], table->method));
        }
        if (!whole || !any)
            continue;
        table_merge(merging, taken, table);
        summary->other_steps = tables;
        summary->other_step_count++;
    }
}

static void steps_merge(struct merging *merging)
{
    struct step_table *table = &merging->summary->steps;
    bool *taken = arena_array(merging->arena, bool, merging->count);
    struct steps_left left = {.of = (int64_t)merging->count};
    int64_t steady_spans = 0;
    *table = (struct step_table){.method = method_choose(merging)};
    for (size_t h = 0; h < merging->count; h++) {
        const struct summary *host = merging->hosts[h];
        taken[h] = has_part(merging, h) && summary_steps_by(host, table->method) != NULL;
        if (!taken[h] && (host->steps.count > 0 || host->device_count > 0) && left.count++ == 0) {
            left.first = merging->names[h];
            left.own = host->steps.count > 0 ? host->steps.method : STEPS_NONE;
        }
        steady_spans += merging->hosts[h]->steps.steady_spans;
    }
    table_merge(merging, taken, table);
    left.method = table->method;
    if (left.count > 0 && table->count > 0)
        note_add(&merging->notes, steps_left_words(&left, merging->arena));
    others_merge(merging, taken);
    step_figures_make(merging->summary, merging->arena);
    table->steady_spans = steady_spans;
}

/* ---- sources --------------------------------------------------------------------------------- */

/* The folder that all files have in common. */
static const char *common_folder(const struct merging *merging)
{
    const char *first = merging->hosts[0]->sources[0].path;
    size_t length = strlen(first);
    for (size_t h = 0; h < merging->count; h++) {
        const char *path = merging->hosts[h]->sources[0].path;
        size_t same = 0;
        while (same < length && path[same] == first[same])
            same++;
        while (same > 0 && first[same] != '/')
            same--;
        length = same;
    }
    return length == 0 ? first : arena_strndup(merging->arena, first, length);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void trace_hash(struct merging *merging)
{
    struct summary *summary = merging->summary;
    struct arena *arena = merging->arena;
    const char **lines = arena_array(arena, const char *, merging->count);
    char *digest = arena_alloc(arena, SHA256_HEX_BYTES);
    scoped_sha256 *state = sha256_new();
    uint8_t bytes[SHA256_BYTES];
    for (size_t i = 0; i < merging->count; i++)
        lines[i] =
            arena_printf(arena, "%s  %s\n", summary->sources[i].sha256, summary->sources[i].host);
    qsort(lines, merging->count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < merging->count; i++)
        sha256_add(state, lines[i], strlen(lines[i]));
    sha256_finish(state, bytes);
    text_hex(bytes, sizeof bytes, digest);
    summary->trace_provenance.trace_sha256 = digest;
}

static bool sources_merge(struct merging *merging, const char *path, struct err *err)
{
    struct summary *summary = merging->summary;
    struct capture *capture = &summary->capture;
    summary->sources = arena_array(merging->arena, struct source_file, merging->count);
    *capture =
        (struct capture){.hosts = arena_array(merging->arena, struct capture_host, merging->count)};
    summary->source_count = capture->host_count = merging->count;
    for (size_t h = 0; h < merging->count; h++) {
        summary->sources[h] = merging->hosts[h]->sources[0];
        capture->hosts[h] = *host_of(merging->hosts[h]);
        summary->sources[h].host = capture->hosts[h].host = merging->names[h];
        if (capture->key == NULL)
            capture->key = merging->hosts[h]->capture.key;
    }
    summary->source_path = path != NULL ? path : common_folder(merging);
    trace_hash(merging);
    return arena_ok(merging->arena, "the files of a capture", err);
}

/* ---- what figures are made of ---------------------------------------------------------------- */

static const char *first_reason(const char *reason, const char *other)
{
    return reason != NULL ? reason : other;
}

/* Of work the sum, of memory that of the fullest device. A host without devices tells of none. */
static void measured_merge(struct merging *merging)
{
    struct summary *summary = merging->summary;
    struct measured *sum = &summary->measured;
    *sum = (struct measured){0};
    summary->has_measured = true;
    for (size_t h = 0; h < merging->count; h++) {
        const struct measured *own = &merging->hosts[h]->measured;
        summary->has_measured &= merging->hosts[h]->has_measured;
        ps_sum(&sum->own_ps, own->own_ps);
        ps_sum(&sum->told_ps, own->told_ps);
        sum->model_flops.set |= own->model_flops.set;
        sum->model_flops.value += own->model_flops.set ? own->model_flops.value : 0;
        sum->model_flops_are_beside |= own->model_flops_are_beside;
        sum->model_flops_absent = first_reason(sum->model_flops_absent, own->model_flops_absent);
        sum->compile_absent = first_reason(sum->compile_absent, own->compile_absent);
        sum->hbm_peak_absent = first_reason(sum->hbm_peak_absent, own->hbm_peak_absent);
        sum->program_memory_absent =
            first_reason(sum->program_memory_absent, own->program_memory_absent);
        if (own->program_memory_bytes.set &&
            (!sum->program_memory_bytes.set ||
             own->program_memory_bytes.value > sum->program_memory_bytes.value)) {
            sum->program_memory_bytes = own->program_memory_bytes;
            sum->program = own->program;
            sum->program_memory_is_beside = own->program_memory_is_beside;
            sum->program_buffers = own->program_buffers;
            sum->program_buffer_count = own->program_buffer_count;
        }
        if (!own->hbm_peak_bytes.set ||
            (sum->hbm_peak_bytes.set && own->hbm_peak_bytes.value <= sum->hbm_peak_bytes.value))
            continue;
        sum->hbm_peak_bytes = own->hbm_peak_bytes;
        sum->hbm_allocator = own->hbm_allocator;
    }
    if (sum->hbm_peak_bytes.set)
        sum->hbm_peak_absent = NULL;
    if (sum->program_memory_bytes.set)
        sum->program_memory_absent = NULL;
}

/* A step waits for input as the host does that waits longest (breakdown/step_list.h). */
static void waits_merge(struct merging *merging)
{
    struct step_table *table = &merging->summary->steps;
    struct measured *measured = &merging->summary->measured;
    bool any = false;
    for (size_t h = 0; h < merging->count; h++) {
        const struct step_table *own = summary_steps_by(merging->hosts[h], table->method);
        measured->input_wait_absent = first_reason(measured->input_wait_absent,
                                                   merging->hosts[h]->measured.input_wait_absent);
        for (size_t i = 0; own != NULL && i < own->count; i++) {
            struct step_row *row =
                bsearch(&own->rows[i], table->rows, table->count, sizeof *row, compare_numbers);
            if (row == NULL || !own->rows[i].has_input_wait)
                continue;
            const int64_t period_ps = row->has_period ? row->period_ps : 0;
            const int64_t whole_ps = period_ps > row->max_ps ? period_ps : row->max_ps;
            const int64_t waited_ps = own->rows[i].input_wait_ps;
            if (waited_ps > row->input_wait_ps)
                row->input_wait_ps = waited_ps < whole_ps ? waited_ps : whole_ps;
            any = row->has_input_wait = true;
        }
    }
    if (any)
        measured->input_wait_absent = NULL;
    else if (measured->input_wait_absent == NULL)
        measured->input_wait_absent = "hosts that tell what they wait for input lack the steps";
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What is in use on the devices of all hosts. */
static bool memory_merge(struct merging *merging, struct err *err)
{
    struct summary *summary = merging->summary;
    scoped_grouped rows = {0};
    size_t files = 0, count = 0;
    summary->has_memory = false;
    for (size_t h = 0; h < merging->count; h++) {
        const struct summary *host = merging->hosts[h];
        summary->has_memory = summary->has_memory || host->has_memory;
        files += host->has_memory ? host->memory.source_count : 0;
    }
    if (!summary->has_memory)
        return true;
    struct source_file *sources = arena_array(merging->arena, struct source_file, files);
    grouped_init(&rows, &table_kinds[DATA_TABLE_allocations], merging->arena);
    for (size_t h = 0; h < merging->count; h++) {
        const struct summary *host = merging->hosts[h];
        if (host->has_memory && !memory_rows_add(&host->memory, &rows, err))
            return false;
        for (size_t i = 0; host->has_memory && i < host->memory.source_count; i++)
            sources[count++] = host->memory.sources[i];
    }
    if (!memory_summary_of(&rows, &summary->memory, err))
        return false;
    summary->memory.sources = sources;
    summary->memory.source_count = count;
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool options_check(const struct merging *merging, struct err *err)
{
    const struct producer *first = &merging->hosts[0]->producer;
    for (size_t h = 1; h < merging->count; h++) {
        const struct producer *own = &merging->hosts[h]->producer;
        if (own->definition_version != first->definition_version ||
            own->warmup_steps != first->warmup_steps || own->warmup_fixed != first->warmup_fixed ||
            own->hot_op_limit != first->hot_op_limit ||
            !text_same(own->step_range, first->step_range) ||
            strcmp(own->breakdown_mode, first->breakdown_mode) != 0)
            return err_set(err, ERR_INPUT,
                           "'%s' and '%s' are hosts of one capture, but were read with different "
                           "options or definitions",
                           merging->hosts[0]->sources[0].path, merging->hosts[h]->sources[0].path);
    }
    return true;
}

bool summaries_merge(const struct summary *hosts, size_t count, const char *path,
                     struct arena *arena, struct summary *ret_summary, struct err *err)
{
    struct summary summary = hosts[0];
    struct merging merging = {
        .count = count, .arena = arena, .summary = &summary, .notes = {.arena = arena}};
    if (count == 1) {
        *ret_summary = summary;
        return true;
    }
    hosts_take(&merging, hosts);
    if (!options_check(&merging, err))
        return false;
    summary.producer = merging.hosts[0]->producer;
    devices_merge(&merging);
    steps_merge(&merging);
    merge_ops(&merging);
    merge_reference(&merging);
    if (!sources_merge(&merging, path, err) || !memory_merge(&merging, err))
        return false;
    merge_environment(&merging);
    merge_coverage(&merging);
    measured_merge(&merging);
    waits_merge(&merging);
    char now[CLOCK_ISO_BYTES];
    summary.generated_at_utc = arena_strdup(arena, clock_iso(clock_wall_us(), now));
    *ret_summary = summary;
    return arena_ok(arena, "the summary of a capture", err);
}
