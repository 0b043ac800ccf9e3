/* See step_list.h. Ours are figures over steady steps, xprof's over all of them. */
#include "ingest/breakdown/step_list.h"

#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ps_per_us = 1e6;

/* ---- adding ---------------------------------------------------------------------------------- */

/* A step of a host, of which `of` says what all of its steps have in common. */
static void item_add(struct step_list *list, const struct summary *summary,
                     const struct listed_step *of, const struct device_step *times)
{
    list->items =
        arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    struct listed_step *item = &list->items[list->count++];
    *item = *of;
    item->times = *times;
    if (times->device != UINT32_MAX)
        item->device = arena_strdup(list->arena, summary->devices[times->device].name);
    const struct step_table *table = &summary->steps;
    const size_t at = sorted_count(table->count, i, table->rows[i].number < times->number);
    const struct step_row *row = &table->rows[at];
    if (!times->numbered || at == table->count || row->number != times->number)
        return;
    if (row->warmup)
        item->warmup = arena_strdup(list->arena, row->warmup_reason == NULL ? WARMUP_NUMBER
                                                                            : row->warmup_reason);
    item->is_slowest = row->slowest == times->device;
    item->has_period = row->has_period && item->is_slowest;
    item->period_ps = row->period_ps;
}

bool step_list_add(struct step_list *list, struct profile *profile, const struct summary *summary,
                   struct err *err)
{
    struct step_breakdown breakdown;
    const bool first = list->host_count == 0;
    list->hosts = arena_grow(list->arena, list->hosts, (size_t)list->host_count,
                             &list->host_capacity, sizeof *list->hosts);
    struct listed_host *host = &list->hosts[list->host_count++];
    *host = (struct listed_host){
        .name = arena_strdup(list->arena, profile->spaces[0].host),
        .path =
            summary->source_count > 0 ? arena_strdup(list->arena, summary->sources[0].path) : NULL,
        .method = summary->steps.count > 0 ? summary->steps.method : STEPS_NONE,
        .has_devices = summary->device_count > 0,
    };
    struct listed_step of = {.host = host->name, .process = list->host_count, .path = host->path};
    if (summary->capture.host_count > 0)
        of.rank = summary->capture.hosts[0].process;
    if (!step_breakdown_read(profile, summary, list->arena, &breakdown, err))
        return false;
    host->idle = breakdown.idle;
    for (size_t i = 0; i < breakdown.count; i++)
        item_add(list, summary, &of, &breakdown.steps[i]);
    for (int part = 0; part < STEP_PART_COUNT; part++) {
        host->absent[part] = breakdown.absent[part];
        if (first || breakdown.absent[part] == NULL)
            list->absent[part] = breakdown.absent[part];
    }
    for (size_t i = 0; i < summary->device_count; i++)
        list->is_tpu |= strstr(summary->devices[i].name, "/device:TPU:") != NULL;
    list->device_count += (int64_t)summary->device_count;
    list->framework = framework_of(profile);
    list->method = step_method_names[summary->steps.method];
    list->format = arena_strdup(list->arena, summary->source_format);
    list->device_type = arena_strdup(list->arena, summary->environment.device_type);
    return arena_ok(list->arena, "the steps of a profile", err);
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Why a part is not measured, of the hosts that stay. */
static void absents_join(struct step_list *list)
{
    for (int part = 0; part < STEP_PART_COUNT; part++) {
        bool any = false;
        for (int64_t h = 0; h < list->host_count; h++) {
            if (list->hosts[h].is_left)
                continue;
            if (!any || list->hosts[h].absent[part] == NULL)
                list->absent[part] = list->hosts[h].absent[part];
            any = true;
        }
    }
}

const struct listed_host *step_list_host(const struct step_list *list, int64_t process)
{
    return &list->hosts[process - 1];
}

void step_list_join(struct step_list *list, const struct summary *capture)
{
    const struct listed_host *first = NULL;
    if (capture->source_count <= 1 || list->hosts == NULL)
        return;
    for (int64_t h = 0; h < list->host_count; h++)
        for (size_t k = 0; k < capture->source_count; k++)
            if (text_same_told(list->hosts[h].path, capture->sources[k].path))
                list->hosts[h].name = capture->sources[k].host;
    for (int64_t h = 0; h < list->host_count; h++) {
        struct listed_host *host = &list->hosts[h];
        /* As merging has it: steps are those of hosts with devices, where any host has some. */
        host->is_left =
            capture->steps.count > 0 && (host->method != capture->steps.method ||
                                         (!host->has_devices && capture->device_count > 0));
        size_t count = 0;
        for (size_t i = 0; i < list->count; i++) {
            if (list->items[i].process != h + 1)
                continue;
            list->items[i].host = host->name;
            count++;
        }
        /* A host whose items go is told; one without any is missed by nobody. */
        if (!host->is_left || count == 0)
            continue;
        first = first == NULL ? host : first;
        list->left_count++;
    }
    list->method = step_method_names[capture->steps.method];

    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!list->hosts[list->items[i].process - 1].is_left)
            list->items[kept++] = list->items[i];
    list->count = kept;
    absents_join(list);
    if (first == NULL)
        return;
    const struct steps_left left = {.count = list->left_count,
                                    .of = list->host_count,
                                    .first =
                                        first->name == NULL ? path_base(first->path) : first->name,
                                    .own = first->method,
                                    .method = capture->steps.method};
    list->left = steps_left_words(&left, list->arena);
}

