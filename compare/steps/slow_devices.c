/* Implements the sentence on devices: median steady step per device on both sides, and where they
 * are longer on all, the part of it that each device works by itself.
 *
 * Devices are matched by their order, which is by host and name: hosts have other names in every
 * run of a cluster.
 */
#include "compare/steps/slow_devices.h"
#include "compare/statistics/statistics.h"
#include "ops/runtime/text.h"

#include <stdio.h>
#include <string.h>

/* Number of devices that every profile of both sides has; 0 when they differ. */
static size_t shared_device_count(const struct gate_runs *runs, size_t count)
{
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            if (runs->items[i].profiles[j]->summary->device_count != count)
                return 0;
        }
    }
    return count;
}

/* What is looked at of one device: its median steady step, or the part of it in which it runs ops,
 * all of them or those that are no communication: who waits for others does it in collectives. */
enum device_time { DEVICE_STEP, DEVICE_BUSY, DEVICE_WORK };

static double device_time_ps(const struct device_row *device, enum device_time which)
{
    double step = (double)device->steady_step_median_ps, window = (double)device->window_ps;
    double busy = (double)device->busy_ps;
    if (which == DEVICE_STEP || step <= 0)
        return step;
    if (window <= 0)
        return 0;
    return step * (which == DEVICE_BUSY ? busy : busy - (double)device->exposed_comm_ps) / window;
}

/* Median over all profiles of a side, in ps; 0 when none has it. */
static double device_median(struct gate_state *judgement, const struct gate_runs *runs,
                            size_t device, enum device_time which)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < runs->count; i++)
        most += runs->items[i].profile_count;
    double *values = arena_array(judgement->arena, double, most);
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const struct summary *summary = runs->items[i].profiles[j]->summary;
            double time = device_time_ps(&summary->devices[device], which);
            if (time > 0)
                values[count++] = time;
        }
    }
    if (count == 0)
        return 0;
    stats_sort(values, count);
    return stats_quantile(values, count, 0.5);
}

/* How much longer one device takes. */
struct device_change {
    size_t device;
    double percent, us;
};

/* The devices that are slower, by one of their times. */
struct device_changes {
    size_t known, slower;
    bool stand_out;       /* out of the others; they are half of them or fewer */
    struct opt_f64 usual; /* percent, of the median device, where the slower ones stand out of it */
    const char *host; /* of the slower ones; NULL when they are of several, or it is not known */
    double only;      /* percent, of the last one: of the only one */
    double smallest, largest; /* percent, of the slower ones */
    double largest_us;        /* the same of the largest, us */
    size_t worst;             /* index of the largest */
};

static void slower_add(struct device_changes *changes, const struct device_change *change,
                       const char *host)
{
    double percent = change->percent;
    bool same = changes->host != NULL && host != NULL && strcmp(changes->host, host) == 0;
    changes->host = changes->slower == 0 || same ? host : NULL;
    if (changes->slower == 0 || percent < changes->smallest)
        changes->smallest = percent;
    if (changes->slower == 0 || percent > changes->largest) {
        changes->largest = percent;
        changes->largest_us = change->us;
        changes->worst = change->device;
    }
    changes->slower++;
}

/* A run of the candidate as it tells its devices. */
static const struct summary *shown_of(const struct gate_runs *runs)
{
    return runs->items[0].profiles[0]->summary;
}

/* How many devices both sides have alike; 0 when they cannot be matched. */
static size_t matched_count(const struct gate_state *judgement)
{
    size_t count = shown_of(&judgement->candidate)->device_count;
    count = shared_device_count(&judgement->candidate, count);
    return shared_device_count(&judgement->recent, count);
}

/* The devices whose change is beyond a number of percent. */
static struct device_changes changes_beyond(const struct summary *shown,
                                            const struct device_change *items, size_t count,
                                            double percent)
{
    struct device_changes changes = {.known = count};
    for (size_t i = 0; i < count; i++) {
        changes.only = items[i].percent;
        if (items[i].percent > percent)
            slower_add(&changes, &items[i], shown->devices[items[i].device].host);
    }
    return changes;
}

/* A run is a little slower or faster as a whole, and then so are all devices: slow ones are those
 * that stand out of the median device by as much as matters. */
static struct device_changes changes_of(struct gate_state *judgement,
                                        const struct gate_runs *candidate, enum device_time which)
{
    const struct summary *shown = shown_of(candidate);
    size_t matched = matched_count(judgement), count = 0;
    double slow_pct = judgement->policy->device_slow_pct;
    struct device_change *items = arena_array(judgement->arena, struct device_change, matched);
    double *percents = arena_array(judgement->arena, double, matched);
    for (size_t i = 0; i < matched; i++) {
        double before = device_median(judgement, &judgement->recent, i, which);
        double after = device_median(judgement, candidate, i, which);
        if (before <= 0 || after <= 0)
            continue;
        percents[count] = 100 * (after - before) / before;
        items[count] = (struct device_change){i, percents[count], (after - before) / 1e6};
        count++;
    }
    struct device_changes changes = changes_beyond(shown, items, count, slow_pct);
    if (changes.slower == 0)
        return changes;
    stats_sort(percents, count);
    double usual = percents[(count - 1) / 2];
    double beyond = usual > 0 ? usual + slow_pct * (1 + usual / 100) : slow_pct;
    struct device_changes apart = changes_beyond(shown, items, count, beyond);
    apart.stand_out = apart.slower > 0 && 2 * apart.slower <= count;
    if (2 * changes.slower > count)
        apart.usual = some_f64(usual);
    return apart.stand_out ? apart : changes;
}

