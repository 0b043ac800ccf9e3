/* Groups are found by growing: files that belong together are linked, and a set of links is a
 * capture when each two of its files belong together. */
#include "ingest/source/join.h"

#include "ingest/source/notes.h"
#include "ops/runtime/file.h"

#include <stdlib.h>
#include <string.h>

/* Hosts begin and end a capture at the same step, not at the same instant: with equal step numbers
 * their windows may miss each other by this. */
static const int64_t clock_slack_ns = INT64_C(5000000000);
/* Sessions of one capture are not further apart. */
enum { SESSION_SPREAD_S = 30 };

/* How much is asked of two files: each includes what stands before it. */
enum bond { BOND_FITS, BOND_NEAR, BOND_FOLDER, BOND_COUNT };

/* ---- what a file says ------------------------------------------------------------------------ */

/* Numbers that were counted by us say nothing about another host's. */
static bool are_given(enum step_method method)
{
    return method == STEPS_LINE || method == STEPS_ANNOTATION;
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
        .chips = host->chips,
        .begin_ns = host->begin_ns,
        .end_ns = host->end_ns,
        .key = summary->capture.key,
        .is_alone = summary->has_memory && summary->trace_overview.num_events_total == 0,
        .tells = table->count > 0 || summary->op_count > 0,
    };
    int64_t *steps = arena_array(arena, int64_t, table->count);
    if (steps == NULL)
        return arena_failed(arena, "the steps of a capture", err);
    for (size_t i = 0; i < table->count; i++)
        steps[i] = table->rows[i].number;
    file.steps = steps;
    file.step_count = are_given(table->method) ? table->count : 0;
    *ret_file = file;
    return file_place_of(file.path, arena, &ret_file->place, err);
}

/* ---- two files ------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static const char *name_of(const struct join_file *file)
{
    return file->host != NULL ? file->host : file->place.host;
}

/* Containers may give one name to all; then their files' names tell, where the profiler named them.
 */
