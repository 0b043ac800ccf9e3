/* The rules, each a function and a line of the table. A threshold is where people who look at
 * profiles begin to speak of it; ingest/README.md lists them. */
#include "ingest/findings/findings.h"

#include "ingest/allocators/allocators.h"
#include "ingest/findings/finding_ops.h"
#include "ingest/findings/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TINY_KERNELS_LEAST = 100 };
static const double TRANSFER_LEAST = .05, DEVICE_COPY_LEAST = .05, WIDE_LEAST = .20,
                    NARROW_MOST = .10, TINY_TIME_LEAST = .05, TINY_COUNT_LEAST = .5;

static double average_us(const struct examined *host, enum step_part part)
{
    return step_list_stats(host->steps, part, READING_OURS).average.value;
}

/* Of ops that something holds of. */
static struct ops_asked ops_that(const struct examined *host, op_holds_fn *holds)
{
    return (struct ops_asked){
        .holds = holds, .whole_us = step_list_whole_us(host->steps), .spans = host->steps->count};
}

static struct ops_share kernels_sum(const struct examined *host, op_holds_fn *holds)
{
    struct ops_asked asked = ops_that(host, holds);
    asked.of_kernels = true;
    return ops_share_of(host->summary, &asked);
}

static void op_name(const struct examined *host, const struct op_row *op, struct finding *finding)
{
    finding->op = op == NULL ? NULL : arena_strdup(host->arena, op->name);
}

/* Fills what a sum over ops says. */
static void sum_tell(const struct examined *host, const struct ops_share *sum,
                     struct finding *finding)
{
    finding->share = some_f64(sum->share);
    finding->time_us = sum->time_us;
    if (sum->count.set)
        finding->count = some_i64((int64_t)(sum->count.value + .5));
    op_name(host, sum->most, finding);
}

/* ---- the host -------------------------------------------------------------------------------- */

/* Those of programs themselves (`copy-done`) are of a rule of their own. */
static bool host_transfers(const struct examined *host, struct finding *finding)
{
    const struct ops_asked asked = ops_that(host, op_waits_for_copy);
    const struct ops_share waits = ops_share_of(host->summary, &asked);
    const double us = average_us(host, STEP_HOST_TO_DEVICE) +
                      average_us(host, STEP_DEVICE_TO_HOST) -
                      (waits.time_us.set ? waits.time_us.value : 0);
    if (host->steps->absent[STEP_HOST_TO_DEVICE] != NULL ||
        finding_share(host, us) < TRANSFER_LEAST)
        return false;
    const struct ops_share copies = kernels_sum(host, op_copies_across);
    if (copies.most != NULL)
        sum_tell(host, &copies, finding);
    finding_time(host, us, finding);
    char copied[FORMAT_BYTES], whole[FINDING_WHOLE_BYTES];
    finding->evidence =
        arena_printf(host->arena, "copies between host and device take %s of %s alone",
                     format_duration(us, FINDING_DIGITS, copied), finding_whole(host, whole));
    finding->remedy = remedy_of(host->steps, REMEDY_TRANSFERS);
    return true;
}

/* ---- the device ------------------------------------------------------------------------------ */

/* What programs copy to lay it out otherwise, or wait for, is of rules of its own. */
static bool device_copies(const struct examined *host, struct finding *finding)
{
    const struct ops_share copies = kernels_sum(host, op_copies_on_device);
    const double alone_us = average_us(host, STEP_DEVICE_TO_DEVICE);
    const double us = copies.time_us.set ? fmin(copies.time_us.value, alone_us) : alone_us;
    if (copies.most == NULL || copies.share < DEVICE_COPY_LEAST ||
        finding_share(host, us) < DEVICE_COPY_LEAST)
        return false;
    sum_tell(host, &copies, finding);
    finding_time(host, us, finding);
    char copied[FORMAT_BYTES], whole[FINDING_WHOLE_BYTES];
    finding->evidence = arena_printf(
        host->arena, "copies from device to device, on it or between them, take %s of %s alone",
        format_duration(us, FINDING_DIGITS, copied), finding_whole(host, whole));
    finding->remedy = remedy_of(host->steps, REMEDY_COPIES);
    return true;
}

static bool tiny_kernels(const struct examined *host, struct finding *finding)
{
    const struct ops_share tiny = kernels_sum(host, op_is_tiny_kernel);
    const struct ops_share all = kernels_sum(host, op_is_compute);
    if (!tiny.count.set || tiny.count.value < TINY_KERNELS_LEAST ||
        tiny.count.value < TINY_COUNT_LEAST * all.count.value || tiny.share < TINY_TIME_LEAST)
        return false;
    sum_tell(host, &tiny, finding);
    finding->evidence =
        arena_printf(host->arena, "%.0f of %.0f kernels of a step last less than 5 µs on average",
                     tiny.count.value, all.count.value);
    finding->remedy = remedy_of(host->steps, REMEDY_TINY_KERNELS);
    return true;
}

