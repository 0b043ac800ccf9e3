/* Two files: whether they may be hosts of one capture, and why not; whether they hold the same. */
#include "ingest/source/join_pair.h"

#include "ops/runtime/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Hosts begin and end a capture at the same step, not at the same instant: with equal step numbers
 * their windows may miss each other by this. */
static const int64_t clock_slack_ns = INT64_C(5000000000);

/* ---- what a file says ------------------------------------------------------------------------ */

static void ops_digest(const struct summary *summary, uint8_t digest[SHA256_BYTES])
{
    scoped_sha256 *state = sha256_new();
    for (size_t i = 0; i < summary->op_count; i++) {
        const struct op_row *op = &summary->ops[i];
        const int64_t numbers[] = {op->count, op->self_ps};
        sha256_add(state, op->name, strlen(op->name) + 1);
        sha256_add(state, numbers, sizeof numbers);
    }
    sha256_finish(state, digest);
}

/* When each step begins, in ns since 1970; false: nothing tells. */
static bool steps_begin(const struct summary *summary, int64_t *steps_ns)
{
    const struct capture_host *host = &summary->capture.hosts[0];
    const struct opt_f64 first_us = summary->trace_overview.profile_start_ts;
    static const double most_us = 9e15; /* so that ns fit too */
    int64_t base_ns = 0;
    if (!host->begin_ns.set || !first_us.set || !(fabs(first_us.value) < most_us) ||
        __builtin_sub_overflow(host->base_ns, (int64_t)llround(first_us.value * 1e3), &base_ns) ||
        __builtin_add_overflow(base_ns, host->begin_ns.value, &base_ns))
        return false;
    for (size_t i = 0; i < summary->steps.count; i++) {
        const struct step_row *row = &summary->steps.rows[i];
        if (row->span_count == 0 ||
            __builtin_add_overflow(base_ns, row->spans[0].start_ps / 1000, &steps_ns[i]))
            return false;
    }
    return true;
}

bool join_file_of(const struct summary *summary, struct arena *arena, struct join_file *ret_file,
                  struct err *err)
{
    const struct step_table *table = &summary->steps;
    const struct capture_host *host = &summary->capture.hosts[0];
    struct join_file file = {
        .path = summary->sources[0].path,
        .host = host->host,
        .sha256 = host->sha256,
        .format = summary->source_format,
        .process = host->process,
        .process_count = host->process_count,
        .chips = host->chips,
        .groups = host->groups,
        .begin_ns = host->begin_ns,
        .end_ns = host->end_ns,
        .key = summary->capture.key,
        .is_alone = summary->has_memory && summary->trace_overview.num_events_total == 0,
        .tells = table->count > 0 || summary->op_count > 0,
    };
    int64_t *steps = arena_array(arena, int64_t, table->count);
    int64_t *steps_ps = arena_array(arena, int64_t, table->count);
    int64_t *steps_ns = arena_array(arena, int64_t, table->count);
    const char **devices = arena_array(arena, const char *, summary->device_count);
    for (size_t i = 0; i < summary->device_count; i++)
        devices[i] = summary->devices[i].name;
    file.devices = (struct string_list){devices, summary->device_count};
    file.steps_ns = steps_begin(summary, steps_ns) ? steps_ns : NULL;
    for (size_t i = 0; i < table->count; i++) {
        steps[i] = table->rows[i].number;
        steps_ps[i] = table->rows[i].max_ps;
    }
    file.steps = steps;
    file.steps_ps = steps_ps;
    file.row_count = table->count;
    file.event_count = summary->trace_overview.num_complete_events;
    file.is_cut = summary->coverage.bytes_unread > 0;
    ops_digest(summary, file.ops);
    /* Numbers that were counted by us say nothing about another host's. */
    const bool are_given = table->method == STEPS_LINE || table->method == STEPS_ANNOTATION;
    file.step_count = are_given ? table->count : 0;
    file.place = file_place_of(file.path, arena);
    *ret_file = file;
    return arena_ok(arena, "a file of a capture", err);
}

/* ---- two files ------------------------------------------------------------------------------- */

bool join_is_trace(const struct join_file *file)
{
    return text_same_told(file->format, "perfetto_trace_json");
}

