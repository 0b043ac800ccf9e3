/* The device that others wait for, and what devices spend on exchanging data. Thresholds are those
 * of ingest/README.md. */
#include "ingest/findings/rules.h"

#include <string.h>

static const double ps_per_us = 1e6;
enum { STEPS_LEAST = 3 };
static const double NEARLY_ALL = .8, SHARE_LEAST = .05, OTHER_WORK = .5;

/* Of a step but for collectives that nothing hides. */
static int64_t own_ps(const struct listed_step *step)
{
    return step->times.duration_ps - step->times.ps[STEP_COLLECTIVES];
}

/* The slowest device of all steps, and by how much, in sums. */
struct slowness {
    const struct listed_step *first;
    double more_us, longer_us; /* own time over the least; whole steps over the shortest */
    double same, count;        /* steps in which it is that of the first; with several devices */
    double host;               /* ...in which all of the first's host are slower than all others */
    size_t host_devices;
};

/* How many devices the host of items[which] has, if all of them take most of `more_ps` longer than
 * those of all other hosts; else 0. */
static size_t slow_host_devices(const struct listed_step *items, size_t count,
                                const struct listed_step *which, int64_t more_ps)
{
    int64_t least = own_ps(which), others = INT64_MIN;
    size_t devices = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t ps = own_ps(&items[i]);
        const bool is_own = items[i].process == which->process;
        devices += is_own;
        least = is_own && ps < least ? ps : least;
        others = !is_own && ps > others ? ps : others;
    }
    return devices > 1 && devices < count && least - others > more_ps / 2 ? devices : 0;
}

/* The devices of one step are items[count], the longest step first. */
static void step_compare(struct slowness *slowness, const struct listed_step *items, size_t count)
{
    const struct listed_step *most = &items[0], *least = &items[0];
    if (items->warmup != NULL || items->device == NULL || count < 2)
        return;
    for (size_t i = 1; i < count; i++) {
        most = own_ps(&items[i]) > own_ps(most) ? &items[i] : most;
        least = own_ps(&items[i]) < own_ps(least) ? &items[i] : least;
    }
    if (slowness->first == NULL)
        slowness->first = most;
    slowness->same += slowness->first->process == most->process &&
                      strcmp(slowness->first->device, most->device) == 0;
    const size_t of_host = slow_host_devices(items, count, most, own_ps(most) - own_ps(least));
    if (of_host > 0 && most->process == slowness->first->process) {
        slowness->host++;
        slowness->host_devices = of_host;
    }
    slowness->more_us += (double)(own_ps(most) - own_ps(least)) / ps_per_us;
    slowness->longer_us +=
        (double)(most->times.duration_ps - items[count - 1].times.duration_ps) / ps_per_us;
    slowness->count++;
}

static bool is_host(const struct slowness *slowness)
{
    return slowness->host >= NEARLY_ALL * slowness->count;
}

static void slowness_tell(const struct step_list *steps, const struct slowness *slowness,
                          struct finding *finding)
{
    const struct listed_step *first = slowness->first;
    char more[FORMAT_BYTES], rank[FORMAT_BYTES] = "";
    const bool waits = slowness->longer_us < slowness->more_us / 2;
    if (first->rank.set && steps->host_count > 1)
        (void)snprintf(rank, sizeof rank, " of rank %lld", (long long)first->rank.value);
    finding->host = first->host;
    (void)format_duration(slowness->more_us / slowness->count, FINDING_DIGITS, more);
    if (is_host(slowness)) {
        finding->evidence = arena_printf(
            steps->arena, "all %zu devices of its host %s in %.0f of %.0f steps, by %s%s",
            slowness->host_devices, waits ? "take longest before collectives" : "are the slowest",
            slowness->host, slowness->count, more,
            waits ? ", and the other hosts wait in those" : "");
        finding->remedy = "look at the host: its input, its processors, its clocks and "
                          "temperature, its network, and whether its shards are larger";
        return;
    }
    finding->evidence =
        arena_printf(steps->arena, "%s%s %s in %.0f of %.0f steps, by %s%s", first->device, rank,
                     waits ? "takes longest before collectives" : "is the slowest", slowness->same,
                     slowness->count, more, waits ? ", and the others wait for it in them" : "");
    finding->remedy = "look at its clocks, temperature and neighbours, and whether its shard is "
                      "larger; run the job without it";
}

bool slow_device(const struct examined *host, struct finding *finding)
{
    const struct step_list *steps = host->steps;
    const double whole_us = step_list_whole_us(steps);
    struct slowness slowness = {0};
    for (size_t i = 0, end; i < steps->count; i = end) {
        end = step_list_next(steps, i);
        step_compare(&slowness, &steps->items[i], end - i);
    }
    if (slowness.count < STEPS_LEAST || whole_us <= 0 ||
        (!is_host(&slowness) && slowness.same < NEARLY_ALL * slowness.count))
        return false;
    finding->time_us = some_f64(slowness.more_us / slowness.count);
    finding->share = some_f64(finding->time_us.value / whole_us);
    if (finding->share.value < SHARE_LEAST || finding->share.value > OTHER_WORK)
        return false;
    slowness_tell(steps, &slowness, finding);
    return true;
}

/* ---- exchanging data ------------------------------------------------------------------------- */

static const double MOVING_LEAST = .15, WAITING_LEAST = .10, WAITING_TOLD = .05;

bool exposed_communication(const struct examined *all, struct finding *finding)
{
    const struct collective_times times = step_list_collectives(all->steps);
    const double us = times.moving_us;
    if (finding_share(all, us) < MOVING_LEAST)
        return false;
    finding_time(all, us, finding);
    char taken[FORMAT_BYTES], whole[FINDING_WHOLE_BYTES], waited[FORMAT_BYTES];
    const bool waits = times.waiting_us >= WAITING_TOLD * us;
    finding->evidence =
        arena_printf(all->arena, "collectives take %s of %s while nothing computes%s%s%s",
                     format_duration(us, FINDING_DIGITS, taken), finding_whole(all, whole),
                     waits ? ", apart from " : "",
                     waits ? format_duration(times.waiting_us, FINDING_DIGITS, waited) : "",
                     waits ? " in which the device waits in them for slower ones" : "");
    finding->remedy = remedy_of(all->steps, REMEDY_EXPOSED);
    return true;
}

/* Where one device is the slow one in nearly all steps that is told instead, by its name. */
bool uneven_devices(const struct examined *all, struct finding *finding)
{
    const double us = step_list_collectives(all->steps).most_waiting_us;
    struct finding slow = {0};
    char waited[FORMAT_BYTES], whole[FINDING_WHOLE_BYTES];
    if (finding_share(all, us) < WAITING_LEAST || slow_device(all, &slow))
        return false;
    finding_time(all, us, finding);
    finding->evidence = arena_printf(
        all->arena, "one device waits %s of %s in collectives for another that comes later",
        format_duration(us, FINDING_DIGITS, waited), finding_whole(all, whole));
    finding->remedy = "give devices equal work (shards, lengths in a batch, experts), and look for "
                      "hosts that hold theirs up now and then (input, logging, collecting garbage)";
    return true;
}
