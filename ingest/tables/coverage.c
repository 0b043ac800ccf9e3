/* What the summary does not hold and why: an empty list is never silent. */
#include "ingest/source/source.h"
#include "ingest/steps/steps.h"
#include "ingest/tables/tables.h"
#include "ingest/timeline/timeline.h"
#include "ingest/wire/wire.h"

#include "ops/runtime/file.h"
#include "schema/documents/told_ops.h"

#include <string.h>

static int64_t plane_out_of_range(const struct plane_state *state)
{
    return state->out_of_range[STAGE_SUMS] + state->out_of_range[STAGE_OPS];
}

static void counts_fill(const struct profile *profile, struct coverage *coverage)
{
    int64_t idle_ps = 0, spans = 0;
    for (size_t i = 0; i < profile->line_count; i++) {
        coverage->events_dropped_counter += profile->lines[i].dropped.counter;
        coverage->events_dropped_zero += profile->lines[i].dropped.zero;
        coverage->events_dropped_nameless += profile->lines[i].dropped.nameless;
    }
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        const struct device_sums *sums = profile->planes[p].sums;
        ps_add(&idle_ps, sums == NULL ? 0 : sums->steady_idle_ps);
        spans += sums == NULL ? 0 : sums->steady_spans;
        coverage->events_out_of_range += plane_out_of_range(&profile->planes[p]);
        for (size_t i = 0; i < plane->line_count; i++)
            coverage->unsorted_lines += plane->lines[i].unsorted_us || plane->lines[i].unsorted_ps;
    }
    for (size_t s = 0; s < profile->space_count; s++) {
        const struct xspace *space = &profile->spaces[s];
        coverage->events_dropped_counter += space->dropped.counter;
        coverage->events_dropped_zero += space->dropped.zero;
        coverage->events_dropped_nameless += space->dropped.nameless;
        coverage->bytes_read += space->input.size_bytes - space->unread_bytes;
        coverage->bytes_unread += space->unread_bytes;
        opt_count_add(&coverage->bytes_behind, space->behind_bytes);
        opt_count_add(&coverage->files_unproven, space->is_unproven);
    }
    if (spans > 0)
        coverage->steady_idle_us_per_step = (double)idle_ps / 1e6 / (double)spans;
}

static void input_notes(const struct profile *profile, const struct coverage *coverage,
                        struct notes *notes)
{
    int64_t texts_cut = profile->catalog.texts_cut;
    for (size_t p = 0; p < profile->plane_count; p++)
        texts_cut += profile->planes[p].plane->ops.texts_cut;
    for (size_t i = 0; i < profile->line_count; i++)
        texts_cut += profile->lines[i].dropped.texts_cut;
    for (size_t s = 0; s < profile->space_count; s++) {
        const struct xspace *space = &profile->spaces[s];
        texts_cut += space->texts_cut;
        if (space->unread_bytes > 0)
            note_add(notes, space_unread_told(space, notes->arena));
        if (space->behind_bytes > 0)
            NOTE(
                notes,
                "'%s' is followed by %lld bytes that are no part of the profile and were not read.",
                path_base(space->input.path), (long long)space->behind_bytes);
        if (space->is_unproven)
            NOTE(notes,
                 "The gzip checksum of '%s' is wrong or missing: bytes may have been changed on "
                 "their way.",
                 path_base(space->input.path));
        for (size_t i = 0; i < space->notes.count; i++)
            note_add(notes, space->notes.items[i]);
    }
    if (coverage->unsorted_lines > 0)
        NOTE(notes, "%lld %s not in timeline order and %s sorted.",
             (long long)coverage->unsorted_lines,
             coverage->unsorted_lines == 1 ? "line was" : "lines were",
             coverage->unsorted_lines == 1 ? "was" : "were");
    if (texts_cut > 0)
        NOTE(notes,
             "%lld %s cut: no more than %d KiB are kept of a name or a path, %d KiB of an "
             "instruction.",
             (long long)texts_cut,
             texts_cut == 1 ? "name, path or text was" : "names, paths or texts were",
             NAME_MAX_BYTES / 1024, TEXT_MAX_BYTES / 1024);
    if (coverage->events_dropped_nameless > 0)
        NOTE(notes, "%lld %s left out.", (long long)coverage->events_dropped_nameless,
             coverage->events_dropped_nameless == 1 ? "event has no name and was"
                                                    : "events have no name and were");
    for (size_t p = 0; p < profile->plane_count; p++) {
        int64_t lost = plane_out_of_range(&profile->planes[p]);
        if (lost > 0)
            NOTE(notes,
                 "Times of plane '%s' span more than the 106 days that can be counted: %lld events "
                 "that do not fit are missing from devices, ops and steps.",
                 profile->planes[p].plane->process, (long long)lost);
    }
}

