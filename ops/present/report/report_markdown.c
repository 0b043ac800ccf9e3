/* The reference tool's report.md, byte for byte where a document holds nothing of ours. What ours
 * says (schema/documents/summary_view.h) stands above it, and of several hosts, which the reference
 * does not know, a section says which is slow.
 *
 * Its quirks are kept: FLOP Proxy/s is per µs, sentences may hold marks, which is why this report
 * does not go through page_markdown.c. Names are not printed as the reference prints them: it lets
 * them end their code spans, and with them raw HTML, links and lines begin.
 */
#include "ops/present/report/report.h"

#include "ops/present/report/gap_regions.h"
#include "ops/present/summary/summary.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/summary_view.h"

#include <string.h>

static void span(struct text *out, const char *text)
{
    text_addc(out, '`');
    harmless_add(out, HARMLESS_CODE, text);
    text_addc(out, '`');
}

static const char *known(const char *text)
{
    return text == NULL || text[0] == '\0' ? "n/a" : text;
}

static void number(struct text *out, struct opt_f64 value)
{
    if (value.set)
        text_addf(out, "%.3f", value.value);
    else
        text_add(out, "n/a");
}

static void optional_count(struct text *out, struct opt_i64 value)
{
    if (value.set)
        text_addf(out, "%lld", (long long)value.value);
    else
        text_add(out, "n/a");
}

static void value_line(struct text *out, const char *label, const char *value)
{
    text_addf(out, "- %s: ", label);
    span(out, value == NULL || value[0] == '\0' ? "unknown" : value);
    text_addc(out, '\n');
}

static void item_line(struct text *out, const char *lead, const char *text)
{
    text_add(out, lead);
    harmless_add(out, HARMLESS_PROSE, text);
    text_addc(out, '\n');
}

static void count_line(struct text *out, const char *label, int64_t count)
{
    text_addf(out, "- %s: `%lld`\n", label, (long long)count);
}

static void number_line(struct text *out, const char *label, struct opt_f64 value)
{
    text_addf(out, "- %s: `", label);
    number(out, value);
    text_add(out, "`\n");
}

/* ---- what the profile is ------------------------------------------------------------------------
 */

/* Ours: as text and HTML say it. Values stand in code spans, where nothing is markup. */
static void view_print(const struct summary_view *view, struct text *out)
{
    text_add(out, "\n## Profile\n| Fact | Value | Of what |\n|---|---:|---|\n");
    for (size_t i = 0; i < view->fact_count; i++) {
        const struct summary_fact *fact = &view->facts[i];
        text_addf(out, "| %s | ", fact->name);
        span(out, fact->value);
        text_add(out, " | ");
        harmless_add(out, HARMLESS_MARKDOWN_CELL, fact->of);
        text_add(out, " |\n");
    }
    if (view->dominant != NULL) {
        text_add(out, "\nMost of the time: ");
        harmless_add(out, HARMLESS_PROSE, view->dominant);
        text_add(out, ".\n");
    }
    text_add(out, "\n_Below are the members of profile_summary.v1 by the reference tool's "
                  "definitions: its own warm-up and breakdown, times in microseconds._\n");
}

static void provenance_print(const struct trace_provenance *provenance, struct text *out)
{
    enum { RUN_IDS_SHOWN = 8 };
    size_t shown = slice_count(provenance->run_ids.count, RUN_IDS_SHOWN);
    text_add(out, "\n## Trace Provenance\n");
    value_line(out, "Trace SHA256", provenance->trace_sha256);
    text_add(out, "- Observed run_ids: `");
    size_t before = out->length;
    for (size_t i = 0; i < shown; i++) {
        text_add(out, i == 0 ? "" : ", ");
        harmless_add(out, HARMLESS_CODE, provenance->run_ids.items[i]);
    }
    text_add(out, out->length == before ? "unknown`\n" : "`\n");
}

static void overview_print(const struct summary *summary, struct text *out)
{
    const struct trace_overview *overview = &summary->trace_overview;
    text_add(out, "\n## Trace Overview\n");
    count_line(out, "Complete events", overview->num_complete_events);
    count_line(out, "Total events", overview->num_events_total);
    count_line(out, "Processes", overview->num_processes);
    count_line(out, "Threads", overview->num_threads);
    value_line(out, "Suspected truncation",
               overview->suspected_truncation ? "yes"
               : summary_cut_told(summary) != NULL
                   ? "no by the count of events; but part of the file was not read"
                   : "no");
    if (overview->quality_warnings.count > 0)
        text_add(out, "- Quality warnings:\n");
    for (size_t i = 0; i < overview->quality_warnings.count; i++)
        item_line(out, "  - ", overview->quality_warnings.items[i]);
}