bool join_is_xplane(const struct join_file *file)
{
    return text_same_told(file->format, "xplane_pb");
}

const char *join_name_of(const struct join_file *file)
{
    return file->host != NULL ? file->host : file->place.host;
}

/* The machine that the file or its place says it is of; NULL: only what it is called. */
static const char *machine_of(const struct join_file *file)
{
    const bool is_loose = file_place_is_loose(&file->place) && !join_is_xplane(file);
    return file->host != NULL || !is_loose ? join_name_of(file) : file->place.machine;
}

bool join_is_ranked_alike(const struct join_file *a, const struct join_file *b)
{
    return a->place.rank.set && b->place.rank.set &&
           strcmp(a->place.folder, b->place.folder) == 0 &&
           strcmp(a->place.unranked, b->place.unranked) == 0;
}

static bool have_times(const struct join_file *a, const struct join_file *b)
{
    return a->begin_ns.set && b->begin_ns.set;
}

static bool times_meet(const struct join_file *a, const struct join_file *b, int64_t slack_ns)
{
    return a->begin_ns.value - slack_ns < b->end_ns.value &&
           b->begin_ns.value - slack_ns < a->end_ns.value;
}

/* ---- processes of one machine ---------------------------------------------------------------- */

size_t join_group_size(const char *group)
{
    size_t size = 1;
    for (const char *at = group; *at != '\0'; at++)
        size += *at == ',';
    return strstr(group, "...") != NULL ? 0 : size;
}

bool join_is_of_group(const struct join_file *file, const char *group)
{
    bool found = false;
    for (size_t i = 0; !file->process.set && i < file->groups.count && !found; i++)
        found = strcmp(file->groups.items[i], group) == 0;
    return found;
}

static bool share_device(const struct join_file *a, const struct join_file *b)
{
    for (size_t i = 0; i < a->devices.count; i++) {
        for (size_t j = 0; j < b->devices.count; j++) {
            if (strcmp(a->devices.items[i], b->devices.items[j]) == 0)
                return true;
        }
    }
    return false;
}

/* Whether the steps that both have run at the same time: collectives hold processes together.
 * *ret_shared: how many they are. */
static bool are_in_step(const struct join_file *a, const struct join_file *b, size_t *ret_shared)
{
    size_t i = 0, j = 0;
    *ret_shared = 0;
    if (a->steps_ns == NULL || b->steps_ns == NULL)
        return true;
    while (i < a->step_count && j < b->step_count) {
        if (a->steps[i] == b->steps[j]) {
            const double apart = (double)a->steps_ns[i] - (double)b->steps_ns[j];
            const double first = (double)(apart < 0 ? a->steps_ps[i] : b->steps_ps[j]) / 1e3;
            if (fabs(apart) >= first)
                return false;
            ++*ret_shared;
        }
        bool next_a = a->steps[i] <= b->steps[j], next_b = b->steps[j] <= a->steps[i];
        i += next_a;
        j += next_b;
    }
    return true;
}

/* Two processes that tell no ranks, but of one group of several processes. */
static bool are_ranks(const struct join_file *a, const struct join_file *b)
{
    enum { FEWEST = 2 }; /* steps, of which one may lie together by chance */
    size_t shared;
    bool share_group = false;
    for (size_t i = 0; i < a->groups.count && !share_group; i++)
        share_group = join_group_size(a->groups.items[i]) != 1 &&
                      join_is_of_group(a, a->groups.items[i]) &&
                      join_is_of_group(b, a->groups.items[i]);
    return share_group && have_times(a, b) && times_meet(a, b, 0) && are_in_step(a, b, &shared) &&
           (shared >= FEWEST || !share_device(a, b));
}

enum hosts { HOSTS_DIFFER, HOSTS_ARE_ONE, HOSTS_NOT_SAID };

/* Containers may give one name to all; then their files' names tell, where the profiler named them.
 */