static bool slow_device_of_host(const struct examined *host, struct finding *finding)
{
    return !finding_is_cut(host) && slow_device(host, finding);
}

/* Rules that are about what ops take alone. Of those that move data an op counts in the first that
 * holds. */
static const struct ops_rule {
    const char *name;
    op_holds_fn *holds;
    double least;
    const char *evidence, *remedy;
    bool moves;
} ops_rules[] = {
    {"rematerialisation", op_is_recomputed, .10, "computing what was computed before takes",
     "save more in the checkpoint policy where memory allows it (jax.checkpoint_policies), or "
     "offload it to the host",
     false},
    {"layout_copies", op_formats_data, .05, "copying, transposing and reshaping data takes",
     "keep layouts the same along the model: order of einsum axes, no transposes between matmuls, "
     "parameters stored as they are used",
     true},
    {"padding", op_pads, .05, "padding arrays takes",
     "choose sizes that need no padding: multiples of the tile (128 on TPUs, 8 or 64 on GPUs) for "
     "batch, heads, vocabulary and parts of a sharding",
     true},
    {"data_shuffling", op_shuffles_data, .30,
     "moving data about (slices, gathers, scatters, sorts, copies) instead of computing takes",
     "keep arrays in one layout and one piece: no slicing in loops, small gathers as products with "
     "one-hot, updates in place by donating buffers",
     true},
    {"copy_waits", op_waits_for_copy, .05,
     "waiting for asynchronous copies between memories, which nothing hides, takes",
     "offload less to the host, prefetch earlier, or put more compute between start and end of a "
     "copy",
     false},
    {"hidden_names", op_hides_names, .10,
     "what is in command buffers, whose kernels no op of the program names, takes",
     "profile with XLA_FLAGS=--xla_gpu_enable_command_buffer= (empty)", false},
    {"barrier_cores", op_waits_for_cores, .10, "waiting at barriers for other cores takes",
     "find the core or the host that comes last (the work of each device in `table steps`, the "
     "input of each host), and even out the shards",
     false},
    {"debug_prints", op_prints, .05, "jax.debug.print and callbacks take",
     "take them out of the step", false},
};

static bool ops_rule_holds(const struct examined *host, const struct ops_rule *rule,
                           op_holds_fn *const *apart, struct finding *finding)
{
    struct ops_asked asked = ops_that(host, rule->holds);
    for (size_t i = 0; rule->moves && i < OPS_APART_MOST; i++)
        asked.apart[i] = apart[i];
    const struct ops_share sum = ops_share_of(host->summary, &asked);
    if (sum.share < rule->least || sum.most == NULL)
        return false;
    sum_tell(host, &sum, finding);
    char whole[FINDING_WHOLE_BYTES];
    finding->evidence = arena_printf(host->arena, "%s %.1f %% of %s", rule->evidence,
                                     100 * sum.share, finding_whole(host, whole));
    finding->remedy = rule->remedy;
    return true;
}

static const char compute_narrow[] =
    "compute in bfloat16 where the model allows it, and keep float32 for sums";

/* Where most ops do not tell their flops, as those of libraries on GPUs do not, by time: what
 * computes next to nothing in 16 bits but multiplies much. */
static bool wide_products(const struct examined *host, struct finding *finding)
{
    const struct opt_f64 narrow = narrow_time_share(host->summary);
    const struct ops_asked asked = ops_that(host, op_multiplies_wide);
    const struct ops_share sum = ops_share_of(host->summary, &asked);
    char whole[FINDING_WHOLE_BYTES];
    if (!narrow.set || narrow.value >= NARROW_MOST || sum.most == NULL || sum.share < WIDE_LEAST)
        return false;
    sum_tell(host, &sum, finding);
    finding->evidence =
        arena_printf(host->arena,
                     "matrix products and convolutions without an array of 16 bits or less take "
                     "%.1f %% of %s, and of what computes %.1f %% has one",
                     100 * sum.share, finding_whole(host, whole), 100 * narrow.value);
    finding->remedy = compute_narrow;
    return true;
}

static bool wide_precision(const struct examined *host, struct finding *finding)
{
    const struct op_row *most;
    const struct opt_f64 share = wide_flops_share(host->summary, &most);
    if (!share.set)
        return wide_products(host, finding);
    if (share.value < WIDE_LEAST)
        return false;
    op_name(host, most, finding);
    finding->evidence = arena_printf(
        host->arena, "%.1f %% of the flops have no operand of 16 bits or less", 100 * share.value);
    finding->remedy = compute_narrow;
    return true;
}

/* ---- the profile itself ---------------------------------------------------------------------- */