bool step_list_refuse(const char *wanted, const char *path, const char *cut, struct err *err)
{
    if (cut != NULL)
        return err_set(err, ERR_INPUT,
                       "no %s: '%s' was cut off, and what is left has neither steps nor ops of a "
                       "device: %.*s; copy the file again",
                       wanted, path, (int)strlen(cut) - 1, cut); /* without its full stop */
    return err_set(
        err, ERR_INPUT,
        "no %s: '%s' has neither ops of a device nor steps: record longer, and " STEP_MARKS_ADVICE,
        wanted, path);
}

/* ---- order ----------------------------------------------------------------------------------- */

static int item_order(const void *left, const void *right)
{
    const struct listed_step *a = left, *b = right;
    const char *mine[] = {a->host, a->device}, *other[] = {b->host, b->device};
    if (a->times.number != b->times.number)
        return a->times.number < b->times.number ? -1 : 1;
    if (a->times.duration_ps != b->times.duration_ps)
        return a->times.duration_ps > b->times.duration_ps ? -1 : 1;
    for (int i = 0; i < 2; i++) {
        const int order = mine[i] == NULL || other[i] == NULL
                              ? (mine[i] != NULL) - (other[i] != NULL)
                              : strcmp(mine[i], other[i]);
        if (order != 0)
            return order;
    }
    return 0;
}

void step_list_settle(struct step_list *list)
{
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, item_order);
}

size_t step_list_next(const struct step_list *list, size_t at)
{
    const int64_t number = list->items[at].times.number;
    while (at < list->count && list->items[at].times.number == number)
        at++;
    return at;
}

/* ---- statistics ------------------------------------------------------------------------------ */

bool step_list_has_steady(const struct step_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].warmup == NULL)
            return true;
    return false;
}

struct part_stats step_list_stats(const struct step_list *list, enum step_part part,
                                  enum step_reading reading)
{
    struct part_stats stats = {0};
    const bool steady_only = reading == READING_OURS && step_list_has_steady(list);
    double sum = 0, squares = 0;
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) { /* squares around the average lose no digits */
        for (size_t i = 0; i < list->count; i = step_list_next(list, i)) {
            const struct listed_step *step = &list->items[i];
            if (steady_only && step->warmup != NULL)
                continue;
            const int64_t ps = part == STEP_PART_COUNT   ? step->times.duration_ps
                               : reading == READING_OURS ? step->times.ps[part]
                                                         : step->times.xprof_ps[part];
            const double us = (double)ps / ps_per_us;
            if (pass == 1) {
                squares += (us - stats.average.value) * (us - stats.average.value);
                continue;
            }
            sum += us;
            if (count == 0 || us < stats.least.value)
                stats.least = some_f64(us);
            if (count++ == 0 || us > stats.most.value)
                stats.most = some_f64(us);
        }
        if (count > 0)
            stats.average = some_f64(sum / (double)count);
    }
    if (count > 1)
        stats.deviation = some_f64(sqrt(squares / (double)(count - 1)));
    return stats;
}

int64_t step_to_step_ps(const struct listed_step *step)
{
    return step->has_period && step->period_ps > step->times.duration_ps ? step->period_ps
                                                                         : step->times.duration_ps;
}

bool step_list_has_follower(const struct step_list *list, size_t at)
{
    const int64_t number = list->items[at].times.number;
    while (at > 0 && list->items[at - 1].times.number == number)
        at--;
    for (const size_t end = step_list_next(list, at); at < end; at++)
        if (list->items[at].has_period)
            return true;
    return false;
}

bool step_list_followed(const struct step_list *list)
{
    const bool steady_only = step_list_has_steady(list);
    for (size_t i = 0; i < list->count; i = step_list_next(list, i))
        if (list->items[i].has_period && !(steady_only && list->items[i].warmup != NULL))
            return true;
    return false;
}

static int64_t input_wait_ps(const struct listed_step *step)
{
    int64_t wait_ps = step->times.ps[STEP_INPUT_WAIT];
    ps_add(&wait_ps, step->times.behind_ps[STEP_INPUT_WAIT]);
    return wait_ps;
}

const struct listed_step *step_list_waiter(const struct step_list *list, size_t at)
{
    const struct listed_step *waiter = &list->items[at];
    const size_t end = step_list_next(list, at);
    for (size_t i = at + 1; i < end && waiter->times.numbered; i++)
        if (list->items[i].is_slowest && input_wait_ps(&list->items[i]) > input_wait_ps(waiter))
            waiter = &list->items[i];
    return waiter;
}