static void steps_print(const struct step_time *steps, bool has_ours, struct text *out)
{
    const struct duration_stats *stats = &steps->steady_state_steps;
    text_addf(out, "\n## Step Time (Steady State%s)\n", has_ours ? ", profile_summary.v1" : "");
    count_line(out, "Steps counted", stats->count);
    number_line(out, "Median", stats->median);
    number_line(out, "P90", stats->p90);
    number_line(out, "Mean", stats->mean);
    if (steps->class_count == 0)
        return;
    text_add(out,
             "\n## Step Classes\n"
             "| Class | Count | Fraction | Median | P90 | Representative Step | Periodicity |\n"
             "|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < steps->class_count; i++) {
        const struct step_class *row = &steps->classes[i];
        text_add(out, "| ");
        span(out, row->name);
        text_addf(out, " | %lld | %.2f%% | ", (long long)row->count, row->fraction_of_steady * 100);
        number(out, row->stats.median);
        text_add(out, " | ");
        number(out, row->stats.p90);
        text_add(out, " | ");
        optional_count(out, row->representative_step);
        text_add(out, " | ");
        optional_count(out, row->periodicity);
        text_add(out, " |\n");
    }
}

static void slowest_print(const struct host_times *times, double skew,
                          const struct host_time *fastest, struct text *out)
{
    static const char *const starts[] = {
        [HOSTS_BY_STEP] = "- Slowest host: ",
        [HOSTS_BY_PERIOD] = "- Takes longest from a step to the next: ",
        [HOSTS_BY_WORK] = "- Works longest: ",
        [HOSTS_BY_STALL] = "- Runs no op for longest: ",
    };
    const bool waited = times->by == HOSTS_BY_WORK || times->by == HOSTS_BY_STALL;
    if (!skew_tells(skew)) {
        text_addf(out, "- %s\n", hosts_alike);
        return;
    }
    text_add(out, starts[times->by]);
    span(out, known(times->rows[0].name));
    text_addf(out, ", `%+.2f%%` against %s", skew, waited ? "" : "the fastest (");
    span(out, known(fastest->name));
    text_add(out, waited ? "; the others wait for it in collectives\n" : ")\n");
}

/* Ours: the reference knows one host only, whose report has no such section. */
static void hosts_print(const struct summary *summary, struct arena *arena, struct text *out)
{
    struct host_times times;
    const struct host_time *fastest = NULL;
    host_times_make(summary, arena, &times);
    struct opt_f64 skew = host_times_skew(&times, &fastest);
    if (!skew.set)
        return;
    text_add(out, "\n## Hosts\n");
    slowest_print(&times, skew.value, fastest, out);
    text_add(out, "\n| Host | Devices | Step Median | Step to Step | Work | In Collectives | "
                  "Clock Ahead |\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < times.count; i++) {
        const struct host_time *host = &times.rows[i];
        text_add(out, "| ");
        span(out, known(host->name));
        text_addf(out, " | %lld | ", (long long)host->device_count);
        number(out, host->step_median_us);
        text_add(out, " | ");
        number(out, host->period_us);
        text_add(out, " | ");
        number(out, host->work_us);
        text_add(out, " | ");
        number(out, host->collectives_us);
        text_add(out, " | ");
        span(out, known(host->clock_offset_us));
        text_add(out, " |\n");
    }
}

static void breakdown_print(const struct time_breakdown *breakdown, bool has_ours, struct text *out)
{
    static const char *const names[PART_COUNT] = {"Compute", "Communication", "Host", "Stall",
                                                  "Other"};
    text_add(out, "\n## Time Breakdown (");
    span(out, breakdown->duration_basis);
    text_addf(out, "%s)\n| Category | Duration | Share |\n|---|---:|---:|\n",
              has_ours ? ", profile_summary.v1" : "");
    for (int i = 0; i < PART_COUNT; i++)
        text_addf(out, "| %s | %.3f | %.2f%% |\n", names[i], breakdown->part[i].total_duration,
                  breakdown->part[i].share_of_total * 100);
}

