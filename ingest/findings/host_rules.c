/* What a device waits for its host. Thresholds are those of ingest/README.md. */
#include "ingest/findings/rules.h"

#include <math.h>

static const double STALL_LEAST = .10, SAVES_LEAST = .05, COMPILES_LEAST = .01;
static const double INPUT_HIGH = .20; /* as the level of input has it */
static const double ps_per_us = 1e6;

bool host_recompiles(const struct examined *host, struct finding *finding)
{
    const struct step_table *steps = &host->summary->steps;
    const struct step_waits waits = step_list_waits(host->steps);
    const size_t again = steps_recompiled(steps), of = steps_recompiled_of(steps);
    char waited[FORMAT_BYTES], whole[FINDING_WHOLE_BYTES];
    if (again == 0 ||
        (waits.compile_us.set && finding_share(host, waits.compile_us.value) < COMPILES_LEAST))
        return false;
    finding->count = some_i64((int64_t)again);
    finding->time_us = waits.compile_us;
    if (waits.compile_us.set)
        finding->share = some_f64(finding_share(host, waits.compile_us.value));
    finding->evidence = arena_printf(
        host->arena, "the host compiled in %zu of %zu %ssteps%s%s%s%s", again, of,
        of < steps->count ? "steady " : "",
        waits.compile_us.set ? "; the device waits for it " : "",
        waits.compile_us.set ? format_duration(waits.compile_us.value, FINDING_DIGITS, waited) : "",
        waits.compile_us.set ? " of " : "", waits.compile_us.set ? finding_whole(host, whole) : "");
    finding->remedy = remedy_of(host->steps, REMEDY_RECOMPILES);
    return true;
}

/* What the device waited from the begin of a step to that of the next, averages; apart from it,
 * while the host saved. */
struct waiting {
    double count, period_us, waited_us, saved_us;
    double between_us;                /* of what it waited, in no step … */
    double idle_between_us;           /* … and nothing tells for what */
    double parts_us[STEP_PART_COUNT]; /* of what it waited, in steps and between them */
    int64_t saves;                    /* steps with that */
};

/* What a device does, and what waits for a compilation, is no stall. Copies behind a step are. */
static bool is_stall(enum step_part part, bool behind)
{
    const bool copies = part == STEP_HOST_TO_DEVICE || part == STEP_DEVICE_TO_HOST;
    return (part > STEP_DEVICE_TO_HOST && part != STEP_COMPILE) || (behind && copies);
}

static void waiting_add(struct waiting *waiting, const struct listed_step *step)
{
    const struct device_step *times = &step->times;
    const int64_t period_ps = step_to_step_ps(step);
    const int64_t saved_ps = times->save_ps + times->save_behind_ps;
    int64_t between_ps = period_ps - times->duration_ps - times->save_behind_ps;
    int64_t within_ps = -times->save_ps, told_ps = times->save_behind_ps;
    for (int part = STEP_COMPUTE; part < STEP_PART_COUNT; part++) {
        within_ps += is_stall((enum step_part)part, false) ? times->ps[part] : 0;
        between_ps -= is_stall((enum step_part)part, true) ? 0 : times->behind_ps[part];
        if (!is_stall((enum step_part)part, false))
            continue;
        const int64_t behind_ps = part == STEP_IDLE ? 0 : times->behind_ps[part];
        told_ps -= behind_ps;
        waiting->parts_us[part] += (double)(times->ps[part] + behind_ps) / ps_per_us;
    }
    waiting->parts_us[STEP_HOST_COMPUTE] -= (double)saved_ps / ps_per_us;
    waiting->period_us += (double)period_ps / ps_per_us;
    waiting->waited_us += (double)(within_ps + between_ps) / ps_per_us;
    waiting->between_us += (double)between_ps / ps_per_us;
    waiting->idle_between_us += (double)(between_ps + told_ps) / ps_per_us;
    waiting->saved_us += (double)saved_ps / ps_per_us;
    waiting->saves += saved_ps > 0;
    waiting->count++;
}

static void waiting_average(struct waiting *waiting)
{
    double *const sums[] = {&waiting->period_us, &waiting->waited_us, &waiting->between_us,
                            &waiting->saved_us, &waiting->idle_between_us};
    for (size_t i = 0; waiting->count > 0 && i < sizeof sums / sizeof sums[0]; i++)
        *sums[i] /= waiting->count;
    for (int part = 0; waiting->count > 0 && part < STEP_PART_COUNT; part++)
        waiting->parts_us[part] /= waiting->count;
}

/* Of steps that take no more than most_us to the next, and of the capture where there are none. */
static struct waiting waiting_of(const struct step_list *steps, double most_us)
{
    struct waiting waiting = {0};
    const bool followed = step_list_followed(steps);
    for (size_t i = 0; i < steps->count; i = step_list_next(steps, i)) {
        const struct listed_step *step = &steps->items[i];
        if (step->warmup == NULL && (!followed || step->has_period) &&
            (double)step_to_step_ps(step) / ps_per_us <= most_us)
            waiting_add(&waiting, step);
    }
    waiting_average(&waiting);
    return waiting;
}