static void compressed_notes(const struct profile *profile, struct notes *notes)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (plane->ops.has_inflated)
            NOTE(notes,
                 "Texts of plane '%s' are compressed: ops knows them, the reference's tables "
                 "(hot_ops, regions, gaps) do not.",
                 plane->process);
        if (plane->ops.has_unread)
            NOTE(notes, "Compressed texts of plane '%s' were not read: broken, or of events.",
                 plane->process);
    }
}

/* Times that a device shows are not those of its own clock. */
static void clock_note(const struct profile *profile, struct notes *notes)
{
    const struct xplane *most = NULL;
    int64_t planes = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (plane->clock == NULL)
            continue;
        planes++;
        if (most == NULL || plane->clock->spread_ps > most->clock->spread_ps)
            most = plane;
    }
    if (most != NULL)
        NOTE(notes,
             "The times that events show jump against the clocks of their devices (%lld %s, by up "
             "to %.3f ms on '%s'): steps, ops and devices are by those clocks, the reference's "
             "tables (hot_ops, regions, gaps) by the times that are shown.",
             (long long)planes, planes == 1 ? "device" : "devices",
             (double)most->clock->spread_ps / 1e9, most->process);
}

/* SparseCores work beside the cores whose steps and ops are shown. */
static void sparse_core_notes(const struct profile *profile, struct notes *notes)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        int64_t count = 0;
        for (size_t i = 0; plane_is_sparse_core(plane) && i < plane->line_count; i++) {
            if (line_is_sparse_core_ops(&plane->lines[i]))
                count += profile->lines[plane->lines[i].ordinal].count;
        }
        if (plane_is_sparse_core(plane))
            NOTE(notes,
                 "'%s' is a SparseCore: its ops (%lld) are in time_breakdown, but not in "
                 "devices, ops and steps.",
                 plane->process, (long long)count);
    }
}

static void device_notes(const struct profile *profile, const struct summary *summary,
                         struct notes *notes)
{
    size_t planes = 0, sparse_cores = 0;
    int64_t summed = 0; /* events of lines of ops that were added up by what wrote the profile */
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        sparse_cores += plane_is_sparse_core(plane);
        planes += plane->is_device && !plane_is_sparse_core(plane);
        for (size_t i = 0; i < plane->line_count; i++)
            if (plane->lines[i].role == LINE_OPS)
                summed += profile->lines[plane->lines[i].ordinal].dropped.counter;
    }
    if (summed > 0)
        NOTE(notes,
             "%lld %s only how often and how long (num_occurrences), and not when: ops, steps and "
             "times of devices are without them.",
             (long long)summed, summed == 1 ? "event of ops tells" : "events of ops tell");
    if (planes == 0 && sparse_cores > 0)
        NOTE(notes, "No device planes but those of %zu SparseCores, so there are no ops.",
             sparse_cores);
    else if (planes == 0)
        NOTE(notes,
             "No device planes: only host threads were profiled, or nothing says which are of "
             "devices, so there are no ops.");
    else if (summary->device_count == 0 && summed == 0)
        NOTE(notes, "None of %zu device planes has a line of ops ('XLA Ops' or 'Stream #…').",
             planes);
    else if (summary->device_count < planes && summed == 0)
        NOTE(notes, "%zu of %zu device planes hold no ops.", planes - summary->device_count,
             planes);
    if (profile->name_collisions > 0)
        NOTE(notes, "%lld devices are named like another one: their names end in '#2' and so on.",
             (long long)profile->name_collisions);
    if (summary->environment.device_type == NULL)
        NOTE(notes, "The device type is unknown; give it with --meta device_type=…");
}

/* Kernels that say which program they are of, which would know what they do. */
static bool kernels_name_programs(const struct profile *profile)
{
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct op_detail *detail = used_detail(&profile->used[i]);
        if (profile->used[i].state->plane->has_streams &&
            (detail->has_program || detail->module != STRING_NONE))
            return true;
    }
    return false;
}

