/* Everything that a verdict rests on comes out of the ledger: paths go into it first. */
#include "ops/flow/judge/gate_loading.h"

#include "ops/flow/take_in/take_in.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PROFILE_NAME_BYTES = 24 };

/* ---- names ----------------------------------------------------------------------------------- */

bool gate_profile_is_held(const struct profile_page *page, int64_t id)
{
    for (size_t i = 0; i < page->count; i++) {
        if (page->items[i].id == id)
            return true;
    }
    return false;
}

bool gate_ids_hold(const struct profile_ids *ids, int64_t id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->items[i] == id)
            return true;
    }
    return false;
}

/* Grows by one at a time: names are few. */
void gate_profile_add(struct gate_loading *loading, const struct ledger_profile *profile,
                      struct profile_page *page)
{
    if (gate_profile_is_held(page, profile->id))
        return;
    struct ledger_profile *items =
        arena_array(loading->arena, struct ledger_profile, page->count + 1);
    loading->excluded = arena_grow(loading->arena, loading->excluded, loading->excluded_count,
                                   &loading->excluded_capacity, sizeof *loading->excluded);
    for (size_t i = 0; i < page->count; i++)
        items[i] = page->items[i];
    items[page->count++] = *profile;
    page->items = items;
    loading->excluded[loading->excluded_count++] = profile->id;
}

void gate_profile_leave_out(int64_t id, const char *why, struct gate_unreadable *unreadable)
{
    char name[PROFILE_NAME_BYTES];
    if (unreadable->count++ == 0)
        (void)snprintf(unreadable->first, sizeof unreadable->first, "%s", why);
    (void)snprintf(name, sizeof name, "p%lld", (long long)id);
    log_event(LOG_WARN, LOG_profile_left_out, "profile", name, "why", why, NULL);
}

/* Who may store profiles may store one that fills the memory: where it alone takes more than half
 * of the budget it is left out; where there is no room because of what was loaded before it, less
 * would be judged than there is. */
bool gate_profile_load(struct gate_loading *loading, int64_t id, struct gate_unreadable *unreadable,
                       struct ledger_profile *ret_profile, bool *ret_readable, struct err *err)
{
    const char *why;
    struct arena *arena = loading->arena;
    struct arena_mark mark = arena_mark(arena);
    size_t left = arena_left_bytes(arena);
    if (!ledger_load_stored(loading->flow->db, id, arena, ret_profile, &why, err) ||
        !arena_ok(arena, "a profile", err)) {
        if (err->kind != ERR_LIMIT || left < arena->budget_bytes / 2)
            return false;
        arena_rewind(arena, mark);
        arena_forgive(arena);
        *ret_readable = false;
        *err = (struct err){0};
        gate_profile_leave_out(
            id,
            arena_printf(arena,
                         "p%lld needs more than half of max_memory_mb; "
                         "`stepledger retract p%lld` says that it does not count",
                         (long long)id, (long long)id),
            unreadable);
        return true;
    }
    *ret_readable = why == NULL;
    if (why != NULL)
        gate_profile_leave_out(id, why, unreadable);
    return true;
}

bool gate_profile_load_beside(struct gate_loading *loading, int64_t id,
                              struct gate_unreadable *unreadable,
                              struct ledger_profile *ret_profile, bool *ret_readable,
                              struct err *err)
{
    enum { SHARE = 4 };
    struct arena *arena = loading->arena;
    struct arena_mark mark = arena_mark(arena);
    char name[PROFILE_NAME_BYTES];
    bool loaded = gate_profile_load(loading, id, unreadable, ret_profile, ret_readable, err);
    if (!loaded && err->kind != ERR_LIMIT)
        return false;
    if (loaded && (!*ret_readable || arena_left_bytes(arena) >= arena->budget_bytes / SHARE))
        return true;
    arena_rewind(arena, mark);
    arena_forgive(arena);
    *err = (struct err){0};
    *ret_readable = false;
    if (unreadable->roomless_count++ == 0)
        unreadable->roomless_first = id;
    (void)snprintf(name, sizeof name, "p%lld", (long long)id);
    log_event(LOG_WARN, LOG_profile_left_out, "profile", name, "why",
              "beside the commit's other runs it does not fit into three quarters of "
              "max_memory_mb: raise that or, where it is none of yours, `stepledger retract` it",
              NULL);
    return true;
}