/* ---- lists that top_k cuts ----------------------------------------------------------------------
 */

static void regions_print(const struct summary *summary, int64_t top_k, struct arena *arena,
                          struct text *out)
{
    size_t shown = slice_count(summary->hierarchical_region_count, top_k);
    const struct region_roots roots = region_roots_make(summary, arena);
    text_add(out, "\n## Hierarchical Regions\n"
                  "| Region Path | Depth | Count | Inclusive | Inclusive % | Exclusive | "
                  "Exclusive % |\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < shown; i++) {
        const struct hierarchical_region *region = &summary->hierarchical_regions[i];
        text_add(out, "| ");
        span(out, region->path);
        text_addf(out, " | %lld | %lld | %.3f | %.2f%% | %.3f | %.2f%% |\n",
                  (long long)region->depth, (long long)region->count, region->inclusive_duration,
                  region_share(&roots, region, region->inclusive_duration) * 100,
                  region->exclusive_duration,
                  region_share(&roots, region, region->exclusive_duration) * 100);
    }
}

static void ops_print(const struct summary *summary, int64_t top_k, struct text *out)
{
    size_t shown = slice_count(summary->hot_op_count, top_k);
    text_add(out, "\n## Top Ops\n"
                  "| Op | Canonical | Category | Count | Exclusive | Avg | Shape Signature |\n"
                  "|---|---|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < shown; i++) {
        const struct hot_op *op = &summary->hot_ops[i];
        text_add(out, "| ");
        span(out, op->name);
        text_add(out, " | ");
        span(out, op->canonical_name);
        text_add(out, " | ");
        harmless_add(out, HARMLESS_MARKDOWN_CELL, op->category);
        text_addf(out, " | %lld | %.3f | %.3f | ", (long long)op->count, op->exclusive_duration,
                  op->avg_duration);
        span(out, known(op->shape_signature));
        text_add(out, " |\n");
    }
}

static void families_print(const struct summary *summary, int64_t top_k, struct text *out)
{
    size_t shown = slice_count(summary->semantic_family_count, top_k);
    text_add(out, "\n## Semantic Families\n"
                  "_Note: FLOP proxy metrics are relative scaling heuristics from trace shapes, "
                  "not hardware MFU._\n"
                  "| Family | Count | Exclusive | Share | Avg Exclusive | FLOP Proxy Total | FLOP "
                  "Proxy/s | Example Op |\n|---|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < shown; i++) {
        const struct semantic_family *row = &summary->semantic_families[i];
        struct opt_f64 cost = row->time_per_flop_proxy;
        text_add(out, "| ");
        span(out, row->family);
        text_addf(out, " | %lld | %.3f | %.2f%% | %.3f | ", (long long)row->count,
                  row->exclusive_duration, row->share_of_total * 100, row->avg_exclusive_duration);
        number(out, row->flop_proxy_total);
        if (cost.set && cost.value > 0)
            text_addf(out, " | %.3e | ", 1.0 / cost.value);
        else
            text_add(out, " | n/a | ");
        span(out, row->example_op == NULL || row->example_op[0] == '\0' ? "n/a" : row->example_op);
        text_add(out, " |\n");
    }
}

static void collectives_print(const struct summary *summary, int64_t top_k, struct text *out)
{
    size_t shown = slice_count(summary->communication_op_count, top_k);
    text_add(out, "\n## Communication Collectives\n"
                  "| Collective | Count | Exclusive | Avg |\n|---|---:|---:|---:|\n");
    for (size_t i = 0; i < shown; i++) {
        const struct communication_op *op = &summary->communication_ops[i];
        text_add(out, "| ");
        harmless_add(out, HARMLESS_MARKDOWN_CELL, op->collective);
        text_addf(out, " | %lld | %.3f | %.3f |\n", (long long)op->count, op->total_duration,
                  op->avg_duration);
    }
}

static void gaps_print(const struct summary *summary, int64_t top_k, struct text *out)
{
    size_t shown = slice_count(summary->gap_before_op_count, top_k);
    text_add(out, "\n## Pre-Op Gaps\n"
                  "| Payload Op | Marker Op | Count | Total Gap | Max Gap | Avg Gap |\n"
                  "|---|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < shown; i++) {
        const struct gap_before_op *gap = &summary->gap_before_ops[i];
        text_add(out, "| ");
        span(out, gap->payload_op);
        text_add(out, " | ");
        span(out, gap->marker_op);
        text_addf(out, " | %lld | %.3f | %.3f | %.3f |\n", (long long)gap->count,
                  gap->total_gap_duration, gap->max_gap_duration, gap->avg_gap_duration);
    }
}