struct opt_f64 devices_busy_gain(struct gate_state *judgement)
{
    struct opt_f64 most = {0};
    for (size_t i = 0, count = matched_count(judgement); i < count; i++) {
        double before = device_median(judgement, &judgement->recent, i, DEVICE_BUSY);
        double after = device_median(judgement, &judgement->candidate, i, DEVICE_BUSY);
        if (before > 0 && after > 0 && (!most.set || (after - before) / 1e6 > most.value))
            most = some_f64((after - before) / 1e6);
    }
    return most;
}

/* ---- words ----------------------------------------------------------------------------------- */

static size_t devices_of_host(const struct summary *summary, const char *host)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->device_count; i++)
        count += summary->devices[i].host != NULL && strcmp(summary->devices[i].host, host) == 0;
    return count;
}

/* They are all devices of one host, and others have some too. */
static bool are_a_host(const struct summary *shown, const struct device_changes *changes)
{
    return changes->host != NULL && changes->slower < changes->known &&
           changes->slower == devices_of_host(shown, changes->host) &&
           changes->slower < shown->device_count;
}

/* A device is the cause where it grew by at least so much of what the step lost. */
static const double most_of_it = 0.5;

static void cause_set(struct gate_state *judgement, const struct device_changes *changes)
{
    struct verdict *verdict = judgement->verdict;
    const struct summary *shown = shown_of(&judgement->candidate);
    double before = verdict->baseline.step_median_us.value;
    double gain = verdict->candidate.step_median_us.value - before;
    bool of_host = are_a_host(shown, changes);
    if (gain <= 0 || changes->largest_us < most_of_it * gain)
        return;
    verdict->cause = (struct verdict_cause){
        .kind = of_host ? "host" : "device",
        .name = of_host ? changes->host : shown->devices[changes->worst].name,
        .count = (int64_t)changes->slower,
        .of_count = (int64_t)changes->known,
        .delta_us = changes->largest_us,
        .change_pct = some_f64(changes->largest),
        .share_of_delta = some_f64(changes->largest_us / gain),
    };
}

static const char *some_slower_text(struct gate_state *judgement,
                                    const struct device_changes *changes, enum device_time which)
{
    const struct summary *shown = shown_of(&judgement->candidate);
    char name[NAME_TEXT_BYTES], host[NAME_TEXT_BYTES];
    bool of_one_host = changes->host != NULL && changes->slower > 1;
    bool one = changes->slower == 1;
    const char *verb = which == DEVICE_STEP ? (one ? "is slower" : "are slower")
                       : one                ? "works longer"
                                            : "work longer";
    const char *usual = !changes->usual.set
                            ? ""
                            : arena_printf(judgement->arena, ", the median device %+.1f %%",
                                           format_zero(changes->usual.value, 1));
    return arena_printf(
        judgement->arena, "%zu of %zu devices %s%s%s%s%s %s: %+.1f %%%s%s.", changes->slower,
        changes->known, verb, changes->usual.set ? " than the others" : "",
        of_one_host ? ", all on host " : "", of_one_host ? name_text(changes->host, host) : "",
        one ? "," : ", most of all", name_text(shown->devices[changes->worst].name, name),
        changes->largest, usual,
        which == DEVICE_STEP ? ""
        : one                ? "; the others wait for it in collectives"
                             : "; the others wait for them in collectives");
}

static const char *all_text(struct gate_state *judgement, const struct device_changes *changes)
{
    struct arena *arena = judgement->arena;
    if (changes->known == 1)
        return arena_printf(arena, "A step of the only device takes %+.1f %%.",
                            format_zero(changes->only, 1));
    if (changes->slower == 0)
        return arena_printf(arena, "None of the %zu devices is slower by more than %.1f %%.",
                            changes->known, judgement->policy->device_slow_pct);
    const char *devices =
        changes->known == 2 ? "Both" : arena_printf(arena, "All %zu", changes->known);
    char least[FORMAT_BYTES], most[FORMAT_BYTES];
    (void)snprintf(least, sizeof least, "%.1f", changes->smallest);
    (void)snprintf(most, sizeof most, "%.1f", changes->largest);
    bool even = strcmp(least, most) == 0;
    return arena_printf(arena, "%s devices are slower, by %s%s%s %%.", devices, even ? "" : least,
                        even ? "" : " to ", most);
}

/* ---- not the same ones in each run ----------------------------------------------------------- */

enum { MOVING_NAMED = 3 };