static enum hosts hosts_compare(const struct join_file *a, const struct join_file *b)
{
    /* Somebody said that they are one capture, or of one run: then their names tell hosts. */
    const bool keyed = text_same_told(a->key, b->key);
    const bool given = keyed || text_same_told(a->run, b->run);
    const char *left = given ? join_name_of(a) : machine_of(a);
    const char *right = given ? join_name_of(b) : machine_of(b);
    if (a->process.set && b->process.set)
        return a->process.value != b->process.value ? HOSTS_DIFFER : HOSTS_ARE_ONE;
    if (join_is_ranked_alike(a, b) && a->place.rank.value != b->place.rank.value)
        return HOSTS_DIFFER;
    if (are_ranks(a, b))
        return HOSTS_DIFFER;
    if (left == NULL || right == NULL)
        return HOSTS_NOT_SAID;
    if (strcmp(left, right) != 0)
        return HOSTS_DIFFER;
    return (keyed || a->place.job != NULL) && strcmp(a->place.folder, b->place.folder) == 0 &&
                   strcmp(a->place.host, b->place.host) != 0
               ? HOSTS_DIFFER
               : HOSTS_ARE_ONE;
}

/* Whether a job can have as many processes as one of them says, and the ranks that both have. Where
 * they lie in one job's directory, a job of one process may be one of several hosts' profilers. */
static bool counts_agree(const struct join_file *a, const struct join_file *b)
{
    const struct opt_i64 x = a->process_count, y = b->process_count;
    const int64_t count = x.set ? x.value : y.value;
    if (!x.set && !y.set)
        return true;
    return (!x.set || !y.set || x.value == y.value) &&
           (count > 1 || text_same_told(a->place.job, b->place.job)) &&
           (count <= 1 || !a->process.set || a->process.value < count) &&
           (count <= 1 || !b->process.set || b->process.value < count);
}

/* Most numbers of the shorter one are in the other, too. */
static bool steps_agree(const struct join_file *a, const struct join_file *b)
{
    size_t i = 0, j = 0, shared = 0;
    size_t fewer = a->step_count < b->step_count ? a->step_count : b->step_count;
    while (i < a->step_count && j < b->step_count) {
        shared += a->steps[i] == b->steps[j];
        bool next_a = a->steps[i] <= b->steps[j], next_b = b->steps[j] <= a->steps[i];
        i += next_a;
        j += next_b;
    }
    return 2 * shared >= fewer;
}

static bool have_steps(const struct join_file *a, const struct join_file *b)
{
    return a->step_count > 0 && b->step_count > 0;
}

/* Whether two loose files of one folder are of the same time: of one job, or of two at once. */
static bool are_at_once(const struct join_file *a, const struct join_file *b)
{
    return file_place_is_loose(&a->place) && strcmp(a->place.folder, b->place.folder) == 0 &&
           have_times(a, b) && times_meet(a, b, 0);
}

/* Whether both have a chip of one number, and nothing else tells that they are of one job. */
static bool are_replicas(const struct join_file *a, const struct join_file *b)
{
    if (text_same_told(a->place.job, b->place.job) || text_same_told(a->run, b->run) ||
        (a->process.set && b->process.set))
        return false;
    for (size_t i = 0; i < a->chips.count; i++) {
        for (size_t j = 0; j < b->chips.count; j++) {
            if (strcmp(a->chips.items[i], b->chips.items[j]) == 0)
                return true;
        }
    }
    return false;
}

/* One host in two forms is no two hosts, whatever names it goes by. */
static bool are_one_host(const struct join_file *a, const struct join_file *b)
{
    const struct join_file *trace = join_is_trace(a) ? a : b, *other = trace == a ? b : a;
    return join_is_trace(trace) && join_is_xplane(other) &&
           strcmp(trace->place.folder, other->place.folder) == 0 &&
           file_place_is_trace_of(&trace->place, &other->place);
}