static void contexts_print(const struct summary *summary, int64_t top_k, struct arena *arena,
                           struct text *out)
{
    struct gap_region *regions;
    size_t count;
    gap_regions_make(summary, arena, &regions, &count);
    text_add(out, "\n## Gap Context (Region-First)\n"
                  "| Region Path | Count | Total Gap | Avg Gap | Top Payload Ops |\n"
                  "|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < slice_count(count, top_k); i++) {
        const struct gap_region *region = &regions[i];
        text_add(out, "| ");
        span(out, region->path);
        text_addf(out, " | %lld | %.3f | %.3f | `", (long long)region->count, region->total,
                  region->count == 0 ? 0.0 : region->total / (double)region->count);
        size_t before = out->length;
        for (size_t k = 0; k < region->op_count && k < GAP_REGION_OPS_SHOWN; k++) {
            text_add(out, k == 0 ? "" : ", ");
            harmless_add(out, HARMLESS_CODE, region->ops[k].name);
        }
        text_add(out, out->length == before ? "n/a` |\n" : "` |\n");
    }
}

static void texts_print(const char *title, const struct string_list *texts, struct text *out)
{
    text_addf(out, "\n%s\n", title);
    for (size_t i = 0; i < texts->count; i++)
        item_line(out, "- ", texts->items[i]);
}

static void candidates_print(const struct summary *summary, const struct summary_view *view,
                             struct text *out)
{
    text_add(out, "\n## Optimization Candidates\n");
    for (size_t i = 0; i < summary->optimization_candidate_count; i++) {
        const struct optimization_candidate *candidate = &summary->optimization_candidates[i];
        if (summary->has_ours && summary_view_refutes(view, candidate))
            continue;
        text_add(out, i == 0 ? "" : "\n");
        item_line(out, "### ", candidate->title);
        item_line(out, "", candidate->rationale);
        texts_print("Evidence:", &candidate->evidence, out);
        texts_print("Suggestions:", &candidate->suggestions, out);
    }
}

bool report_markdown(const struct summary *summary, int64_t top_k, struct text *out,
                     struct err *err)
{
    scoped_arena arena;
    struct summary_view view;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    summary_view_make(summary, &arena, &view);
    text_add(out, "# Profile Report (");
    harmless_add(out, HARMLESS_PROSE, summary->schema_version);
    text_add(out, ")\n");
    if (summary->has_ours)
        view_print(&view, out);
    /* Hardware and topology mean the same to both: where the run does not say them, the
     * profile may. */
    const struct run_metadata *run = &summary->run_metadata;
    bool ours = summary->has_ours;
    const char *made = summary->generated_at_utc;
    text_add(out, "\n## Run Metadata\n");
    value_line(out, "Run", run->run_path);
    value_line(out, "Artifact", run->artifact_ref);
    value_line(out, "Hardware",
               ours && run->hardware_type == NULL ? view.device_type : run->hardware_type);
    value_line(out, "Topology",
               ours && run->mesh_or_topology == NULL ? view.topology : run->mesh_or_topology);
    value_line(out, "Git SHA", run->git_sha);
    value_line(out, "Generated At (UTC)", made == NULL ? "None" : made);
    provenance_print(&summary->trace_provenance, out);
    overview_print(summary, out);
    steps_print(&summary->step_time, summary->has_ours, out);
    hosts_print(summary, &arena, out);
    breakdown_print(&summary->time_breakdown, summary->has_ours, out);
    regions_print(summary, top_k, &arena, out);
    ops_print(summary, top_k, out);
    families_print(summary, top_k, out);
    collectives_print(summary, top_k, out);
    gaps_print(summary, top_k, out);
    contexts_print(summary, top_k, &arena, out);
    candidates_print(summary, &view, out);
    /* One line end, whatever white space the last text brings. */
    const char *start = text_string(out);
    size_t length = out->length;
    text_strip(&start, &length);
    out->length = (size_t)(start + length - text_string(out));
    text_addc(out, '\n');
    return text_ok(out, "the report", err) && arena_ok(&arena, "the report", err);
}
