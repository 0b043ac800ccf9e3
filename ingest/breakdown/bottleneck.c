/* See bottleneck.h. Thresholds are those of ingest/README.md. */
#include "ingest/breakdown/bottleneck.h"

#include <math.h>

const char *const bottleneck_names[BOTTLENECK_COUNT] = {
    [BOTTLENECK_INPUT] = "input",
    [BOTTLENECK_OUTPUT] = "output",
    [BOTTLENECK_KERNEL_LAUNCH] = "kernel_launch",
    [BOTTLENECK_ALL_OTHER] = "all_other",
    [BOTTLENECK_COLLECTIVES] = "collectives",
};

/* What a share is of, from where it counts, and what to do about it. */
struct judged {
    double moderate, high;
    const char *what, *remedy;
};

static const struct judged judged[BOTTLENECK_COUNT] = {
    [BOTTLENECK_INPUT] = {.05, .20, "waits for input",
                          "prefetch batches, load them on more threads, or make them smaller"},
    [BOTTLENECK_OUTPUT] = {.05, .20, "copies results to the host",
                           "fetch losses and metrics less often, and not in the step"},
    [BOTTLENECK_KERNEL_LAUNCH] = {.03, .15, "is spent on launching kernels", NULL},
    [BOTTLENECK_ALL_OTHER] = {.03, .15, "is none of what the profile names",
                              "look at what the host does between launches: Python, logging, I/O"},
    [BOTTLENECK_COLLECTIVES] = {.03, .15, "is communication that nothing hides",
                                "overlap collectives with compute, or send less"},
};

/* Of TPUs all idle time is one thing, launches too, and collectives are judged later. */
static const struct judged tpu_idle = {
    .03, .15, "is time in which the cores do nothing",
    "look at what the host does between launches, and at the shards of the slowest core"};
static const struct judged tpu_collectives = {
    .06, .15, "is communication that nothing hides",
    "overlap collectives with compute, or shard otherwise"};

/* Of launches, which each framework makes cheaper in its own way. */
#define APART "and keep the host's threads from competing with the loader"
static const char *const launch_remedies[FRAMEWORK_COUNT] = {
    [FRAMEWORK_XLA] = "compile larger pieces (jit the whole step, command buffers), " APART,
    [FRAMEWORK_TORCH] = "launch larger pieces (torch.compile, CUDA graphs), " APART,
    [FRAMEWORK_ANY] = "launch larger pieces (JAX: jit the whole step; PyTorch: torch.compile; CUDA "
                      "graphs), " APART,
};

/* xprof's share of collectives holds what devices wait for each other. */
static const char uneven_remedy[] =
    "most of it is waiting for slower devices, which `stepledger table findings` tells more of";

static const struct judged *rule_of(const struct step_list *list, enum bottleneck_kind kind)
{
    return list->is_tpu && kind == BOTTLENECK_ALL_OTHER     ? &tpu_idle
           : list->is_tpu && kind == BOTTLENECK_COLLECTIVES ? &tpu_collectives
                                                            : &judged[kind];
}

/* xprof calls output and input the copies of either direction. */
static bool part_is_of(const struct step_list *list, enum bottleneck_kind kind, enum step_part part)
{
    switch (kind) {
    case BOTTLENECK_INPUT:
        return part == STEP_INPUT_WAIT || part == STEP_HOST_TO_DEVICE;
    case BOTTLENECK_OUTPUT:
        return part == STEP_DEVICE_TO_HOST;
    case BOTTLENECK_KERNEL_LAUNCH:
        return !list->is_tpu && part == STEP_KERNEL_LAUNCH;
    case BOTTLENECK_ALL_OTHER:
        return part == STEP_IDLE ||
               (list->is_tpu &&
                (part == STEP_KERNEL_LAUNCH || part == STEP_HOST_COMPUTE || part == STEP_COMPILE));
    case BOTTLENECK_COLLECTIVES:
        return part == STEP_COLLECTIVES;
    case BOTTLENECK_COUNT:
        break;
    }
    return false;
}

static double parts_ps(const struct step_list *list, const struct device_step *times,
                       enum bottleneck_kind kind)
{
    double ps = 0;
    for (int part = 0; part < STEP_PART_COUNT; part++)
        if (part_is_of(list, kind, (enum step_part)part))
            ps += (double)times->xprof_ps[part];
    return ps;
}

