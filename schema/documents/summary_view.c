/* Implements the view of a summary. */
#include "schema/documents/summary_view.h"

#include "schema/documents/told_ops.h"

#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <string.h>

enum { DIGITS = 4 };

static const char *const method_texts[STEP_METHOD_COUNT] = {
    [STEPS_NONE] = "no steps were found",
    [STEPS_LINE] = "from the devices' line of steps",
    [STEPS_ANNOTATION] = "from the host's step annotations",
    [STEPS_MODULE_RUN] = "from runs of the main program: no step markers were found",
    [STEPS_LAUNCH] = "from launches of the main program: no step markers were found",
    [STEPS_HOST] = "from the host's step annotations, as long as they last on the host",
    [STEPS_CALL] = "from calls of a compiled function on the host: no step markers were found",
};

const char *step_method_text(enum step_method method)
{
    return method_texts[method] == NULL ? step_method_names[method] : method_texts[method];
}

static const char *first_known(const char *ours, const char *theirs)
{
    return ours != NULL && ours[0] != '\0' ? ours : theirs;
}

static void environment_view(const struct summary *summary, struct summary_view *view)
{
    const struct environment *ours = &summary->environment;
    const struct run_metadata *run = &summary->run_metadata;
    view->device_type = first_known(ours->device_type, run->hardware_type);
    view->topology = first_known(ours->topology, run->mesh_or_topology);
    view->device_count = ours->device_count.set ? ours->device_count : run->num_devices;
    view->host_count = ours->host_count.set ? ours->host_count : run->num_hosts;
}

static void steps_view(const struct summary *summary, struct summary_view *view)
{
    const struct duration_stats *stats = &summary->step_time.steady_state_steps;
    bool ours = summary->has_ours;
    view->step_median_us = ours ? summary->steps.steady_median_us : stats->median;
    view->step_p90_us = ours ? summary->steps.steady_p90_us : stats->p90;
    view->steady_steps = ours ? summary->steps.steady_count : stats->count;
    view->steps = ours ? (int64_t)summary->steps.count : 0;
}

static void devices_view(const struct summary *summary, struct summary_view *view)
{
    double window = 0, busy = 0, compute = 0, exposed = 0, overlapped = 0, copies = 0;
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct device_row *device = &summary->devices[i];
        window += (double)device->window_ps;
        busy += (double)device->busy_ps;
        compute += (double)device->compute_ps;
        exposed += (double)device->exposed_comm_ps;
        overlapped += (double)device->overlapped_comm_ps;
        copies += (double)device->exposed_copy_ps;
    }
    if (window <= 0)
        return;
    view->busy = some_f64(busy / window);
    view->compute = some_f64(compute / window);
    view->exposed_communication = some_f64(exposed / window);
    view->overlapped_communication = some_f64(overlapped / window);
    view->exposed_copies = some_f64(copies / window);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *hardware_words(const struct summary_view *view, struct arena *arena)
{
    scoped_text text;
    text_init(&text, SIZE_MAX);
    if (view->device_count.set)
        text_addf(&text, "%lld x ", (long long)view->device_count.value);
    text_add(&text, view->device_type == NULL ? "unknown device" : view->device_type);
    if (view->host_count.set && view->host_count.value > 1)
        text_addf(&text, " on %lld hosts", (long long)view->host_count.value);
    return text_keep(&text, arena);
}

static void step_add(const struct summary_view *view, struct text *out)
{
    char number[FORMAT_BYTES];
    if (!view->step_median_us.set) {
        text_add(out, "no steady steps found");
        return;
    }
    text_addf(out, "step %s", format_duration(view->step_median_us.value, DIGITS, number));
    if (view->step_p90_us.set)
        text_addf(out, " (p90 %s)", format_duration(view->step_p90_us.value, DIGITS, number));
    char steps[FORMAT_COUNTED_BYTES];
    text_addf(out, " over %s", format_counted(view->steady_steps, "steady step", steps));
}

/* What managers read first stands first, where it is known. */
static void figure_headline(const struct summary_view *view, int figure, const char *label,
                            struct text *out)
{
    const struct summary_figure *told = &view->figures[figure];
    char number[FORMAT_BYTES];
    if (told->value.set)
        text_addf(out, "%s %s, ", label,
                  measure_text(told->unit, told->value.value, false, number));
}

static const char *headline_words(const struct summary_view *view, struct arena *arena)
{
    char busy[FORMAT_BYTES], exposed[FORMAT_BYTES];
    scoped_text text;
    text_init(&text, SIZE_MAX);
    text_addf(&text, "%s: ", view->hardware);
    figure_headline(view, FIGURE_mfu, "MFU", &text);
    figure_headline(view, FIGURE_tokens_per_second_per_device, "tokens per device", &text);
    step_add(view, &text);
    if (view->busy.set)
        text_addf(&text,
                  "; devices are busy for %s of their windows, with exposed communication "
                  "for %s",
                  format_share(view->busy.value, busy),
                  format_share(view->exposed_communication.value, exposed));
    return text_keep(&text, arena);
}