/* Runs that have a slow host or device of their own. */
struct moving {
    struct text names, told; /* "worker-0, worker-1"; "worker-0 (+20.1 %), ..." */
    const char *named[MOVING_NAMED];
    size_t places; /* different ones, of which the first are named */
    size_t runs;
    double percent, us; /* sums */
};

static void moving_add(struct moving *moving, const struct summary *shown,
                       const struct device_changes *changes)
{
    char name[NAME_TEXT_BYTES];
    const char *of =
        are_a_host(shown, changes) ? changes->host : shown->devices[changes->worst].name;
    moving->runs++;
    moving->percent += changes->largest;
    moving->us += changes->largest_us;
    size_t count = moving->places < MOVING_NAMED ? moving->places : MOVING_NAMED;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(moving->named[i], of) == 0)
            return;
    }
    const char *comma = moving->places == 0 ? "" : ", ";
    if (moving->places == MOVING_NAMED) {
        text_add(&moving->names, " and others");
        text_add(&moving->told, " and others");
    } else if (moving->places < MOVING_NAMED) {
        moving->named[moving->places] = of;
        text_addf(&moving->names, "%s%s", comma, name_text(of, name));
        text_addf(&moving->told, "%s%s (%+.1f %%)", comma, name_text(of, name), changes->largest);
    }
    moving->places++;
}

/* Each run that is longer by what matters, where a slow host or device of its own explains it. */
static void moving_find(struct gate_state *judgement, struct moving *moving)
{
    double before = judgement->verdict->baseline.step_median_us.value;
    for (size_t i = 0; i < judgement->candidate.count; i++) {
        const struct gate_runs one = {&judgement->candidate.items[i], 1};
        struct opt_f64 step = one.items[0].measures[MEASURE_steady_step_median];
        double gain = step.set ? step.value - before : 0;
        if (100 * gain <= judgement->policy->min_effect_pct * before)
            continue;
        struct device_changes changes = changes_of(judgement, &one, DEVICE_WORK);
        if (changes.stand_out && changes.largest_us >= most_of_it * gain)
            moving_add(moving, shown_of(&one), &changes);
    }
}

/* A bad machine that is dealt to another rank in each run is none that medians over runs show: they
 * say that no device is slow, or all, and that a collective is the cause, in which all wait for it.
 * NULL: it is not so in most of the runs. */
static const char *moving_text(struct gate_state *judgement)
{
    enum { LIST_BYTES = 600 };
    struct verdict *verdict = judgement->verdict;
    double before = verdict->baseline.step_median_us.value;
    double gain = verdict->candidate.step_median_us.value - before;
    struct moving moving = {0};
    const char *text = NULL;
    text_init(&moving.names, LIST_BYTES);
    text_init(&moving.told, LIST_BYTES);
    moving_find(judgement, &moving);
    bool is_so = moving.places > 1 && 2 * moving.runs > judgement->candidate.count && gain > 0;
    if (is_so) {
        double runs = (double)moving.runs;
        const char *names = arena_strdup(judgement->arena, text_string(&moving.names));
        text = arena_printf(judgement->arena,
                            "In %zu of %zu runs one host or device works longer than the others, "
                            "and not the same one: %s.",
                            moving.runs, judgement->candidate.count, text_string(&moving.told));
        verdict->cause = (struct verdict_cause){
            .kind = "moving",
            .name = names,
            .count = (int64_t)moving.runs,
            .of_count = (int64_t)judgement->candidate.count,
            .delta_us = moving.us / runs,
            .change_pct = some_f64(moving.percent / runs),
            .share_of_delta = some_f64(moving.us / runs / gain),
        };
    }
    text_done(&moving.names);
    text_done(&moving.told);
    return text;
}

const char *slow_devices_text(struct gate_state *judgement)
{
    struct device_changes changes = changes_of(judgement, &judgement->candidate, DEVICE_STEP);
    enum device_time which = DEVICE_STEP;
    if (changes.known == 0)
        return NULL;
    /* Steps that end together are longer on all devices when one of them works longer. */
    if (changes.slower == changes.known && changes.known > 1) {
        struct device_changes work = changes_of(judgement, &judgement->candidate, DEVICE_WORK);
        if (work.known == changes.known && work.stand_out) {
            changes = work;
            which = DEVICE_WORK;
        }
    }
    /* Those that stand out of the medians over runs took longer by nearly all that the step did. */
    static const double nearly_all = 0.75;
    const struct verdict *verdict = judgement->verdict;
    double gain = verdict->candidate.step_median_us.value - verdict->baseline.step_median_us.value;
    const char *text = (changes.stand_out && changes.largest_us >= nearly_all * gain)
                           ? NULL
                           : moving_text(judgement);
    bool is_moving = text != NULL, all = changes.slower == 0 || changes.slower == changes.known;
    if (!is_moving)
        text = all ? all_text(judgement, &changes) : some_slower_text(judgement, &changes, which);
    if (!changes.stand_out && !is_moving)
        return text;
    reason_add(judgement, "devices_differ", "%s", text);
    if (!is_moving)
        cause_set(judgement, &changes);
    return text;
}