/* What the waiting from step to step is. */
static const struct cause {
    enum step_part part;
    const char *words;
    enum remedy remedy;
} causes[] = {
    {STEP_PART_COUNT, "between steps", REMEDY_LAUNCH_AHEAD},
    {STEP_INPUT_WAIT, "for input", REMEDY_LOAD_AHEAD},
    {STEP_KERNEL_LAUNCH, "for launches", REMEDY_LAUNCH_AHEAD},
    {STEP_HOST_COMPUTE, "for what the host computes", REMEDY_LAUNCH_AHEAD},
    {STEP_IDLE, "within steps, and nothing says for what", REMEDY_LAUNCH_AHEAD},
};
enum { CAUSE_COUNT = sizeof causes / sizeof causes[0] };

static double cause_us(const struct waiting *waiting, const struct cause *cause)
{
    return cause->part == STEP_PART_COUNT ? waiting->idle_between_us
                                          : waiting->parts_us[cause->part];
}

/* Which causes are told: the one of most time, and what is a stall by itself. */
struct told_causes {
    const struct cause *most;
    bool told[CAUSE_COUNT];
};

static struct told_causes causes_told(const struct examined *host, const struct waiting *waiting)
{
    struct told_causes told = {.most = &causes[0]};
    for (size_t i = 0; i < CAUSE_COUNT; i++) {
        const double us = cause_us(waiting, &causes[i]);
        told.told[i] = finding_share(host, us) >= STALL_LEAST;
        if (us > cause_us(waiting, told.most))
            told.most = &causes[i];
    }
    told.told[told.most - causes] = true;
    return told;
}

/* Where the device waits, most of it first. */
static const char *causes_words(const struct examined *host, const struct waiting *waiting,
                                const struct told_causes *told)
{
    char part[FORMAT_BYTES];
    const bool between = told->most == &causes[0];
    const char *words =
        waiting->between_us > 0
            ? arena_printf(host->arena, "%s (%s%s)", told->most->words,
                           format_duration(waiting->between_us, FINDING_DIGITS, part),
                           between ? "" : " between steps")
            : told->most->words;
    for (size_t i = 1; i < CAUSE_COUNT; i++)
        if (told->told[i] && told->most != &causes[i])
            words =
                arena_printf(host->arena, "%s; %s of it %s", words,
                             format_duration(cause_us(waiting, &causes[i]), FINDING_DIGITS, part),
                             causes[i].words);
    return words;
}

/* What the host is in meanwhile, where most of it is for nothing that is told; "" where that is not
 * known. */
static const char *event_words(const struct examined *host, const struct told_causes *told)
{
    const enum step_part part = told->most->part;
    if (host->steps->of_tables || part == STEP_INPUT_WAIT || part == STEP_KERNEL_LAUNCH)
        return "";
    const struct idle_event *event =
        &step_list_host(host->steps, host->steps->items[0].process)->idle_event;
    return event->name == NULL
               ? ""
               : arena_printf(host->arena,
                              "; for %.1f %% of what it waits for neither input nor launches the "
                              "host is in %s",
                              100 * event->share, event->name);
}

/* What is known to hold the device up goes before what nothing tells of. */
static const char *causes_remedy(const struct examined *host, const struct waiting *waiting,
                                 const struct told_causes *told)
{
    const char *load = NULL, *launch = NULL;
    const bool input_first = told->most->remedy == REMEDY_LOAD_AHEAD ||
                             finding_share(host, waiting->parts_us[STEP_INPUT_WAIT]) >= INPUT_HIGH;
    for (size_t i = 0; i < CAUSE_COUNT; i++)
        if (told->told[i])
            *(causes[i].remedy == REMEDY_LOAD_AHEAD ? &load : &launch) =
                remedy_of(host->steps, causes[i].remedy);
    if (load == NULL || launch == NULL)
        return load == NULL ? launch : load;
    return arena_printf(host->arena, "%s; %s", input_first ? load : launch,
                        input_first ? launch : load);
}

/* Where no device is in the profile, the host computes, and waits for its input alone. */
static bool input_stalls(const struct examined *host, struct finding *finding)
{
    const struct step_waits waits = step_list_waits(host->steps);
    const double us = waits.input_us.value + waits.input_between_us.value;
    char waited[FORMAT_BYTES], whole[FINDING_WHOLE_BYTES];
    if (!waits.input_us.set || finding_share(host, us) < STALL_LEAST)
        return false;
    finding_time(host, us, finding);
    finding->evidence =
        arena_printf(host->arena,
                     "the host, beside which the profile has no device, waits %s of "
                     "%s for input",
                     format_duration(us, FINDING_DIGITS, waited), finding_whole(host, whole));
    finding->remedy = remedy_of(host->steps, REMEDY_LOAD_AHEAD);
    return true;
}