/* Of what tells no times. */
static const char *memory_words(const struct memory_summary *memory, struct arena *arena)
{
    const struct memory_share *fullest = memory_fullest(memory);
    char all[FORMAT_BYTES], most[FORMAT_BYTES];
    (void)format_size(memory->bytes, all);
    if (fullest == NULL)
        return arena_printf(arena, "device memory: %s in use", all);
    return arena_printf(arena, "device memory: %s in use, %s of it on %s", all,
                        format_size(fullest->bytes, most), fullest->name);
}

/* What takes half of the time leaves no doubt about where to look. */
static const double dominant_share = 0.5;

static void dominant_view(const struct summary *summary, struct arena *arena,
                          struct summary_view *view)
{
    static const char windows[] = "the devices' windows";
    static const char version_1[] = "the time that profile_summary.v1 breaks down";
    const struct time_breakdown *breakdown = &summary->time_breakdown;
    struct opt_f64 idle = {view->busy.set, 1 - view->busy.value};
    const struct {
        const char *name, *of;
        struct opt_f64 share;
    } parts[] = {
        {"compute takes", windows, view->compute},
        {"exposed communication takes", windows, view->exposed_communication},
        {"copies beside no compute take", windows, view->exposed_copies},
        {"idle time takes", windows, idle},
        {"compute takes", version_1, some_f64(breakdown->part[PART_COMPUTE].share_of_total)},
        {"communication takes", version_1,
         some_f64(breakdown->part[PART_COMMUNICATION].share_of_total)},
        {"the host takes", version_1, some_f64(breakdown->part[PART_HOST].share_of_total)},
        {"stalls take", version_1, some_f64(breakdown->part[PART_STALL].share_of_total)},
    };
    char share[FORMAT_BYTES];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool is_ours = parts[i].of == windows;
        if (is_ours != view->busy.set || !parts[i].share.set ||
            parts[i].share.value < dominant_share)
            continue;
        view->dominant = arena_printf(arena, "%s %s of %s", parts[i].name,
                                      format_share(parts[i].share.value, share), parts[i].of);
        return;
    }
}

static const char *cut_among(const struct string_list *warnings)
{
    static const char *const words[] = {"ends early", "is cut off", "was cut off", "is broken"};
    for (size_t i = 0; i < warnings->count; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strstr(warnings->items[i], words[k]) != NULL)
                return warnings->items[i];
    return NULL;
}

const char *summary_cut_told(const struct summary *summary)
{
    const char *told = cut_among(&summary->coverage.warnings);
    return told != NULL ? told : cut_among(&summary->trace_overview.quality_warnings);
}

bool summary_view_refutes(const struct summary_view *view,
                          const struct optimization_candidate *candidate)
{
    /* The reference adds tracks up: what one stream does beside another counts in full there. Its
     * own bounds, of what the devices' windows tell. */
    static const double communication_least = 0.15, gap_least = 0.05;
    const struct {
        const char *id;
        bool is_refuted;
    } known[] = {
        {"no-dominant-bottleneck", view->dominant != NULL},
        {"communication-heavy", view->exposed_communication.set &&
                                    view->exposed_communication.value < communication_least},
        {"pre-op-gap", view->busy.set && 1 - view->busy.value < gap_least},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(candidate->candidate_id, known[i].id) == 0)
            return known[i].is_refuted;
    }
    return false;
}

static const char *reason_words(const struct step_row *row)
{
    static const struct {
        const char *reason, *words;
    } known[] = {
        {WARMUP_NUMBER, "its number"},
        {WARMUP_COMPILATION, "compilation"},
        {WARMUP_HOST_WAIT, "the device waited for the host"},
        {WARMUP_APART, "apart from the rest"},
        {WARMUP_CUT, "the capture ended before it did"},
    };
    for (size_t i = 0; row->warmup_reason != NULL && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].reason, row->warmup_reason) == 0)
            return known[i].words;
    }
    return row->warmup_reason == NULL ? "warm-up" : row->warmup_reason;
}

enum { STEPS_NAMED = 5 };

static void left_out_view(const struct summary *summary, struct arena *arena,
                          struct summary_view *view)
{
    scoped_text text;
    size_t count = 0;
    text_init(&text, SIZE_MAX);
    for (size_t i = 0; i < summary->steps.count; i++) {
        const struct step_row *row = &summary->steps.rows[i];
        if (row->warmup && count++ < STEPS_NAMED)
            text_addf(&text, "%sstep %lld (%s)", count == 1 ? "" : ", ", (long long)row->number,
                      reason_words(row));
    }
    if (count > STEPS_NAMED)
        text_addf(&text, " and %zu more", count - STEPS_NAMED);
    view->left_out = count == 0 ? NULL : text_keep(&text, arena);
}

