/* The members of profile_summary.v1 that tables tell (profile_summary.v1 §16): alone, or put into a
 * summary of the profile that they were made from. Sums go from left to right.
 */
#include "ingest/hlo/hlo.h"
#include "ingest/intervals/intervals.h"
#include "ingest/reference/reference.h"
#include "ingest/step_table/step_table.h"
#include "ingest/xprof/xprof_reading.h"
#include "schema/documents/op_semantics.h"

#include "ops/runtime/file.h"

#include <stdlib.h>
#include <string.h>

static const double us_per_ms = 1e3, heavy_ratio_least = 1.25;
enum { CLASS_STEPS_LEAST = 4, PERIOD_STEPS_LEAST = 3, FILES_SHOWN_BYTES = 4096 };

/* A number of a row, 0 where there is none. */
static double cell_number(const struct data_table *table, size_t row, const char *id)
{
    return xprof_number(data_cell(table, row, id)).value;
}

/* What is absent: a table without rows. */
static const struct data_table *table_of(const struct xprof_tables *tables, enum xprof_role role)
{
    static const struct data_table none;
    const struct xprof_table *table = xprof_find(tables, role);
    return table == NULL ? &none : &table->data;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static struct opt_i64 period_of(const struct step_value *steps, size_t count)
{
    for (size_t i = 2; i < count; i++)
        if (steps[i].number - steps[i - 1].number != steps[1].number - steps[0].number)
            return (struct opt_i64){0};
    return count < PERIOD_STEPS_LEAST ? (struct opt_i64){0}
                                      : some_i64(steps[1].number - steps[0].number);
}

static struct step_class class_of(const char *name, const struct step_value *steps, size_t count,
                                  size_t all, double *scratch)
{
    return (struct step_class){
        .name = name,
        .count = (int64_t)count,
        .fraction_of_steady = (double)count / (double)all,
        .stats = duration_stats_of(steps, count, scratch),
        .representative_step = some_i64(steps[0].number),
        .representative_duration = some_f64(steps[0].duration_us),
        .periodicity = period_of(steps, count),
    };
}

/* Steps that take more than 1.25 medians are heavy ones, and there are classes if any does. */
static void classes_make(const struct step_value *steps, size_t count, double *scratch,
                         struct arena *arena, struct step_time *time)
{
    struct step_value *sorted = arena_array(arena, struct step_value, 2 * count);
    struct step_class *classes = arena_array(arena, struct step_class, 2);
    const double median = time->steady_state_steps.median.value;
    size_t light = 0, heavy = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_heavy = steps[i].duration_us > heavy_ratio_least * median;
        sorted[is_heavy ? count + heavy++ : light++] = steps[i];
    }
    if (count < CLASS_STEPS_LEAST || !(median > 0) || heavy == 0)
        return;
    classes[0] = class_of("light", sorted, light, count, scratch);
    classes[1] = class_of("heavy", sorted + count, heavy, count, scratch);
    time->classes = classes;
    time->class_count = 2;
}

static void steps_make(const struct data_table *rows, int64_t warmup, struct arena *arena,
                       struct step_time *ret_time)
{
    struct step_value *steps = arena_array(arena, struct step_value, 2 * rows->row_count);
    double *scratch = arena_array(arena, double, rows->row_count);
    struct step_value *steady = steps + rows->row_count;
    size_t count = 0, steady_count = 0;
    for (size_t i = 0; i < rows->row_count; i++) {
        const struct opt_f64 ms = xprof_number(data_cell(rows, i, "stepTimeMs"));
        const struct opt_f64 number = xprof_number(data_cell(rows, i, "stepnum"));
        if (!ms.set)
            continue;
        steps[count] = (struct step_value){number.set ? (int64_t)number.value : (int64_t)i,
                                           ms.value * us_per_ms};
        if (steps[count].number >= warmup)
            steady[steady_count++] = steps[count];
        count++;
    }
    *ret_time = (struct step_time){
        .warmup_steps_ignored = warmup,
        .all_steps = duration_stats_of(steps, count, scratch),
        .steady_state_steps = duration_stats_of(steady, steady_count, scratch),
    };
    classes_make(steady, steady_count, scratch, arena, ret_time);
}

/* ---- breakdown ------------------------------------------------------------------------------- */

static void breakdown_of(const char *basis, const double parts[PART_COUNT], double total,
                         struct time_breakdown *ret_breakdown)
{
    ret_breakdown->duration_basis = basis;
    ret_breakdown->total_duration = total;
    for (int part = 0; part < PART_COUNT; part++) {
        ret_breakdown->part[part].total_duration = parts[part];
        ret_breakdown->part[part].share_of_total = total > 0 ? parts[part] / total : 0;
    }
}