static bool capture_in_warmup(const struct examined *host, struct finding *finding)
{
    const struct step_table *steps = &host->summary->steps;
    const size_t warmup = steps_first_warmup(steps);
    if (warmup == 0 || 2 * warmup < steps->count)
        return false;
    finding->count = some_i64((int64_t)warmup);
    finding->evidence =
        arena_printf(host->arena, "%zu of %zu steps are warm-up", warmup, steps->count);
    finding->remedy = "start the profiler later (after 10 steps, say) or record more of them";
    return true;
}

static const char *drop_told(const struct string_list *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcasestr(texts->items[i], "drop") != NULL)
            return texts->items[i];
    return NULL;
}

static bool dropped_events(const struct examined *host, struct finding *finding)
{
    const char *told = NULL;
    for (size_t i = 0; i < host->profile->space_count; i++) {
        if (host->profile->spaces[i].unread_bytes == 0)
            continue;
        const char *cut = space_unread_told(&host->profile->spaces[i], host->arena);
        finding->evidence = arena_strndup(host->arena, cut, strlen(cut) - 1); /* no full stop */
        finding->remedy = "copy the file again; nothing here tells of what it lacks, and what "
                          "devices seem to wait for is not looked at";
        return true;
    }
    for (size_t i = 0; i < host->profile->space_count && told == NULL; i++) {
        told = drop_told(&host->profile->spaces[i].errors);
        if (told == NULL)
            told = drop_told(&host->profile->spaces[i].warnings);
    }
    struct opt_f64 traces = {0};
    for (size_t p = 0; p < host->profile->plane_count && !traces.set; p++)
        traces =
            plane_stat_positive(plane_stat_find(host->profile->planes[p].plane, "dropped_traces"));
    if (traces.set)
        finding->evidence =
            arena_printf(host->arena, "the collector dropped %.0f traces", traces.value);
    else if (told != NULL)
        finding->evidence = arena_printf(host->arena, "the collector says: %s", told);
    else if (host->summary->trace_overview.suspected_truncation)
        finding->evidence = arena_strdup(host->arena, "the events are exactly as many as a "
                                                      "collector keeps");
    else
        return false;
    finding->remedy = strcmp(host->summary->source_format, "xplane_pb") == 0
                          ? "record fewer steps, or without the tracer of Python "
                            "(host_tracer_level 1, python_tracer_level 0)"
                          : "record fewer steps, or less of the host (PyTorch: with_stack=False)";
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    rule_fn *holds;
} rules[] = {
    {"recompilation", host_recompiles},       {"host_stall", host_stalls},
    {"checkpoint_writes", host_saves},        {"host_transfers", host_transfers},
    {"device_copies", device_copies},         {"tiny_kernels", tiny_kernels},
    {"slow_device", slow_device_of_host},     {"wide_precision", wide_precision},
    {"capture_in_warmup", capture_in_warmup}, {"dropped_events", dropped_events},
};

static void finding_keep(struct finding_list *list, const struct finding *finding)
{
    list->items =
        arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *finding;
}

static bool findings_find(struct finding_list *list, struct profile *profile,
                          const struct summary *summary, const struct step_list *steps,
                          struct err *err)
{
    const struct examined host = {profile, summary, steps, list->arena};
    const char *name = arena_strdup(list->arena, profile->spaces[0].host);
    if (steps->count == 0)
        return true;
    const int64_t process = steps->items[0].process;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct finding finding = {.rule = rules[i].name, .host = name, .process = process};
        if (rules[i].holds(&host, &finding))
            finding_keep(list, &finding);
    }
    op_holds_fn *moving[OPS_APART_MOST] = {NULL};
    size_t moving_count = 0;
    for (size_t i = 0; i < sizeof ops_rules / sizeof ops_rules[0]; i++) {
        struct finding finding = {.rule = ops_rules[i].name, .host = name, .process = process};
        if (!ops_rule_holds(&host, &ops_rules[i], moving, &finding))
            continue;
        finding_keep(list, &finding);
        if (ops_rules[i].moves && moving_count < OPS_APART_MOST)
            moving[moving_count++] = ops_rules[i].holds;
    }
    struct finding leak = {.rule = "memory_leak", .host = name, .process = process};
    bool leaks = false;
    if (!memory_leak_find(profile, steps, &leaks, &leak, err))
        return false;
    if (leaks)
        finding_keep(list, &leak);
    struct finding bound = {.host = name, .process = process};
    if (!roof_bound_find(profile, summary, list->arena, &bound, err))
        return false;
    if (bound.rule != NULL)
        finding_keep(list, &bound);
    return arena_ok(list->arena, "the findings of a profile", err);
}