struct step_waits step_list_waits(const struct step_list *list)
{
    const bool steady_only = step_list_has_steady(list), followed = step_list_followed(list);
    double input_within = 0, input_behind = 0, compile_within = 0, compile_behind = 0;
    double own = 0, all = 0, worked = 0, count = 0;
    for (size_t i = 0; i < list->count; i = step_list_next(list, i)) {
        const struct listed_step *step = &list->items[i];
        if ((steady_only && step->warmup != NULL) || !step->times.numbered ||
            (followed && !step->has_period))
            continue;
        const double whole_ps = (double)step_to_step_ps(step);
        compile_within += (double)step->times.ps[STEP_COMPILE] / ps_per_us;
        compile_behind += (double)step->times.behind_ps[STEP_COMPILE] / ps_per_us;
        const struct device_step *waiter = &step_list_waiter(list, i)->times;
        const double within_us = fmin((double)waiter->ps[STEP_INPUT_WAIT], whole_ps);
        input_within += within_us / ps_per_us;
        input_behind +=
            fmin((double)waiter->behind_ps[STEP_INPUT_WAIT], whole_ps - within_us) / ps_per_us;
        for (int part = STEP_COMPUTE; part <= STEP_DEVICE_TO_HOST; part++)
            worked += (double)(step->times.ps[part] + step->times.behind_ps[part]) / ps_per_us;
        own += (double)step->times.duration_ps / ps_per_us;
        all += whole_ps / ps_per_us;
        count++;
    }
    if (!(all > 0) || list->of_tables)
        return (struct step_waits){0};
    const bool tells_input = list->absent[STEP_INPUT_WAIT] == NULL;
    const bool tells_compile = list->absent[STEP_COMPILE] == NULL;
    const double input = input_within + input_behind, compile = compile_within + compile_behind;
    return (struct step_waits){some_f64(all / count),
                               some_f64((all - own) / count),
                               {tells_input, input / count},
                               {tells_input, input_behind / count},
                               {tells_input, input / all},
                               {tells_compile, compile / count},
                               {tells_compile, compile_behind / count},
                               {list->device_count > 0 && list->absent[STEP_COMPUTE] == NULL,
                                worked < all ? 1 - worked / all : 0}};
}

/* The least that collectives take, and are exposed, of the devices items[count] that run as many as
 * `own`. */
struct collective_least {
    int64_t whole_ps, exposed_ps;
};

static struct collective_least least_of(const struct listed_step *items, size_t count,
                                        const struct device_step *own)
{
    struct collective_least least = {own->collective_ps, own->ps[STEP_COLLECTIVES]};
    for (size_t i = 0; i < count; i++) {
        const struct device_step *other = &items[i].times;
        if (other->collective_count != own->collective_count)
            continue;
        if (other->collective_ps < least.whole_ps)
            least.whole_ps = other->collective_ps;
        if (other->ps[STEP_COLLECTIVES] < least.exposed_ps)
            least.exposed_ps = other->ps[STEP_COLLECTIVES];
    }
    return least;
}

static int64_t collective_wait_ps(const struct device_step *own,
                                  const struct collective_least *least)
{
    const int64_t longer_ps = own->collective_ps - least->whole_ps;
    const int64_t more_ps = own->ps[STEP_COLLECTIVES] - least->exposed_ps;
    return longer_ps < more_ps ? longer_ps : more_ps;
}

int64_t step_collective_wait_ps(const struct listed_step *items, size_t count,
                                const struct listed_step *step)
{
    const struct collective_least least = least_of(items, count, &step->times);
    return collective_wait_ps(&step->times, &least);
}

/* A step on the devices items[count], of which the first is the slowest. */
static void collectives_add(struct collective_times *times, const struct listed_step *items,
                            size_t count)
{
    const struct device_step *own = &items[0].times;
    const struct collective_least least = least_of(items, count, own);
    int64_t most_ps = 0;
    for (size_t i = 0; i < count; i++) {
        const struct device_step *each = &items[i].times;
        if (each->collective_count != own->collective_count)
            continue;
        const int64_t wait_ps = collective_wait_ps(each, &least);
        most_ps = wait_ps > most_ps ? wait_ps : most_ps;
    }
    const double waiting_us = (double)collective_wait_ps(own, &least) / ps_per_us;
    times->waiting_us += waiting_us;
    times->moving_us += (double)own->ps[STEP_COLLECTIVES] / ps_per_us - waiting_us;
    times->most_waiting_us += (double)most_ps / ps_per_us;
}

struct collective_times step_list_collectives(const struct step_list *list)
{
    const bool steady_only = step_list_has_steady(list);
    struct collective_times times = {0};
    double count = 0;
    for (size_t i = 0, end; i < list->count; i = end) {
        end = step_list_next(list, i);
        if (steady_only && list->items[i].warmup != NULL)
            continue;
        collectives_add(&times, &list->items[i], list->items[i].times.numbered ? end - i : 1);
        count++;
    }
    if (count > 0) {
        times.moving_us /= count;
        times.waiting_us /= count;
        times.most_waiting_us /= count;
    }
    return times;
}

double step_list_whole_us(const struct step_list *list)
{
    const struct opt_f64 period_us = step_list_waits(list).period_us;
    return period_us.set ? period_us.value
                         : step_list_stats(list, STEP_PART_COUNT, READING_OURS).average.value;
}