static bool hosts_differ(const struct join_file *a, const struct join_file *b)
{
    if (a->process.set && b->process.set)
        return a->process.value != b->process.value;
    if (strcmp(name_of(a), name_of(b)) != 0)
        return true;
    return a->place.job != NULL && strcmp(a->place.folder, b->place.folder) == 0 &&
           strcmp(a->place.host, b->place.host) != 0;
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

static bool have_times(const struct join_file *a, const struct join_file *b)
{
    return a->begin_ns.set && b->begin_ns.set;
}

static bool times_overlap(const struct join_file *a, const struct join_file *b)
{
    int64_t slack = have_steps(a, b) ? clock_slack_ns : 0;
    return a->begin_ns.value - slack < b->end_ns.value &&
           b->begin_ns.value - slack < a->end_ns.value;
}

/* Whether both have a chip of one number, and nothing else tells that they are of one job. */
static bool are_replicas(const struct join_file *a, const struct join_file *b)
{
    if (same_text(a->place.job, b->place.job) || same_text(a->run, b->run) ||
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

bool join_is_trace(const struct join_file *file)
{
    return same_text(file->format, "perfetto_trace_json");
}

bool join_is_xplane(const struct join_file *file)
{
    return same_text(file->format, "xplane_pb");
}

/* One host in two forms is no two hosts, whatever names it goes by. */
static bool are_one_host(const struct join_file *a, const struct join_file *b)
{
    const struct join_file *trace = join_is_trace(a) ? a : b, *other = trace == a ? b : a;
    return join_is_trace(trace) && join_is_xplane(other) &&
           strcmp(trace->place.folder, other->place.folder) == 0 &&
           file_place_is_trace_of(&trace->place, &other->place);
}

static bool fits(const struct join_file *a, const struct join_file *b)
{
    bool keyed = a->key != NULL || b->key != NULL;
    if (a->is_alone || b->is_alone || !hosts_differ(a, b) || are_one_host(a, b) ||
        (have_steps(a, b) && !steps_agree(a, b)) ||
        (a->run != NULL && b->run != NULL && strcmp(a->run, b->run) != 0))
        return false;
    if (keyed)
        return same_text(a->key, b->key);
    if (have_times(a, b))
        return times_overlap(a, b) && !are_replicas(a, b);
    return same_text(a->place.job, b->place.job) || same_text(a->run, b->run);
}

static bool near(const struct join_file *a, const struct join_file *b)
{
    int64_t left = a->place.session_s, right = b->place.session_s;
    bool timed = left >= 0 && right >= 0;
    return strcmp(a->place.folder, b->place.folder) == 0 ||
           (timed && llabs(left - right) <= SESSION_SPREAD_S);
}

static bool belong(const struct join_file *a, const struct join_file *b, enum bond bond)
{
    if (a->together != 0 && a->together == b->together)
        return true;
    return fits(a, b) && (bond < BOND_NEAR || near(a, b)) &&
           (bond < BOND_FOLDER || strcmp(a->place.folder, b->place.folder) == 0);
}

/* ---- order ----------------------------------------------------------------------------------- */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_files(const struct join_file *a, const struct join_file *b)
{
    if (a->process.set != b->process.set)
        return a->process.set ? -1 : 1;
    int order = compare_numbers(a->process.value, b->process.value);
    order = order != 0 ? order : strcmp(name_of(a), name_of(b));
    return order != 0 ? order : strcmp(a->sha256, b->sha256);
}

/* Few: hosts of one capture. */
static void group_sort(const struct join_file *files, struct join_group *group)
{
    for (size_t i = 1; i < group->count; i++) {
        size_t file = group->files[i], at = i;
        for (; at > 0 && compare_files(&files[file], &files[group->files[at - 1]]) < 0; at--)
            group->files[at] = group->files[at - 1];
        group->files[at] = file;
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

struct joining {
    const struct join_file *files;
    size_t count;
    bool *taken; /* [count] */
    struct arena *arena;
    struct join_result *result;
    struct notes notes;
};

/* All that is linked with the file `first` by bonds of this kind, among within[count]. */
static size_t linked_collect(const struct joining *joining, const struct join_group *within,
                             size_t first, enum bond bond, size_t *linked)
{
    size_t count = 0;
    linked[count++] = first;
    joining->taken[first] = true;
    for (size_t at = 0; at < count; at++) {
        for (size_t i = 0; i < within->count; i++) {
            size_t file = within->files[i];
            if (joining->taken[file] ||
                !belong(&joining->files[linked[at]], &joining->files[file], bond))
                continue;
            joining->taken[file] = true;
            linked[count++] = file;
        }
    }
    return count;
}

/* Two files of the group that do not belong together. */
static bool misfit_find(const struct joining *joining, const struct join_group *group,
                        const struct join_file *ret_pair[2])
{
    for (size_t i = 0; i < group->count; i++) {
        for (size_t j = i + 1; j < group->count; j++) {
            ret_pair[0] = &joining->files[group->files[i]];
            ret_pair[1] = &joining->files[group->files[j]];
            if (!belong(ret_pair[0], ret_pair[1], BOND_FITS))
                return true;
        }
    }
    return false;
}

static void group_keep(struct joining *joining, struct join_group group)
{
    group_sort(joining->files, &group);
    joining->result->groups[joining->result->count++] = group;
}

/* Why two files do not belong together. */
static const char *misfit_words(const struct joining *joining, const struct join_file *a,
                                const struct join_file *b)
{
    if (!hosts_differ(a, b))
        return arena_printf(joining->arena, "both are of host %s", name_of(a));
    if (have_steps(a, b) && !steps_agree(a, b))
        return "their step numbers differ";
    return have_times(a, b) ? "their times do not overlap" : "their files say no times";
}

/* Of the groups from `first` on, two files that are alone although they fit each other. */
static bool alone_find(const struct joining *joining, size_t first,
                       const struct join_file *ret_pair[2])
{
    const struct join_result *result = joining->result;
    for (size_t g = first; g < result->count; g++) {
        for (size_t h = g + 1; h < result->count; h++) {
            ret_pair[0] = &joining->files[result->groups[g].files[0]];
            ret_pair[1] = &joining->files[result->groups[h].files[0]];
            if (result->groups[g].count == 1 && result->groups[h].count == 1 &&
                fits(ret_pair[0], ret_pair[1]))
                return true;
        }
    }
    return false;
}

/* Cuts within[] into captures by bonds of this kind; what is no capture, by the next kind. */
static bool groups_make(struct joining *joining, const struct join_group *within, enum bond bond,
                        struct err *err)
{
    for (size_t i = 0; i < within->count; i++)
        joining->taken[within->files[i]] = false;
    for (size_t i = 0; i < within->count; i++) {
        const struct join_file *pair[2], *alone[2];
        if (joining->taken[within->files[i]])
            continue;
        struct join_group group = {arena_array(joining->arena, size_t, within->count), 0};
        if (group.files == NULL)
            return arena_failed(joining->arena, "the list of captures", err);
        group.count = linked_collect(joining, within, within->files[i], bond, group.files);
        if (!misfit_find(joining, &group, pair)) {
            group_keep(joining, group);
            continue;
        }
        size_t first = joining->result->count;
        if (bond + 1 < BOND_COUNT) {
            if (!groups_make(joining, &group, bond + 1, err))
                return false;
        } else {
            for (size_t f = 0; f < group.count; f++)
                group_keep(joining, (struct join_group){&group.files[f], 1});
        }
        for (size_t f = 0; f < group.count; f++)
            joining->taken[group.files[f]] = true;
        if (bond == BOND_FITS && alone_find(joining, first, alone))
            NOTE(&joining->notes,
                 "%zu files are hosts of several captures, and nothing tells of which: some were "
                 "not joined, such as '%s' and '%s'. --capture KEY for the files of each capture "
                 "joins them.",
                 group.count, alone[0]->path, alone[1]->path);
    }
    return true;
}

/* Files of one job's directory that were not joined although their hosts differ: why. */
static void apart_note(struct joining *joining)
{
    const struct join_result *result = joining->result;
    for (size_t g = 1; g < result->count; g++) {
        const struct join_file *a = &joining->files[result->groups[g - 1].files[0]];
        const struct join_file *b = &joining->files[result->groups[g].files[0]];
        bool near_by =
            same_text(a->place.job, b->place.job) || strcmp(a->place.folder, b->place.folder) == 0;
        if (!near_by || !hosts_differ(a, b) || fits(a, b))
            continue;
        NOTE(&joining->notes, "'%s' and '%s' are not joined: %s. --capture KEY joins them.",
             a->path, b->path, misfit_words(joining, a, b));
        return;
    }
}

static int compare_first(const void *a, const void *b)
{
    const struct join_group *left = a, *right = b;
    size_t x = left->files[0], y = right->files[0];
    for (size_t i = 1; i < left->count; i++)
        x = left->files[i] < x ? left->files[i] : x;
    for (size_t i = 1; i < right->count; i++)
        y = right->files[i] < y ? right->files[i] : y;
    return (x > y) - (x < y);
}

/* Who gives one key says that it is one capture. */
static bool keys_check(const struct joining *joining, struct err *err)
{
    for (size_t i = 0; i < joining->count; i++) {
        for (size_t j = i + 1; j < joining->count; j++) {
            const struct join_file *a = &joining->files[i], *b = &joining->files[j];
            if (a->together == 0 && b->together == 0 && same_text(a->key, b->key) && !fits(a, b))
                return err_set(err, ERR_INPUT,
                               "--capture %s: '%s' and '%s' cannot be hosts of one capture: %s",
                               a->key, a->path, b->path, misfit_words(joining, a, b));
        }
    }
    return true;
}

bool join_files(const struct join_file *files, size_t count, struct arena *arena,
                struct join_result *ret_result, struct err *err)
{
    struct join_result result = {arena_array(arena, struct join_group, count), 0, {0}};
    struct joining joining = {.files = files,
                              .count = count,
                              .taken = arena_array(arena, bool, count),
                              .arena = arena,
                              .result = &result,
                              .notes = {.arena = arena}};
    struct join_group all = {arena_array(arena, size_t, count), count};
    if (result.groups == NULL || joining.taken == NULL || all.files == NULL)
        return arena_failed(arena, "the list of captures", err);
    for (size_t i = 0; i < count; i++)
        all.files[i] = i;
    if (!keys_check(&joining, err) || !groups_make(&joining, &all, BOND_FITS, err))
        return false;
    if (result.count > 1)
        qsort(result.groups, result.count, sizeof *result.groups, compare_first);
    apart_note(&joining);
    result.notes = notes_list(&joining.notes);
    *ret_result = result;
    return !joining.notes.failed || arena_failed(arena, "the list of captures", err);
}
