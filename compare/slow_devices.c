/* Implements the sentence on devices: median steady step per device on both sides.
 *
 * Devices are matched by their order, which is by host and name: hosts have other names in every
 * run of a cluster.
 */
#include "compare/slow_devices.h"
#include "compare/stats.h"

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

/* Median over all profiles of a side of one device's steady step, in ps; 0 when none has it. */
static double device_median(struct judgement *judgement, const struct gate_runs *runs,
                            size_t device)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < runs->count; i++)
        most += runs->items[i].profile_count;
    double *values = arena_array(judgement->arena, double, most);
    judgement->out_of_memory |= values == NULL;
    for (size_t i = 0; values != NULL && i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const struct summary *summary = runs->items[i].profiles[j]->summary;
            int64_t step = summary->devices[device].steady_step_median_ps;
            if (step > 0)
                values[count++] = (double)step;
        }
    }
    if (count == 0)
        return 0;
    stats_sort(values, count);
    return stats_quantile(values, count, 0.5);
}

struct device_changes {
    size_t known, slower;
    const char *host; /* of the slower ones; NULL when they are of several, or it is not known */
    double only;      /* percent, of the last one: of the only one */
    double smallest, largest; /* percent, of the slower ones */
    size_t worst;             /* index of the largest */
};

static void slower_add(struct device_changes *changes, double percent, size_t device,
                       const char *host)
{
    bool same = changes->host != NULL && host != NULL && strcmp(changes->host, host) == 0;
    changes->host = changes->slower == 0 || same ? host : NULL;
    if (changes->slower == 0 || percent < changes->smallest)
        changes->smallest = percent;
    if (changes->slower == 0 || percent > changes->largest) {
        changes->largest = percent;
        changes->worst = device;
    }
    changes->slower++;
}

static const char *some_slower_text(struct judgement *judgement,
                                    const struct device_changes *changes)
{
    const struct summary *shown = judgement->candidate.items[0].profiles[0]->summary;
    char name[NAME_TEXT_BYTES], host[NAME_TEXT_BYTES];
    bool of_one_host = changes->host != NULL && changes->slower > 1;
    return arena_printf(
        judgement->arena, "%zu of %zu devices %s slower%s%s, most of all %s: %+.1f %%.",
        changes->slower, changes->known, changes->slower == 1 ? "is" : "are",
        of_one_host ? ", all on host " : "", of_one_host ? name_text(changes->host, host) : "",
        name_text(shown->devices[changes->worst].name, name), changes->largest);
}

static const char *changes_text(struct judgement *judgement, const struct device_changes *changes)
{
    struct arena *arena = judgement->arena;
    double limit = judgement->policy->device_slow_pct;
    const char *text;
    if (changes->known == 1)
        text = arena_printf(arena, "A step of the only device takes %+.1f %%.", changes->only);
    else if (changes->slower == 0)
        text = arena_printf(arena, "None of the %zu devices is slower by more than %.1f %%.",
                            changes->known, limit);
    else if (changes->slower == changes->known)
        text = arena_printf(arena, "All %zu devices are slower, by %.1f to %.1f %%.",
                            changes->known, changes->smallest, changes->largest);
    else
        text = some_slower_text(judgement, changes);
    judgement->out_of_memory |= text == NULL;
    if (text != NULL && changes->slower > 0 && 2 * changes->slower <= changes->known)
        reason_add(judgement, "devices_differ", "%s", text);
    return text;
}

const char *slow_devices_text(struct judgement *judgement)
{
    const struct summary *shown = judgement->candidate.items[0].profiles[0]->summary;
    size_t count = shared_device_count(&judgement->candidate, shown->device_count);
    count = shared_device_count(&judgement->recent, count);
    struct device_changes changes = {0};
    for (size_t i = 0; i < count; i++) {
        double before = device_median(judgement, &judgement->recent, i);
        double after = device_median(judgement, &judgement->candidate, i);
        if (before <= 0 || after <= 0)
            continue;
        changes.known++;
        changes.only = 100 * (after - before) / before;
        if (changes.only > judgement->policy->device_slow_pct)
            slower_add(&changes, changes.only, i, shown->devices[i].host);
    }
    return changes.known == 0 ? NULL : changes_text(judgement, &changes);
}