bool examination_add(struct examination *examination, struct profile *profile,
                     const struct summary *summary, struct err *err)
{
    const size_t before = examination->steps.count;
    if (!step_list_add(&examination->steps, profile, summary, err))
        return false;
    struct listed_host *host = &examination->steps.hosts[examination->steps.host_count - 1];
    if (!idle_event_find(profile, &host->idle, examination->steps.arena, &host->idle_event, err))
        return false;
    struct step_list own = examination->steps;
    own.items += before;
    own.count -= before;
    step_list_settle(&own);
    const struct op_row *most;
    examination->tells_memory |= allocators_tell(profile);
    examination->tells_precision |=
        wide_flops_share(summary, &most).set || narrow_time_share(summary).set;
    examination->is_cut |= finding_is_cut(&(struct examined){.profile = profile});
    return findings_find(&examination->findings, profile, summary, &own, err);
}

static int finding_order(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    const double more = a->share.set ? a->share.value : -1,
                 less = b->share.set ? b->share.value : -1;
    if (more != less)
        return more > less ? -1 : 1;
    return strcmp(a->rule, b->rule);
}

/* Findings of one of several hosts are told by the name that it has among them; what one costs that
 * is left out of the list is of other steps than the list's. Nor does what a host waits for stay
 * that is not what holds up the job; it may be a host of which nothing is known. */
static void hosts_join(const struct examined *all, struct finding_list *list)
{
    const struct step_list *steps = all->steps;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct finding *finding = &list->items[i];
        const struct listed_host *host = step_list_host(steps, finding->process);
        const bool holds_up = steps->host_count < 2 || strcmp(finding->rule, "host_stall") != 0 ||
                              (steps->left_count == 0 && host_stall_counts(all, finding));
        finding->host = host->name;
        if (holds_up && (!host->is_left || !finding->time_us.set))
            list->items[kept++] = *finding;
    }
    list->count = kept;
}

static bool slow_device_of_all(const struct examined *all, struct finding *finding)
{
    return all->steps->host_count > 1 && slow_device(all, finding);
}

/* What only the devices of all hosts show; not what they wait for where a file was cut. */
static const struct {
    const char *name;
    rule_fn *holds;
    bool waits, of_tables_alone; /* of a profile each host is asked */
} capture_rules[] = {
    {"slow_device", slow_device_of_all, true, false},
    {"exposed_communication", exposed_communication, false, false},
    {"uneven_devices", uneven_devices, true, false},
    {"slow_steps", slow_steps, false, false},
    {"host_stall", host_stalls, true, true},
};

bool examination_settle(struct examination *examination, struct err *err)
{
    struct step_list *steps = &examination->steps;
    const struct examined all = {.steps = steps, .arena = steps->arena};
    step_list_settle(steps);
    hosts_join(&all, &examination->findings);
    for (size_t i = 0; steps->count > 0 && i < sizeof capture_rules / sizeof capture_rules[0];
         i++) {
        struct finding finding = {.rule = capture_rules[i].name};
        if ((capture_rules[i].waits && examination->is_cut) ||
            (capture_rules[i].of_tables_alone && !steps->of_tables))
            continue;
        finding.host = steps->host_count == 1 ? steps->items[0].host : NULL;
        if (capture_rules[i].holds(&all, &finding))
            finding_keep(&examination->findings, &finding);
    }
    struct finding_list *list = &examination->findings;
    size_t kept = 0;
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, finding_order);
    for (size_t i = 0; i < list->count; i++) {
        size_t known = 0;
        while (known < kept && strcmp(list->items[known].rule, list->items[i].rule) != 0)
            known++;
        if (known == kept)
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
    return arena_ok(examination->findings.arena, "the findings of a profile", err);
}

#define NO_LEAKS "memory_leak was not looked for: "
size_t examination_unlooked(const struct examination *examination,
                            const char *ret_words[UNLOOKED_MOST])
{
    static const char *const leaks[FRAMEWORK_COUNT] = {
        [FRAMEWORK_XLA] = NO_LEAKS "no event of an allocator tells what is in use, as most clients "
                                   "of JAX on GPUs do not; compare `table allocations` of two "
                                   "memory.prof some steps apart",
        [FRAMEWORK_TORCH] = NO_LEAKS "what traces of PyTorch tell of memory is not read; log "
                                     "torch.cuda.memory_allocated() from step to step",
        [FRAMEWORK_ANY] = NO_LEAKS "no event of an allocator tells what is in use",
    };
    static const char precision[] =
        "wide_precision was not looked for: ops that tell the types of their arrays, or whose "
        "kernels' names do, take less than half of the time";
    const struct step_list *steps = &examination->steps;
    size_t count = 0;
    if (steps->of_tables || steps->device_count == 0)
        return 0;
    if (!examination->tells_memory)
        ret_words[count++] = framework_words(steps->framework, leaks);
    if (!examination->tells_precision)
        ret_words[count++] = precision;
    return count;
}