bool host_stalls(const struct examined *host, struct finding *finding)
{
    const struct step_outliers apart = slow_steps_that_wait(host);
    const bool numbered = host->steps->items[0].times.numbered;
    struct waiting waiting = waiting_of(host->steps, apart.count > 0 ? apart.least_us : HUGE_VAL);
    char waited[FORMAT_BYTES], whole[FINDING_WHOLE_BYTES], idle[FORMAT_BYTES];
    const char *unsaid = "";
    if (!numbered && waiting.parts_us[STEP_IDLE] > 0)
        unsaid =
            arena_printf(host->arena, "; it is idle for %s more, of which nothing says for what",
                         format_duration(waiting.parts_us[STEP_IDLE], FINDING_DIGITS, idle));
    /* Where there are no steps, what a device waits that nobody tells of may be what lies between
     * two uses of it: what the host is known to do meanwhile is a stall. */
    if (!numbered) {
        waiting.waited_us = waiting.parts_us[STEP_INPUT_WAIT] +
                            waiting.parts_us[STEP_KERNEL_LAUNCH] +
                            waiting.parts_us[STEP_HOST_COMPUTE];
        waiting.parts_us[STEP_IDLE] = 0;
    }
    if (host->steps->device_count == 0 && !host->steps->of_tables && numbered &&
        !finding_is_cut(host))
        return input_stalls(host, finding);
    if (waiting.count == 0 || host->steps->absent[STEP_COMPUTE] != NULL || finding_is_cut(host) ||
        finding_share(host, waiting.waited_us) < STALL_LEAST)
        return false;
    const struct told_causes told = causes_told(host, &waiting);
    finding_time(host, waiting.waited_us, finding);
    finding->remedy = causes_remedy(host, &waiting, &told);
    finding->evidence =
        arena_printf(host->arena, "the device waits %s of %s%s, most of it %s%s%s",
                     format_duration(waiting.waited_us, FINDING_DIGITS, waited),
                     finding_whole(host, whole), apart.count > 0 ? ", slow steps apart" : "",
                     causes_words(host, &waiting, &told), event_words(host, &told), unsaid);
    return true;
}

/* What a device of the host, its slowest of each step, does not do for the job: it waits for its
 * host, or for others in collectives. */
static struct waiting waiting_of_host(const struct step_list *steps, int64_t process)
{
    struct waiting waiting = {0};
    const bool followed = step_list_followed(steps);
    for (size_t i = 0, end; i < steps->count; i = end) {
        end = step_list_next(steps, i);
        for (size_t k = i; k < end; k++) {
            const struct listed_step *step = &steps->items[k];
            if (step->process != process || !step->is_slowest || step->warmup != NULL ||
                (followed && !step->has_period))
                continue;
            waiting_add(&waiting, step);
            waiting.waited_us +=
                (double)step_collective_wait_ps(&steps->items[i], end - i, step) / ps_per_us;
        }
    }
    waiting_average(&waiting);
    return waiting;
}

/* Hosts of a job go from step to step together: without its stall a host would wait for the one
 * whose device has least to wait for. */
bool host_stall_counts(const struct examined *all, struct finding *finding)
{
    const struct waiting own = waiting_of_host(all->steps, finding->process);
    double most_us = finding->time_us.value;
    for (int64_t process = 1; process <= all->steps->host_count; process++) {
        const struct waiting other = waiting_of_host(all->steps, process);
        const double useful_us = other.period_us - other.waited_us;
        if (process != finding->process && other.count > 0 && own.count > 0)
            most_us = fmin(most_us, own.period_us - useful_us);
    }
    return finding_share(all, most_us) >= STALL_LEAST;
}

/* What a checkpoint costs that is written before the host goes on. */
bool host_saves(const struct examined *host, struct finding *finding)
{
    const struct waiting waiting = waiting_of(host->steps, HUGE_VAL);
    const bool numbered = host->steps->items[0].times.numbered;
    char saved[FORMAT_BYTES], steps[FORMAT_COUNTED_BYTES], whole[FINDING_WHOLE_BYTES];
    if (waiting.saves == 0 || waiting.saved_us / waiting.period_us < SAVES_LEAST)
        return false;
    finding->share = some_f64(waiting.saved_us / waiting.period_us);
    finding->time_us = some_f64(waiting.saved_us);
    (void)format_duration(waiting.saved_us, FINDING_DIGITS, saved);
    if (numbered)
        finding->count = some_i64(waiting.saves);
    finding->evidence =
        numbered ? arena_printf(host->arena,
                                "the device waits while the host saves a checkpoint, on average %s "
                                "a step, in %s",
                                saved, format_counted(waiting.saves, "step", steps))
                 : arena_printf(host->arena,
                                "the device waits %s of %s while the host saves a checkpoint",
                                saved, finding_whole(host, whole));
    finding->remedy = remedy_of(host->steps, REMEDY_SAVES);
    return true;
}
