/* See exchange_rules.h. Thresholds are those of ingest/README.md. */
#include "ingest/findings/exchange_rules.h"

#include "ingest/findings/remedies.h"
#include "ingest/findings/slow_device.h"

static const double MOVING_LEAST = .15, WAITING_LEAST = .10, WAITING_TOLD = .05;

bool exposed_communication(const struct examined *all, struct finding *finding)
{
    const struct collective_times times = step_list_collectives(all->steps);
    const double us = times.moving_us;
    if (finding_share(all, us) < MOVING_LEAST)
        return false;
    finding->share = some_f64(finding_share(all, us));
    finding->time_us = some_f64(us);
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
    if (finding_share(all, us) < WAITING_LEAST || slow_device(all->steps, &slow))
        return false;
    finding->share = some_f64(finding_share(all, us));
    finding->time_us = some_f64(us);
    finding->evidence = arena_printf(
        all->arena, "one device waits %s of %s in collectives for another that comes later",
        format_duration(us, FINDING_DIGITS, waited), finding_whole(all, whole));
    finding->remedy = "give devices equal work (shards, lengths in a batch, experts), and look for "
                      "hosts that hold theirs up now and then (input, logging, collecting garbage)";
    return true;
}