/* Where input is waited for between steps, which xprof's have none of, it is of all the time. */
static struct opt_f64 share_of_periods(const struct step_list *list)
{
    const bool followed = step_list_followed(list);
    double input = 0, behind = 0, whole = 0;
    for (size_t i = 0; i < list->count; i = step_list_next(list, i)) {
        if (followed && !list->items[i].has_period)
            continue;
        const struct device_step *times = &step_list_waiter(list, i)->times;
        const double step = (double)step_to_step_ps(&list->items[i]);
        const double within = fmin(parts_ps(list, times, BOTTLENECK_INPUT), step);
        input += within;
        behind += fmin((double)times->behind_ps[STEP_INPUT_WAIT], step - within);
        whole += step;
    }
    return behind > 0 ? some_f64((input + behind) / whole) : (struct opt_f64){0};
}

/* The mean share over steps; absent where a part of it is not measured. */
static struct opt_f64 share_of(const struct step_list *list, enum bottleneck_kind kind)
{
    double sum = 0;
    size_t count = 0;
    bool whole = true, any = false;
    for (int part = 0; part < STEP_PART_COUNT; part++) {
        const bool of = part_is_of(list, kind, (enum step_part)part);
        const bool told =
            list->absent[part] == NULL || (list->of_tables && part == STEP_HOST_TO_DEVICE);
        any = any || of;
        /* What no event of the host tells was swept as idle: on a TPU it is that. */
        whole = whole && (!of || told || (list->is_tpu && kind == BOTTLENECK_ALL_OTHER));
    }
    whole = whole && any;
    const struct opt_f64 input = share_of_periods(list);
    if (kind == BOTTLENECK_INPUT && whole && input.set)
        return input;
    for (size_t i = 0; i < list->count; i = step_list_next(list, i)) {
        const struct device_step *times = &list->items[i].times;
        if (times->duration_ps > 0)
            sum += parts_ps(list, times, kind) / (double)times->duration_ps;
        count++;
    }
    return whole && count > 0 ? some_f64(sum / (double)count) : (struct opt_f64){0};
}

/* What the rows beside it say of that: of the steady steps' time together, in our reading. */
static double row_share(const struct step_list *list, enum bottleneck_kind kind)
{
    double us = 0;
    for (int part = 0; part < STEP_PART_COUNT; part++)
        if (part_is_of(list, kind, (enum step_part)part))
            us += step_list_stats(list, (enum step_part)part, READING_OURS).average.value;
    return us / step_list_stats(list, STEP_PART_COUNT, READING_OURS).average.value;
}

/* Whether what computes in xprof's reading, as copies and what a loop holds do, makes a part matter
 * that does not there. */
static bool others_count(const struct step_list *list, enum bottleneck_kind kind, double share)
{
    static const enum step_part parts[BOTTLENECK_COUNT] = {
        [BOTTLENECK_INPUT] = STEP_HOST_TO_DEVICE,
        [BOTTLENECK_OUTPUT] = STEP_DEVICE_TO_HOST,
        [BOTTLENECK_COLLECTIVES] = STEP_COLLECTIVES,
    };
    const enum step_part part = parts[kind];
    const double own = row_share(list, kind);
    if (kind == BOTTLENECK_KERNEL_LAUNCH || kind == BOTTLENECK_ALL_OTHER ||
        (kind == BOTTLENECK_INPUT && share_of_periods(list).set))
        return false;
    return own >= rule_of(list, kind)->moderate && lround(1000 * own) > lround(1000 * share) &&
           step_list_stats(list, part, READING_OURS).average.value >
               step_list_stats(list, part, READING_XPROF).average.value;
}

/* One step that waits long weighs as much as any other in xprof's mean, and warm-up counts: where
 * that is not what the table's rows say, the sentence tells both. */
static const char *statement_of(const struct step_list *list, enum bottleneck_kind kind,
                                double share, const char *remedy)
{
    const bool of_periods = kind == BOTTLENECK_INPUT && share_of_periods(list).set;
    const double own = of_periods ? step_list_waits(list).input_share.value : row_share(list, kind);
    const char *what = rule_of(list, kind)->what;
    const char *told = "", *whole = of_periods                      ? "time from step to step"
                                    : list->items[0].times.numbered ? "step"
                                                                    : "capture";
    if (others_count(list, kind, share))
        return arena_printf(list->arena,
                            "%.1f %% of the %s %s (the level is by xprof's %.1f %%, which takes "
                            "%s): %s",
                            100 * own, whole, what, 100 * share,
                            kind == BOTTLENECK_COLLECTIVES
                                ? "what a loop holds for compute, and counts input first"
                                : "copies for compute",
                            remedy);
    if (lround(1000 * share) != lround(1000 * own))
        told = arena_printf(list->arena, " (as xprof counts%s; %.1f %% of %s time%s)",
                            of_periods ? ", over all steps" : ": the mean of all steps' shares",
                            100 * own, step_list_has_steady(list) ? "the steady steps'" : "their",
                            of_periods ? ", input_wait_share" : "");
    return arena_printf(list->arena, "%.1f %% of the %s%s %s: %s", 100 * share, whole, told, what,
                        remedy);
}