enum misfit join_misfit(const struct join_file *a, const struct join_file *b)
{
    const bool keyed = a->key != NULL || b->key != NULL;
    const enum hosts hosts = hosts_compare(a, b);
    if (a->is_alone || b->is_alone)
        return MISFIT_MEMORY;
    if (hosts == HOSTS_ARE_ONE)
        return are_at_once(a, b) && !(a->process.set && b->process.set) ? MISFIT_AT_ONCE
                                                                        : MISFIT_ONE_HOST;
    if (are_one_host(a, b))
        return MISFIT_FORMS;
    if (have_steps(a, b) && !steps_agree(a, b))
        return MISFIT_STEPS;
    if (a->run != NULL && b->run != NULL && strcmp(a->run, b->run) != 0)
        return MISFIT_RUNS;
    if (keyed)
        return text_same_told(a->key, b->key) ? FITS : MISFIT_KEYS;
    if (!counts_agree(a, b))
        return MISFIT_COUNTS;
    if (have_times(a, b) && !times_meet(a, b, have_steps(a, b) ? clock_slack_ns : 0))
        return MISFIT_TIMES;
    if (have_times(a, b) && are_replicas(a, b))
        return MISFIT_CHIPS;
    if (!have_times(a, b) && !text_same_told(a->place.job, b->place.job) &&
        !text_same_told(a->run, b->run))
        return MISFIT_NO_TIMES;
    return hosts == HOSTS_NOT_SAID ? MISFIT_HOSTS_NOT_SAID : FITS;
}

/* ---- copies ---------------------------------------------------------------------------------- */

bool join_is_copy(const struct join_file *copy, const struct join_file *whole)
{
    enum { FEWEST = 2 }; /* steps that are equal to the picosecond */
    const bool is_all = copy->event_count == whole->event_count &&
                        copy->row_count == whole->row_count &&
                        copy->end_ns.value == whole->end_ns.value &&
                        memcmp(copy->ops, whole->ops, sizeof copy->ops) == 0;
    /* Of one that was cut the last step may be shorter. */
    const size_t sure = copy->row_count - (is_all || copy->row_count == 0 ? 0 : 1);
    if (copy->begin_ns.set != whole->begin_ns.set ||
        copy->begin_ns.value != whole->begin_ns.value || sure < FEWEST ||
        !(is_all || (copy->is_cut && copy->event_count < whole->event_count &&
                     copy->row_count <= whole->row_count)) ||
        !text_same_told(copy->format, whole->format) || hosts_compare(copy, whole) == HOSTS_DIFFER)
        return false;
    for (size_t i = 0; i < sure; i++) {
        if (copy->steps[i] != whole->steps[i] || copy->steps_ps[i] != whole->steps_ps[i])
            return false;
    }
    return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *join_misfit_words(const struct join_file *a, const struct join_file *b,
                              struct arena *arena)
{
    switch (join_misfit(a, b)) {
    case MISFIT_MEMORY:
        return "a device memory profile is no host of a capture";
    case MISFIT_ONE_HOST:
        return a->process.set && b->process.set
                   ? arena_printf(arena, "both are of process %" PRId64, a->process.value)
                   : arena_printf(arena, "both are of host %s", join_name_of(a));
    case MISFIT_AT_ONCE:
        return arena_printf(arena,
                            "both are of host %s at one time, and neither says its rank, so that "
                            "they may be of two jobs",
                            machine_of(a));
    case MISFIT_FORMS:
        return "they are one host in two forms";
    case MISFIT_STEPS:
        return "their step numbers differ";
    case MISFIT_RUNS:
        return "they were given different runs";
    case MISFIT_KEYS:
        return "they were given different capture keys";
    case MISFIT_COUNTS:
        return "they do not say of one job how many processes it has";
    case MISFIT_TIMES:
        return "their times do not overlap";
    case MISFIT_CHIPS:
        return "both have a chip of one number";
    case MISFIT_HOSTS_NOT_SAID:
        return "neither rank nor host is in both, so that they may be of two jobs";
    case MISFIT_NO_TIMES:
    case FITS:
        break;
    }
    return "their files say no times";
}

bool join_is_noted(const struct join_file *a, const struct join_file *b)
{
    if (!text_same_told(a->place.job, b->place.job) &&
        strcmp(a->place.folder, b->place.folder) != 0)
        return false;
    switch (join_misfit(a, b)) {
    case FITS:
    case MISFIT_ONE_HOST:
    case MISFIT_MEMORY:
        return false;
    case MISFIT_AT_ONCE:
    case MISFIT_HOSTS_NOT_SAID:
        return are_at_once(a, b);
    default:
        return hosts_compare(a, b) == HOSTS_DIFFER;
    }
}