const char *gate_unreadable_why(struct arena *arena, const char *why,
                                const struct gate_unreadable *unreadable)
{
    char profiles[FORMAT_COUNTED_BYTES];
    if (unreadable->count > 0)
        why = arena_printf(arena, "%s; left out: %s cannot be relied on (%s)", why,
                           format_counted((int64_t)unreadable->count, "profile", profiles),
                           unreadable->first);
    if (unreadable->broken_count > 0)
        why = arena_printf(arena, "%s; left out: %s that %s no profile ('%s'%s)", why,
                           format_counted((int64_t)unreadable->broken_count, "file", profiles),
                           unreadable->broken_count == 1 ? "is" : "are",
                           path_base(unreadable->broken_first),
                           unreadable->broken_count == 1 ? "" : " first");
    if (unreadable->roomless_count > 0)
        why = arena_printf(arena,
                           "%s; left out: %s (p%lld first) did not fit into max_memory_mb beside "
                           "the others",
                           why,
                           format_counted((int64_t)unreadable->roomless_count, "profile", profiles),
                           (long long)unreadable->roomless_first);
    if (unreadable->beyond_count > 0)
        why = arena_printf(arena,
                           "%s; left out: %s of the commit (p%lld and before), as no more than the "
                           "newest 100 that can be compared are judged",
                           why,
                           format_counted((int64_t)unreadable->beyond_count, "profile", profiles),
                           (long long)unreadable->beyond_first);
    else if (unreadable->are_beyond)
        why = arena_printf(arena, "%s; left out: what is older than 10,000 profiles of the commit",
                           why);
    return why;
}

static bool is_path(const struct gate_loading *loading, const char *name)
{
    return loading->job->reading != NULL && access(name, F_OK) == 0;
}

/* What a path holds, in the place of the path. */
static bool path_load(struct gate_loading *loading, const struct intake *intake, size_t operand,
                      struct profile_page *page, struct err *err)
{
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_item *item = &intake->items[i];
        struct ledger_profile profile;
        if (item->operand != operand || !item->stored)
            continue;
        if (!ledger_load_profile(loading->flow->db, item->receipt.id, loading->arena, &profile,
                                 err))
            return false;
        gate_profile_add(loading, &profile, page);
    }
    return true;
}

/* Whether the item is a file without a profile in a folder of which others are stored: the others
 * are what was meant. */
static bool may_be_left(const struct intake *intake, const struct intake_item *item)
{
    bool found = false;
    for (size_t i = 0; item->is_beside && i < intake->count && !found; i++)
        found = intake->items[i].stored && intake->items[i].operand == item->operand;
    return found && !intake->reading.options.strict_input;
}

/* The paths among the names, which may be hosts of each other. A profile that cannot be read ends
 * the gate: judging the rest would be a verdict on something else. Of a candidate's folder a file
 * that holds none is left out, and that is said. */
static bool paths_take(struct gate_loading *loading, const struct string_list *names,
                       struct intake *intake, struct err *err)
{
    struct gate_unreadable *left = &loading->unreadable;
    size_t beside = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (is_path(loading, names->items[i]) && !intake_collect(intake, names->items[i], err))
            return false;
    }
    for (size_t i = 0; names == &loading->job->candidates && i < intake->count; i++)
        beside += intake->items[i].is_beside;
    if (intake->rejected_count == beside && !intake_store(intake, err))
        return false;
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_item *item = &intake->items[i];
        if (item->stored)
            continue;
        if (beside == 0 || !may_be_left(intake, item)) {
            *err = item->failure;
            return false;
        }
        left->broken_first = left->broken_count++ == 0 ? item->path : left->broken_first;
    }
    return true;
}