static double mean_share(const struct step_list *list, enum step_part part)
{
    const double whole = step_list_stats(list, STEP_PART_COUNT, READING_XPROF).average.value;
    return whole > 0 ? step_list_stats(list, part, READING_XPROF).average.value / whole : 0;
}

/* xprof's class of the step, and why it is none. "both": something waits, and the profile cannot
 * tell whether it is the input. */
static void class_find(const struct step_list *list, struct bottlenecks *bottlenecks)
{
    const struct opt_f64 input = bottlenecks->of[BOTTLENECK_INPUT].share;
    const struct opt_f64 other = bottlenecks->of[BOTTLENECK_ALL_OTHER].share;
    const bool has_device = list->device_count > 0 || list->of_tables;
    const bool both = input.value >= judged[BOTTLENECK_INPUT].moderate ||
                      (!list->is_tpu && other.value >= judged[BOTTLENECK_ALL_OTHER].moderate);
    if (input.set && input.value >= judged[BOTTLENECK_INPUT].high)
        bottlenecks->input_class = "host";
    else if (input.set && has_device)
        bottlenecks->input_class = both ? "both" : "device";
    bottlenecks->class_words =
        bottlenecks->input_class != NULL
            ? "xprof's: of what lies within steps, not of what passes between them"
        : input.set ? "the profile has no device that could be it, and its host waits little for "
                      "input"
        : list->absent[STEP_INPUT_WAIT] != NULL ? list->absent[STEP_INPUT_WAIT]
                                                : list->absent[STEP_HOST_TO_DEVICE];
}

struct bottlenecks bottlenecks_of(const struct step_list *list)
{
    struct bottlenecks bottlenecks = {0};
    const struct collective_times times = step_list_collectives(list);
    for (int k = 0; k < BOTTLENECK_COUNT; k++) {
        const enum bottleneck_kind kind = (enum bottleneck_kind)k;
        struct bottleneck *one = &bottlenecks.of[kind];
        const struct judged *rule = rule_of(list, kind);
        one->share = share_of(list, kind);
        if (!one->share.set)
            continue;
        one->level = one->share.value >= rule->high       ? "high"
                     : one->share.value >= rule->moderate ? "moderate"
                                                          : "no";
        if (one->share.value < rule->moderate && !others_count(list, kind, one->share.value))
            continue;
        const bool waits = kind == BOTTLENECK_COLLECTIVES && times.waiting_us > times.moving_us;
        const char *remedy = kind == BOTTLENECK_KERNEL_LAUNCH
                                 ? framework_words(list->framework, launch_remedies)
                                 : rule->remedy;
        one->statement = statement_of(list, kind, one->share.value, waits ? uneven_remedy : remedy);
    }
    class_find(list, &bottlenecks);
    /* Beside what xprof's class is of, what passes between steps too. */
    const struct opt_f64 idle = step_list_waits(list).idle_share;
    if (idle.set && idle.value >= judged[BOTTLENECK_ALL_OTHER].moderate)
        bottlenecks.device_idle_statement =
            arena_printf(list->arena,
                         "%.1f %% of the time from step to step the slowest device does nothing: "
                         "`table findings` tells what it waits for",
                         100 * idle.value);
    if (list->count > 0 && list->absent[STEP_COMPUTE] == NULL) {
        bottlenecks.compute_share = some_f64(mean_share(list, STEP_COMPUTE));
        bottlenecks.idle_share =
            some_f64(1 - bottlenecks.compute_share.value - mean_share(list, STEP_COLLECTIVES) -
                     mean_share(list, STEP_INPUT_WAIT) - mean_share(list, STEP_HOST_TO_DEVICE) -
                     mean_share(list, STEP_DEVICE_TO_HOST));
    }
    return bottlenecks;
}