/* A kernel: its name, and what that says. */
static void kernel_class(const struct data_table *kernels, size_t row, struct arena *arena,
                         const char **ret_name, struct name_class *ret_class)
{
    const struct data_value *name = data_cell(kernels, row, "kernel_name");
    *ret_name = name != NULL && name->set && name->kind == DATA_TEXT && name->text[0] != '\0'
                    ? name->text
                    : "unknown";
    name_classify(*ret_name, arena, ret_class);
}

static void breakdown_make(const struct data_table *steps, const struct data_table *kernels,
                           struct arena *arena, struct time_breakdown *ret_breakdown)
{
    static const struct {
        enum breakdown_part part;
        const char *column;
    } columns[] = {{PART_COMPUTE, "deviceComputeTimeMs"},
                   {PART_COMMUNICATION, "deviceCollectivesTimeMs"},
                   {PART_HOST, "infeedTimeMs"},
                   {PART_STALL, "otherTimeMs"}};
    double parts[PART_COUNT] = {0}, total = 0, known = 0;
    for (size_t i = 0; i < steps->row_count; i++) {
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
            parts[columns[k].part] += cell_number(steps, i, columns[k].column) * us_per_ms;
        total += cell_number(steps, i, "stepTimeMs") * us_per_ms;
    }
    for (int part = 0; part < PART_COUNT; part++)
        known += parts[part];
    if (total > 0) {
        parts[PART_OTHER] = total > known ? total - known : 0;
        breakdown_of("xprof_overview_step_time_us", parts, total, ret_breakdown);
        return;
    }
    for (size_t i = 0; i < kernels->row_count; i++) {
        const char *name;
        struct name_class class;
        const double time = cell_number(kernels, i, "total_duration_us");
        kernel_class(kernels, i, arena, &name, &class);
        parts[PART_COMMUNICATION] += class.op_part == PART_COMMUNICATION ? time : 0;
        total += time;
    }
    parts[PART_COMPUTE] = total > parts[PART_COMMUNICATION] ? total - parts[PART_COMMUNICATION] : 0;
    breakdown_of("xprof_kernel_duration_us", parts, total, ret_breakdown);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void hot_ops_make(const struct data_table *kernels, int64_t limit, struct arena *arena,
                         struct summary *summary)
{
    struct hot_op *ops = arena_array(arena, struct hot_op, kernels->row_count);
    struct name_class class;
    for (size_t i = 0; i < kernels->row_count; i++) {
        struct hot_op *op = &ops[i];
        kernel_class(kernels, i, arena, &op->name, &class);
        op->canonical_name = op_canonical_name(arena, op->name);
        op->category = breakdown_part_names[class.op_part];
        op->count = (int64_t)cell_number(kernels, i, "occurrences");
        op->total_duration = op->exclusive_duration = cell_number(kernels, i, "total_duration_us");
        op->avg_duration = op->count > 0 ? op->total_duration / (double)op->count : 0;
    }
    if (kernels->row_count > 0)
        qsort(ops, kernels->row_count, sizeof *ops, hot_op_order);
    summary->hot_op_count = slice_count(kernels->row_count, limit);
    summary->hot_ops = summary->hot_op_count == 0 ? NULL : ops;
}

static void communication_make(const struct data_table *kernels, struct arena *arena,
                               struct summary *summary)
{
    struct communication_op *ops =
        arena_array(arena, struct communication_op, COLLECTIVE_KIND_COUNT);
    struct communication_op kinds[COLLECTIVE_KIND_COUNT] = {{0}};
    size_t count = 0;
    for (size_t i = 0; i < kernels->row_count; i++) {
        const char *name;
        struct name_class class;
        kernel_class(kernels, i, arena, &name, &class);
        if (class.op_part != PART_COMMUNICATION || class.collective == COLLECTIVE_NONE)
            continue;
        struct communication_op *kind = &kinds[class.collective];
        kind->collective = collective_kind_names[class.collective];
        kind->count += (int64_t)cell_number(kernels, i, "occurrences");
        kind->total_duration += cell_number(kernels, i, "total_duration_us");
    }
    for (int i = 0; i < COLLECTIVE_KIND_COUNT; i++) {
        const struct communication_op *kind = &kinds[i];
        if (kind->collective == NULL)
            continue;
        ops[count] = *kind;
        ops[count++].avg_duration =
            kind->count > 0 ? kind->total_duration / (double)kind->count : 0;
    }
    qsort(ops, count, sizeof *ops, communication_op_order);
    summary->communication_op_count = count;
    summary->communication_ops = count == 0 ? NULL : ops;
}

/* The members of both uses. */
static void members_make(const struct xprof_tables *tables, const struct ingest_options *options,
                         struct arena *arena, struct summary *ret_members)
{
    const struct data_table *steps = table_of(tables, XPROF_STEPS);
    const struct data_table *kernels = table_of(tables, XPROF_KERNELS);
    steps_make(steps, options->warmup_steps, arena, &ret_members->step_time);
    breakdown_make(steps, kernels, arena, &ret_members->time_breakdown);
    hot_ops_make(kernels, options->hot_op_limit, arena, ret_members);
    communication_make(kernels, arena, ret_members);
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void list_add(struct notes *notes, const struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        note_add(notes, list->items[i]);
}

/* The properties of steps come first, those of the advice take their place. */
static const char *advice_of(const struct xprof_tables *tables, const char *name)
{
    const char *said = xprof_property(table_of(tables, XPROF_ADVICE), name);
    return said != NULL ? said : xprof_property(table_of(tables, XPROF_STEPS), name);
}

/* What reading the files had to say. */
static void files_said(const struct xprof_tables *tables, struct notes *notes)
{
    list_add(notes, &(const struct string_list){tables->unread.items, tables->unread.count});
    list_add(notes, &(const struct string_list){tables->notes.items, tables->notes.count});
}

static void advice_note(const struct xprof_tables *tables, struct notes *notes)
{
    const char *bottleneck = advice_of(tables, "bottleneck");
    const char *statement = advice_of(tables, "device_collectives_statement");
    statement = statement != NULL ? statement : advice_of(tables, "statement");
    if (bottleneck != NULL)
        NOTE(notes, "xprof bottleneck: %s.", bottleneck);
    if (statement != NULL)
        NOTE(notes, "xprof statement: %s", statement);
}

/* ---- the summary ----------------------------------------------------------------------------- */

/* Which files it is made of. */
static void files_note(const struct xprof_tables *tables, struct notes *notes)
{
    scoped_text names;
    text_init(&names, FILES_SHOWN_BYTES);
    for (size_t i = 0; i < tables->path_count; i++)
        text_addf(&names, "%s%s", i > 0 ? ", " : "", path_base(tables->paths[i]));
    NOTE(notes, "Tables of xprof that were read: %s.",
         names.failed ? "too many to name" : text_string(&names));
}

static void alone_note(const struct xprof_tables *tables, struct arena *arena,
                       struct summary *summary)
{
    struct notes quality = {.arena = arena}, coverage = {.arena = arena};
    note_add(&quality, "Summary was built from xprof aggregate tables, not a Perfetto trace; "
                       "pre-op gap and hierarchical region analysis are unavailable.");
    advice_note(tables, &quality);
    note_add(
        &coverage,
        "Made from tables that xprof exported, without the profile: events have no places in "
        "time, so there are no steps of devices, no gaps, and no idle or exposed time; step_time "
        "and time_breakdown are xprof's.");
    files_note(tables, &coverage);
    if (summary->step_time.all_steps.count == 0)
        note_add(&coverage, "No table tells the time of steps (overview_page).");
    if (summary->hot_op_count == 0)
        note_add(&coverage, "No table tells kernels (kernel_stats).");
    if (summary->op_count == 0)
        note_add(&coverage, "No table tells all ops (op_stats).");
    files_said(tables, &coverage);
    summary->trace_overview.quality_warnings = notes_list(&quality);
    summary->coverage.warnings = notes_list(&coverage);
}

bool xprof_alone(const struct xprof_tables *tables, const struct ingest_options *options,
                 struct arena *arena, struct summary *summary, struct err *err)
{
    summary->trace_overview = (struct trace_overview){
        .display_time_unit = "us",
        .num_events_total = tables->row_count,
        .num_complete_events = (int64_t)table_of(tables, XPROF_KERNELS)->row_count,
        .duration_basis = "xprof_aggregate_tables",
    };
    const struct xprof_run *run = &tables->run;
    struct environment *environment = &summary->environment;
    environment->device_type = run->device_type;
    environment->device_count = run->device_count;
    environment->host_count = run->host_count;
    if (run->tflops.set || run->hbm_gb_per_s.set) {
        environment->peaks = arena_new(arena, struct device_peak);
        environment->peaks[0] =
            (struct device_peak){"all", run->tflops, run->hbm_gb_per_s, "xprof_op_stats"};
        environment->peak_count = 1;
    }
    xprof_ops_sum(tables, arena, summary);
    members_make(tables, options, arena, summary);
    alone_note(tables, arena, summary);
    families_build(options->hot_op_limit, arena, summary);
    candidates_build(arena, summary);
    return arena_ok(arena, "a summary", err);
}

/* ---- beside a profile ------------------------------------------------------------------------ */

static const char tables_advice[] =
    "Give --xprof-tables the folder of the tables that were made of this profile.";

/* Kernels under names that no op has yet. */
static void hot_ops_join(const struct summary *more, int64_t limit, struct arena *arena,
                         struct summary *summary)
{
    size_t count = summary->hot_op_count;
    struct hot_op *ops = arena_array(arena, struct hot_op, count + more->hot_op_count);
    if (count > 0)
        memcpy(ops, summary->hot_ops, count * sizeof *ops);
    for (size_t i = 0; i < more->hot_op_count; i++) {
        size_t known = 0;
        while (known < count && strcmp(ops[known].name, more->hot_ops[i].name) != 0)
            known++;
        if (known == count)
            ops[count++] = more->hot_ops[i];
    }
    if (count > 0)
        qsort(ops, count, sizeof *ops, hot_op_order);
    summary->hot_op_count = slice_count(count, limit);
    summary->hot_ops = summary->hot_op_count == 0 ? NULL : ops;
}

static void merge_note(const struct xprof_tables *tables, const struct summary *members,
                       const struct xprof_match *match, struct arena *arena,
                       struct summary *summary)
{
    struct notes quality = {.arena = arena}, coverage = {.arena = arena};
    list_add(&quality, &summary->trace_overview.quality_warnings);
    advice_note(tables, &quality);
    if (members->step_time.all_steps.count > 0)
        note_add(&quality, "Step timing was augmented from xprof overview aggregate tables.");
    if (members->hot_op_count > 0)
        note_add(&quality,
                 "Kernel hotspot rows from xprof aggregate tables were merged into hot_ops.");
    if (members->communication_op_count > 0)
        note_add(&quality, "Collective timing was augmented from xprof kernel aggregate tables.");
    list_add(&coverage, &summary->coverage.warnings);
    list_add(&coverage, &(const struct string_list){match->doubts.items, match->doubts.count});
    if (match->doubts.count > 0)
        NOTE(&coverage,
             "Yet step_time, time_breakdown, communication_ops and hot_ops have what those tables "
             "tell. %s",
             tables_advice);
    else if (!match->compared &&
             (members->step_time.all_steps.count > 0 || members->hot_op_count > 0))
        note_add(&coverage, "Whether the tables of xprof are of this profile cannot be told: they "
                            "have neither steps nor kernels that both tell.");
    files_note(tables, &coverage);
    files_said(tables, &coverage);
    summary->trace_overview.quality_warnings = notes_list(&quality);
    summary->coverage.warnings = notes_list(&coverage);
    summary->trace_overview.duration_basis =
        arena_printf(arena, "%s+xprof_aggregate_tables", summary->trace_overview.duration_basis);
}

bool xprof_merge(const struct xprof_tables *tables, const struct ingest_options *options,
                 struct arena *arena, struct summary *summary, struct err *err)
{
    struct summary members = {0};
    struct xprof_match match;
    xprof_match(tables, summary, arena, &match);
    /* tables of another profile are put in as they are asked for, but not without a word */
    if (options->strict_input && match.doubts.count > 0)
        return err_set(err, ERR_INPUT, "%s %s", match.doubts.items[0], tables_advice);
    if (options->warn != NULL && match.doubts.count > 0)
        options->warn(summary->source_path, match.doubts.items[0]);
    members_make(tables, options, arena, &members);
    hot_ops_join(&members, options->hot_op_limit, arena, summary);
    merge_note(tables, &members, &match, arena, summary);
    if (members.step_time.all_steps.count > 0)
        summary->step_time = members.step_time;
    if (members.time_breakdown.total_duration > 0)
        summary->time_breakdown = members.time_breakdown;
    if (members.communication_op_count > 0) {
        summary->communication_ops = members.communication_ops;
        summary->communication_op_count = members.communication_op_count;
    }
    families_build(options->hot_op_limit, arena, summary);
    candidates_build(arena, summary);
    return arena_ok(arena, "a summary", err);
}