/* Which hosts of the job the capture holds. */
static void hosts_view(const struct summary *summary, struct arena *arena,
                       struct summary_view *view)
{
    const struct capture *capture = &summary->capture;
    scoped_text text;
    text_init(&text, SIZE_MAX);
    if (!summary->has_capture ||
        (capture->host_count < 2 && capture->missing.count == 0 && !capture->expected_count.set))
        return;
    const int64_t all =
        capture->expected_count.set ? capture->expected_count.value : (int64_t)capture->host_count;
    char counted[FORMAT_COUNTED_BYTES];
    if (capture->expected_count.set)
        text_addf(&text, "%zu of ", capture->host_count);
    text_add(&text, format_counted(all, capture_host_kind(capture), counted));
    for (size_t i = 0; i < capture->missing.count; i++)
        text_addf(&text, "%s%s", i == 0 ? "; missing: " : ", ", capture->missing.items[i]);
    view->hosts = text_keep(&text, arena);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* What is not known has no row. */
static void fact_add(struct summary_view *view, const char *name, const char *value, const char *of)
{
    if (value != NULL && view->fact_count < SUMMARY_FACTS_MAX)
        view->facts[view->fact_count++] = (struct summary_fact){name, value, of};
}

static void time_add(struct summary_view *view, struct arena *arena, const char *name,
                     struct opt_f64 us, const char *of)
{
    char number[FORMAT_BYTES];
    if (us.set)
        fact_add(view, name, arena_strdup(arena, format_duration(us.value, DIGITS, number)), of);
}

static void facts_fill(const struct summary *summary, struct arena *arena,
                       struct summary_view *view)
{
    char number[FORMAT_BYTES];
    const char *over = arena_printf(
        arena,
        summary->has_ours ? "over %lld steady steps, each as long as its slowest device's"
                          : "over %lld steady steps, as profile_summary.v1 counts them",
        (long long)view->steady_steps);
    fact_add(view, "Hardware", view->hardware, "");
    /* Known figures of a step but that of communication, which stands with the devices' shares. */
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const struct summary_figure *figure = &view->figures[i];
        if (figure->value.set && i != FIGURE_exposed_communication_share)
            fact_add(
                view, figure_names[i],
                arena_strdup(arena, measure_text(figure->unit, figure->value.value, false, number)),
                figure->of);
    }
    time_add(view, arena, "Step time, median", view->step_median_us, over);
    time_add(view, arena, "Step time, p90", view->step_p90_us, over);
    if (summary->has_ours)
        fact_add(view, "Steps",
                 arena_printf(arena, "%lld, %lld of them steady", (long long)view->steps,
                              (long long)view->steady_steps),
                 step_method_text(summary->steps.method));
    fact_add(view, "Left out as warm-up", view->left_out, "of all steps");
    fact_add(view, "Hosts in the capture", view->hosts, "of the job");
    /* Where paths of ops tell them. */
    const struct phase_times times = phase_times_of(summary);
    if (summary->has_ours && times.known) {
        scoped_text text;
        text_init(&text, SIZE_MAX);
        phase_times_print(&times, &text);
        fact_add(view, "Phases", text_keep(&text, arena), phase_times_source(summary));
    }
    const struct {
        const char *name;
        struct opt_f64 share;
    } shares[] = {
        {"Busy", view->busy},
        {"Compute", view->compute},
        {"Exposed communication", view->exposed_communication},
        {"Hidden communication", view->overlapped_communication},
        {"Exposed copies", view->exposed_copies},
    };
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (shares[i].share.set)
            fact_add(view, shares[i].name,
                     arena_strdup(arena, format_share(shares[i].share.value, number)),
                     "of the devices' windows, all devices together");
}

void summary_view_make(const struct summary *summary, struct arena *arena,
                       struct summary_view *ret_view)
{
    struct summary_view view = {0};
    environment_view(summary, &view);
    steps_view(summary, &view);
    devices_view(summary, &view);
    if (summary->has_ours && !summary_is_memory(summary))
        figures_of(summary, view.figures);
    view.hardware = hardware_words(&view, arena);
    view.headline = summary_is_memory(summary) ? memory_words(&summary->memory, arena)
                                               : headline_words(&view, arena);
    dominant_view(summary, arena, &view);
    left_out_view(summary, arena, &view);
    hosts_view(summary, arena, &view);
    facts_fill(summary, arena, &view);
    *ret_view = view;
}