bool gate_resolve(struct gate_loading *loading, const struct profile_reference *reference,
                  struct profile_page *ret_page, struct err *err)
{
    struct id_list ids;
    struct profile_page page = {0};
    struct gate_unreadable unreadable = {0};
    if (!ledger_resolve_ids(loading->flow->db, reference, loading->arena, &ids, err))
        return false;
    page.items = arena_array(loading->arena, struct ledger_profile, ids.count);
    for (size_t i = 0; i < ids.count; i++) {
        bool is_readable = true;
        struct ledger_profile *profile = &page.items[page.count];
        if (ids.count == 1 ? !ledger_load_profile(loading->flow->db, ids.items[i], loading->arena,
                                                  profile, err)
                           : !gate_profile_load(loading, ids.items[i], &unreadable, profile,
                                                &is_readable, err))
            return false;
        page.count += is_readable;
    }
    *ret_page = page;
    return page.count > 0 || err_set(err, ERR_INPUT, "%s: %s", reference->name, unreadable.first);
}

static bool name_load(struct gate_loading *loading, const char *name, struct profile_page *page,
                      struct err *err)
{
    const struct profile_reference reference = {loading->job->project, loading->job->workload,
                                                name};
    struct profile_page found;
    if (!gate_resolve(loading, &reference, &found, err))
        return err->kind != ERR_MISSING ? false : err_prefix(err, "'%s' is no file, and", name);
    for (size_t i = 0; i < found.count; i++) {
        if (found.items[i].retracted_at_utc != NULL)
            return err_set(err, ERR_INPUT, "%s was retracted (%.300s): nothing is judged by it",
                           name, found.items[i].reason);
        gate_profile_add(loading, &found.items[i], page);
    }
    return true;
}

bool gate_names_load(struct gate_loading *loading, const struct string_list *names,
                     const struct profile_identity *identity, struct profile_page *page,
                     struct err *err)
{
    struct intake intake = {
        .flow = {loading->flow->conf, loading->flow->db, loading->arena, loading->flow->memory},
        .identity = *identity};
    if (loading->job->reading != NULL)
        intake.reading = *loading->job->reading;
    /* What was collected is of the candidates' jobs, and so is the memory profile that is named. */
    bool are_candidates = names == &loading->job->candidates;
    if (!are_candidates)
        intake.reading.options.memory_profile = NULL;
    if (are_candidates && loading->job->collection != NULL) {
        intake.reading.options.collected = loading->job->collection->facts;
        intake.reading.options.collected_count = loading->job->collection->count;
    }
    intake_begin(&intake);
    bool loaded = paths_take(loading, names, &intake, err);
    for (size_t i = 0, operand = 0; i < names->count && loaded; i++)
        loaded = is_path(loading, names->items[i])
                     ? path_load(loading, &intake, operand++, page, err)
                     : name_load(loading, names->items[i], page, err);
    intake_done(&intake);
    return loaded;
}

/* ---- sides ----------------------------------------------------------------------------------- */

struct gate_profile gate_profile_make(struct arena *arena, const struct ledger_profile *held)
{
    return (struct gate_profile){
        .profile_id = arena_printf(arena, "p%lld", (long long)held->id),
        .run = held->run,
        .branch = held->branch,
        .commit = held->commit,
        .label = held->label,
        .ran_at_utc = held->ran_at_utc,
        .recorded_at_utc = held->recorded_at_utc,
        .summary = &held->summary,
    };
}

struct gate_side gate_side_make(struct gate_loading *loading, const struct profile_page *page,
                                const char *why)
{
    struct gate_profile *profiles = arena_array(loading->arena, struct gate_profile, page->count);
    for (size_t i = 0; i < page->count; i++)
        profiles[i] = gate_profile_make(loading->arena, &page->items[i]);
    return (struct gate_side){profiles, page->count, why};
}

bool gate_commits_differ(const char *said, const char *held)
{
    if (said == NULL || held == NULL)
        return false;
    size_t left = strlen(said), right = strlen(held);
    return strncasecmp(said, held, left < right ? left : right) != 0;
}

bool gate_commits_equal(const char *left, const char *right)
{
    enum { START_DIGITS = 7 };
    if (left == NULL || right == NULL || gate_commits_differ(left, right))
        return false;
    size_t length = strlen(left), other = strlen(right);
    return length == other || (length >= START_DIGITS && other >= START_DIGITS);
}
