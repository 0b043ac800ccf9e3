/* Groups are found by growing: files that belong together are linked, and a set of links is a
 * capture when each two of its files belong together. */
#include "ingest/source/join.h"

#include "ingest/source/join_pair.h"
#include "ingest/source/notes.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sessions of one capture are not further apart. */
enum { SESSION_SPREAD_S = 30 };

/* How much is asked of two files: each includes what stands before it. */
enum bond { BOND_FITS, BOND_NEAR, BOND_FOLDER, BOND_NAMES, BOND_COUNT };

static bool fits(const struct join_file *a, const struct join_file *b)
{
    return join_misfit(a, b) == FITS;
}

static bool belong(const struct join_file *a, const struct join_file *b, enum bond bond)
{
    const int64_t left = a->place.session_s, right = b->place.session_s;
    const bool in_folder = strcmp(a->place.folder, b->place.folder) == 0;
    const bool near = left >= 0 && right >= 0 && llabs(left - right) <= SESSION_SPREAD_S;
    if (a->together != 0 && a->together == b->together)
        return true;
    return fits(a, b) && (bond < BOND_NEAR || in_folder || near) &&
           (bond < BOND_FOLDER || in_folder) && (bond < BOND_NAMES || join_is_ranked_alike(a, b));
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

/* The group of processes that is smaller than the number of files that are of it; NULL: none. */
static const char *crowd_find(const struct join_file *files, const struct join_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct string_list *told = &files[group->files[i]].groups;
        for (size_t g = 0; g < told->count; g++) {
            size_t members = 0, size = join_group_size(told->items[g]);
            for (size_t j = 0; j < group->count; j++)
                members += join_is_of_group(&files[group->files[j]], told->items[g]);
            if (size > 0 && members > size)
                return told->items[g];
        }
    }
    return NULL;
}

static int file_order(const void *a, const void *b, void *context)
{
    const struct joining *joining = context;
    const struct join_file *left = &joining->files[*(const size_t *)a];
    const struct join_file *right = &joining->files[*(const size_t *)b];
    if (left->process.set != right->process.set)
        return left->process.set ? -1 : 1;
    if (left->process.value != right->process.value)
        return left->process.value < right->process.value ? -1 : 1;
    const int order = strcmp(join_name_of(left), join_name_of(right));
    return order != 0 ? order : strcmp(left->sha256, right->sha256);
}

static void group_keep(struct joining *joining, struct join_group group)
{
    qsort_r(group.files, group.count, sizeof *group.files, file_order, joining);
    joining->result->groups[joining->result->count++] = group;
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
        if (!arena_ok(joining->arena, "the list of captures", err))
            return false;
        group.count = linked_collect(joining, within, within->files[i], bond, group.files);
        if (!misfit_find(joining, &group, pair) && crowd_find(joining->files, &group) == NULL) {
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
            if (a->together == 0 && b->together == 0 && text_same_told(a->key, b->key) &&
                !fits(a, b))
                return err_set(err, ERR_INPUT,
                               "--capture %s: '%s' and '%s' cannot be hosts of one capture: %s",
                               a->key, a->path, b->path, join_misfit_words(a, b, joining->arena));
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
    for (size_t i = 0; i < count; i++)
        all.files[i] = i;
    if (!keys_check(&joining, err) || !groups_make(&joining, &all, BOND_FITS, err))
        return false;
    if (result.count > 1)
        qsort(result.groups, result.count, sizeof *result.groups, compare_first);
    /* Files of one job's directory that were not joined although their hosts differ: why. */
    for (size_t g = 1, told = 0; g < result.count && told == 0; g++) {
        const struct join_file *a = &files[result.groups[g - 1].files[0]];
        const struct join_file *b = &files[result.groups[g].files[0]];
        if (!join_is_noted(a, b))
            continue;
        NOTE(&joining.notes, "'%s' and '%s' are not joined: %s. --capture KEY joins them.", a->path,
             b->path, join_misfit_words(a, b, arena));
        told++;
    }
    result.notes = notes_list(&joining.notes);
    *ret_result = result;
    return arena_ok(arena, "the list of captures", err);
}

/* The first two of the files that are of no one capture; false: there are none. Times that are not
 * told are no reason, for somebody gave the files together. */
static bool strangers_find(const struct join_file *files, size_t count,
                           const struct join_file *ret_pair[2])
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const enum misfit misfit = join_misfit(&files[j], &files[i]);
            ret_pair[0] = &files[j];
            ret_pair[1] = &files[i];
            if (misfit != FITS && misfit != MISFIT_NO_TIMES)
                return true;
        }
    }
    return false;
}

bool join_check(const struct summary *hosts, size_t count, const char *path, struct arena *arena,
                struct err *err)
{
    static const char remedy[] =
        "Give one of them by name, or each capture in a folder of its own; if they are of one, "
        "--capture KEY says so (summarize, table, explain, convert)";
    struct join_file *files = arena_array(arena, struct join_file, count);
    struct join_group all = {arena_array(arena, size_t, count), 0};
    const struct join_file *pair[2];
    for (size_t i = 0; i < count && count > 1; i++) {
        if (hosts[i].trace_overview.num_events_total == 0)
            continue;
        all.files[all.count] = all.count;
        if (!join_file_of(&hosts[i], arena, &files[all.count++], err))
            return false;
    }
    if (strangers_find(files, all.count, pair)) {
        return err_set(err, ERR_INPUT,
                       "'%s' holds more than one capture: '%s' and '%s' are not hosts of one: %s. "
                       "%s",
                       path, pair[0]->path, pair[1]->path,
                       join_misfit_words(pair[0], pair[1], arena), remedy);
    }
    const char *crowd = crowd_find(files, &all);
    return crowd == NULL ||
           err_set(err, ERR_INPUT,
                   "'%s' holds more than one capture: more of its %zu files are of the processes "
                   "%s than those are. %s",
                   path, count, crowd, remedy);
}