static void op_notes(struct profile *profile, const struct summary *summary, struct notes *notes)
{
    enum { LARGE_SHARE_PCT = 10 };
    double busy = 0, unattributed = 0; /* all ops' time, and that of those without a path */
    const struct told_ops ops = told_ops_of(summary);
    for (size_t i = 0; i < ops.count; i++) {
        const struct op_row *op = &ops.items[i];
        if (op->asynchronous)
            continue;
        busy += (double)op->self_ps;
        unattributed += strcmp(op->phase, "unattributed") == 0 ? (double)op->self_ps : 0;
    }
    const double share = busy > 0 ? unattributed / busy * 100 : 0;
    const double launched = share > LARGE_SHARE_PCT ? launched_share(profile) * 100 : 0;
    if (summary->device_count > 0 && launched > LARGE_SHARE_PCT)
        NOTE(
            notes,
            "%.1f %% of device time has no framework path of its own: regions miss it. Launches "
            "name the framework's op for %.1f %% of it, by which tables of ops and phases tell it.",
            share, 100 * launched / share);
    else if (summary->device_count > 0 && share > LARGE_SHARE_PCT)
        NOTE(notes, "%.1f %% of device time has no framework path: phases and regions miss it.",
             share);
    if (share > LARGE_SHARE_PCT && profile->programs_unsaid == NULL && !summary->has_program_ops &&
        kernels_name_programs(profile))
        NOTE(notes, "No program (HLO) of the kernels lies in the file or beside it, which would "
                    "tell their phases, categories and work: keep /host:metadata, or dump them "
                    "(XLA_FLAGS=--xla_dump_to=DIR --xla_dump_hlo_as_proto).");
    if (profile->programs_unsaid != NULL)
        NOTE(notes, "%s", profile->programs_unsaid);
    if (summary->device_count > 1 && summary->communication_op_count == 0)
        NOTE(notes, "No collectives were recognised on any device.");
}

/* Ops that no annotation holds: an evaluation between steps or behind the last one, and steps that
 * nobody marked. */
static void apart_fill(const struct profile *profile, struct coverage *coverage,
                       struct notes *notes)
{
    int64_t count = 0, self_ps = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        count += profile->planes[p].apart_count;
        ps_add(&self_ps, profile->planes[p].apart_self_ps);
    }
    if (count == 0)
        return;
    coverage->ops_apart = some_i64(count);
    coverage->ops_apart_us = some_f64((double)self_ps / 1e6);
    NOTE(notes,
         "%lld ops of devices (%.3f ms of their own time, all devices together) are of no step: "
         "they do not belong to what a step's annotation holds, nor to what usually follows one.",
         (long long)count, (double)self_ps / 1e9);
}

/* What the numbers of annotations say that annotations do not. */
static void numbers_fill(const struct profile *profile, struct coverage *coverage,
                         struct notes *notes)
{
    size_t renumbered = 0;
    for (size_t s = 0; profile->host_steps != NULL && s < profile->space_count; s++) {
        renumbered += profile->host_steps[s].renumbered;
        opt_count_add(&coverage->steps_unmarked, profile->host_steps[s].unmarked);
    }
    if (renumbered > 0)
        NOTE(notes,
             "The numbers of steps come back, as where each epoch counts anew or all steps have "
             "one number: %zu annotations are counted on from the ones before.",
             renumbered);
    const long long unmarked = coverage->steps_unmarked.value;
    if (unmarked > 0)
        NOTE(notes,
             "%lld %s no annotation, by the numbers of those that have one: what ran in %s is of "
             "no step.",
             unmarked, unmarked == 1 ? "step has" : "steps have", unmarked == 1 ? "it" : "them");
}

/* "steps 0 to 2 (the host compiled meanwhile)" for the rows of each reason that stand together. */
static void warmup_note(const struct profile *profile, const struct step_table *steps,
                        struct notes *notes)
{
    enum { NOTE_BYTES = 2000, PARTS_NAMED = 8 };
    static const struct {
        const char *reason, *text;
    } warmup_texts[] = {
        {WARMUP_COMPILATION, "the host compiled meanwhile"},
        {WARMUP_HOST_WAIT, "slower than the rest, as the device waited"},
        {WARMUP_APART, "slower than the rest by more than their noise"},
    };
    size_t parts = 0;
    scoped_text text;
    text_init(&text, NOTE_BYTES);
    for (size_t i = 0, next; i < steps->count; i = next) {
        const char *reason = steps->rows[i].warmup_reason;
        for (next = i + 1; next < steps->count && steps->rows[next].warmup_reason == reason;)
            next++;
        if (reason == NULL || strcmp(reason, WARMUP_CUT) == 0 || parts++ >= PARTS_NAMED)
            continue;
        text_addf(&text, "%s%s %lld", parts == 1 ? "" : ", ", next - i == 1 ? "step" : "steps",
                  (long long)steps->rows[i].number);
        if (next - i > 1)
            text_addf(&text, " to %lld", (long long)steps->rows[next - 1].number);
        if (strcmp(reason, WARMUP_NUMBER) == 0)
            text_addf(&text, " (numbered below %lld)", (long long)profile->options->warmup_steps);
        for (size_t k = 0; k < sizeof warmup_texts / sizeof warmup_texts[0]; k++) {
            if (strcmp(warmup_texts[k].reason, reason) == 0)
                text_addf(&text, " (%s)", warmup_texts[k].text);
        }
    }
    if (parts > 0)
        NOTE(notes, "Left out as warm-up: %s.", text_shown(&text));
}

/* How steps were found where nothing marked them. */
static void method_note(const struct profile *profile, const struct summary *summary,
                        struct notes *notes)
{
    const struct step_table *steps = &summary->steps;
    static const char *const of_programs[STEP_METHOD_COUNT] = {
        [STEPS_MODULE_RUN] = "runs of the main program",
        [STEPS_LAUNCH] = "launches of the main program",
        [STEPS_CALL] = "calls of the main function"};
    const bool of_host = steps->method == STEPS_HOST || steps->method == STEPS_CALL;
    const char *known =
        steps->method == STEPS_LAUNCH && !profile->run_ahead ? ": nobody marked steps."
        : !of_host                                           ? "."
        : summary->device_count > 0
            ? ": of devices there is nothing but copies, which tell neither how long a step takes "
              "there nor which op takes how long."
            : ": there are no ops of devices, so which op takes how long is not known.";
    if (profile->run_ahead)
        NOTE(notes, "Annotations bound no steps here: the host ran ahead, and the device was at "
                    "work of earlier ones when they began or ended. Which of it belongs to which "
                    "is not known without the launches of ops: capture these, or wait for the "
                    "device at the end of each step.");
    if (of_programs[steps->method] != NULL && steps->program != NULL)
        NOTE(notes, "Steps are %s, %s, counted from 0%s", of_programs[steps->method],
             steps->program, known);
    else if (steps->method == STEPS_HOST)
        NOTE(notes, "Steps are the host's annotations, as long as they last there%s", known);
}

static void step_notes(const struct profile *profile, struct summary *summary, struct notes *notes)
{
    const struct step_table *steps = &summary->steps;
    const struct cut_step *cut = &profile->cut;
    const size_t compiled = steps_recompiled(steps), of = steps_recompiled_of(steps);
    static const int64_t rounding_ps = 1000000; /* of clocks: steps that touch */
    size_t overlapping = 0;
    for (size_t i = 0; i < steps->count; i++)
        overlapping += steps->rows[i].has_gap && steps->rows[i].gap_before_ps < -rounding_ps;
    if (steps->count == 0 && profile->run_ahead)
        NOTE(notes, "No steps were found: annotations bound none, and nothing tells which program "
                    "ran when.");
    else if (steps->count == 0)
        NOTE(notes, "No steps were found: no `Steps` line whose events are named by numbers, no "
                    "step annotation with a step_num, no run or launch of a program on a device "
                    "with ops, and no calls of a compiled function that the host waited for.");
    warmup_note(profile, steps, notes);
    if (cut->found)
        NOTE(notes,
             "The capture ended before its last step did: step %lld ran %lld ops of a device, up "
             "to the last one of all, the others %lld and more.%s",
             (long long)cut->number, (long long)cut->op_count, (long long)cut->other_count,
             cut->left_out ? " It is left out." : "");
    if (compiled > 0)
        NOTE(notes,
             "%zu of %zu %ssteps %s (recompilation); a median over steps need not show what that "
             "costs.",
             compiled, of, of < steps->count ? "steady " : "",
             compiled == 1 ? "has the host compiling in it" : "have the host compiling in them");
    if (steps->count > 0 && steps->steady_count == 0)
        NOTE(notes, "All %zu steps are warm-up: no steady step is left to measure.", steps->count);
    method_note(profile, summary, notes);
    if (summary->step_time.all_steps.count == 0 && steps->count > 0)
        NOTE(notes, "step_time is empty although steps were found: the reference's rule knows only "
                    "`Steps` lines and host events named `train`.");
    missing_steps_note(summary, notes);
    if (step_method_is_annotated(steps->method))
        numbers_fill(profile, &summary->coverage, notes);
    if (steps->method == STEPS_ANNOTATION)
        apart_fill(profile, &summary->coverage, notes);
    if (overlapping > 0)
        NOTE(notes,
             "%zu of %zu steps %s before the one before has ended: what they share is in the "
             "time of both, and the period tells more than the duration.",
             overlapping, steps->count, overlapping == 1 ? "begins" : "begin");
}

void coverage_build(struct profile *profile, struct summary *summary)
{
    struct coverage *coverage = &summary->coverage;
    struct notes notes = {.arena = profile->arena};
    counts_fill(profile, coverage);
    input_notes(profile, coverage, &notes);
    compressed_notes(profile, &notes);
    clock_note(profile, &notes);
    device_notes(profile, summary, &notes);
    sparse_core_notes(profile, &notes);
    op_notes(profile, summary, &notes);
    step_notes(profile, summary, &notes);
    coverage->warnings = notes_list(&notes);
}
