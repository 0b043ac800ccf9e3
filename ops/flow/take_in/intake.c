/* Discovers, summarizes, joins, appends; one arena per capture, one failure never holds the others.
 */
#include "ops/flow/take_in/intake.h"

#include "ops/runtime/file.h"
#include "ops/runtime/json.h"
#include "ops/runtime/log.h"
#include "ops/flow/take_in/take_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct intake_item *item_add(struct intake *intake, const char *path)
{
    struct arena *arena = intake->flow.arena;
    struct intake_item *items =
        arena_grow(arena, intake->items, intake->count, &intake->capacity, sizeof *items);
    char *kept = arena_strdup(arena, path);
    if (items == NULL || kept == NULL)
        return NULL;
    intake->items = items;
    struct intake_item *item = &items[intake->count++];
    *item = (struct intake_item){.path = kept};
    return item;
}

/* Failures of the input are the item's own; all others end the command. */
static bool item_fail(struct intake *intake, const char *path, const struct err *failure,
                      struct err *err)
{
    if (!host_reading_is_own(failure->kind)) {
        *err = *failure;
        return false;
    }
    struct intake_item *item = item_add(intake, path);
    if (item == NULL)
        return arena_failed(intake->flow.arena, "the list of profiles", err);
    item->failure = *failure;
    item->operand = intake->operand_count;
    intake->rejected_count++;
    log_event(LOG_WARN, LOG_profile_rejected, "kind", err_kind_name(failure->kind), "file", path,
              "why", failure->text, NULL);
    return true;
}

static bool receipt_keep(struct intake *intake, struct profile_receipt *receipt, struct err *err)
{
    struct arena *arena = intake->flow.arena;
    receipt->trace_sha256 = arena_strdup(arena, receipt->trace_sha256);
    receipt->series = arena_strdup(arena, receipt->series);
    receipt->run = arena_strdup(arena, receipt->run);
    if (receipt->trace_sha256 == NULL || receipt->series == NULL || receipt->run == NULL)
        return arena_failed(arena, "the list of profiles", err);
    return true;
}

void intake_begin(struct intake *intake)
{
    intake->reading.memory = intake->flow.memory;
    captures_init(&intake->files, &intake->reading.options, intake->flow.arena);
    intake->files.run = intake->identity.run;
}

void intake_done(struct intake *intake)
{
    captures_done(&intake->files);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool file_take(struct intake *intake, const struct profile_files *place, size_t index,
                      struct err *err)
{
    size_t *operands = arena_grow(intake->flow.arena, intake->operands, intake->files.count,
                                  &intake->operands_capacity, sizeof *operands);
    if (operands == NULL)
        return arena_failed(intake->flow.arena, "the list of profiles", err);
    intake->operands = operands;
    operands[intake->files.count] = intake->operand_count;
    return host_reading_take(&intake->reading, place, index, &intake->files, err);
}

/* Of a session of which one file cannot be read, nothing is stored: it would be a capture without
 * that host. Files that lie loose stand for themselves. */
static bool place_take(struct intake *intake, const struct profile_files *place, struct err *err)
{
    size_t before = intake->files.count;
    for (size_t i = 0; i < place->file_count; i++) {
        struct err failure = {0};
        if (file_take(intake, place, i, &failure))
            continue;
        if (!item_fail(intake, place->is_loose ? place->files[i] : place->path, &failure, err))
            return false;
        if (place->is_loose) {
            intake->items[intake->count - 1].is_beside = failure.kind == ERR_INPUT;
            continue;
        }
        intake->files.count = before;
        break;
    }
    return true;
}

/* A path stands in the ledger for whoever asks for the file later, wherever he stands. */
static bool paths_root(struct intake *intake, const char **path, struct err *err)
{
    struct arena *arena = intake->flow.arena;
    const char **memory = &intake->reading.options.memory_profile;
    bool has_memory = *memory != NULL;
    *path = path_absolute(arena, *path);
    if (has_memory)
        *memory = path_absolute(arena, *memory);
    return (*path != NULL && (*memory != NULL || !has_memory)) ||
           arena_failed(arena, "the list of profiles", err);
}

bool intake_collect(struct intake *intake, const char *path, struct err *err)
{
    struct profile_list list;
    struct err failure = {0};
    bool taken = true;
    if (!paths_root(intake, &path, err))
        return false;
    if (!ingest_discover(path, intake->flow.arena, &list, &failure)) {
        taken = item_fail(intake, path, &failure, err);
    } else if (intake->reading.options.memory_profile != NULL &&
               list.count + intake->operand_count > 1) {
        return err_set(err, ERR_USAGE,
                       "--memory-profile '%s' is of one capture; give it with that one alone",
                       intake->reading.options.memory_profile);
    } else {
        for (size_t i = 0; i < list.count && taken; i++)
            taken = place_take(intake, &list.items[i], err);
    }
    intake->operand_count++;
    return taken;
}

/* ---- storing --------------------------------------------------------------------------------- */

static const struct join_file *first_of(const struct intake *intake, const struct join_group *group)
{
    return &intake->files.files[group->files[0]].facts;
}

/* Captures of one job are one run: that of the job's first capture. */
static const char *run_of(const struct intake *intake, const struct join_group *group)
{
    if (intake->identity.run != NULL)
        return intake->identity.run;
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_item *item = &intake->items[i];
        if (item->stored && captures_are_one_run(&intake->files, item->group, group))
            return item->receipt.run;
    }
    return NULL;
}

static bool texts_keep(struct arena *arena, const struct string_list *from, struct string_list *to)
{
    const char **items = arena_array(arena, const char *, from->count);
    bool kept = items != NULL;
    for (size_t i = 0; kept && i < from->count; i++) {
        items[i] = arena_strdup(arena, from->items[i]);
        kept = items[i] != NULL;
    }
    *to = (struct string_list){items, from->count};
    return kept;
}

static bool stored_keep(struct intake *intake, const struct join_group *group,
                        const struct resolved_capture *capture,
                        const struct profile_receipt *receipt, struct err *err)
{
    struct arena *arena = intake->flow.arena;
    const struct summary *summary = &capture->summary;
    struct intake_item *item = item_add(intake, summary->source_path);
    if (item == NULL)
        return arena_failed(arena, "the list of profiles", err);
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < group->count; i++) {
        size_t own = intake->operands[group->files[i]];
        least = own < least ? own : least;
    }
    item->operand = least;
    item->group = group;
    item->stored = true;
    item->receipt = *receipt;
    if (!receipt_keep(intake, &item->receipt, err))
        return false;
    char id[24];
    (void)snprintf(id, sizeof id, "p%lld", (long long)item->receipt.id);
    log_event(LOG_DEBUG, item->receipt.duplicate ? LOG_profile_duplicate : LOG_profile_stored,
              "profile", id, "file", item->path, NULL);
    return (texts_keep(arena, &summary->environment.hosts, &item->hosts) &&
            texts_keep(arena, &summary->capture.missing, &item->missing) &&
            texts_keep(arena, &summary->capture.notes, &item->notes)) ||
           arena_failed(arena, "the list of profiles", err);
}

/* Other hosts of the capture may come at the same time from elsewhere: then it is resolved again.
 */
static bool resolved_append(struct intake *intake, const struct join_group *group,
                            struct arena *arena, struct resolved_capture *ret_capture,
                            struct profile_receipt *ret_receipt, struct err *err)
{
    enum { TRIES = 8 };
    struct profile_identity identity = intake->identity;
    const char *run = run_of(intake, group);
    identity.run_is_known = identity.run == NULL && run != NULL;
    identity.run = run;
    const struct capture_target target = {&identity, intake->flow.db};
    for (int i = 0; i < TRIES; i++) {
        bool stale = false;
        if (!capture_resolve(&intake->files, group, &target, arena, ret_capture, err) ||
            !db_begin(intake->flow.db, err))
            return false;
        bool done =
            capture_is_stale(intake->flow.db, ret_capture, arena, &stale, err) &&
            (stale || ledger_append_profile_within(intake->flow.db, &ret_capture->identity,
                                                   &ret_capture->summary, arena, ret_receipt, err));
        if (!db_end(intake->flow.db, done, err))
            return false;
        if (!stale)
            return true;
    }
    return err_set(err, ERR_CONFLICT, "other hosts of '%s' are stored at the same time",
                   ret_capture->summary.source_path);
}

static bool capture_store(struct intake *intake, const struct join_group *group, struct err *err)
{
    scoped_arena arena;
    arena_init_within(&arena, intake->flow.memory);
    struct resolved_capture capture;
    struct profile_receipt receipt;
    struct err failure = {0};
    const struct profile_files *from = intake->files.files[group->files[0]].from;
    if (!resolved_append(intake, group, &arena, &capture, &receipt, &failure))
        return item_fail(intake, from->path, &failure, err);
    const struct summary *summary = &capture.summary;
    for (size_t i = 0; i < summary->coverage.warnings.count; i++)
        log_event(LOG_WARN, LOG_input_warning, "file", summary->source_path, "why",
                  summary->coverage.warnings.items[i], NULL);
    if (capture.note != NULL)
        log_event(LOG_WARN, LOG_input_warning, "file", summary->source_path, "why", capture.note,
                  NULL);
    return stored_keep(intake, group, &capture, &receipt, err);
}

static bool has_file(const struct join_group *group, size_t file)
{
    for (size_t i = 0; group != NULL && i < group->count; i++) {
        if (group->files[i] == file)
            return true;
    }
    return false;
}

static bool note_one(struct arena *arena, const char *why, struct string_list *ret_notes,
                     struct err *err)
{
    const char **items = arena_array(arena, const char *, 1);
    const char *note = arena_printf(arena, "Nothing to add: %s.", why);
    if (items == NULL || note == NULL)
        return arena_failed(arena, "the list of profiles", err);
    items[0] = note;
    *ret_notes = (struct string_list){items, 1};
    return true;
}

/* What a file is a copy of is known already. */
static bool copy_tell(struct intake *intake, size_t file, struct err *err)
{
    const struct captured_file *copy = &intake->files.files[file];
    for (size_t i = 0; i < intake->count; i++) {
        struct intake_item known = intake->items[i];
        if (!known.stored || !has_file(known.group, copy->copy_of))
            continue;
        struct intake_item *item = item_add(intake, copy->facts.path);
        if (item == NULL)
            return arena_failed(intake->flow.arena, "the list of profiles", err);
        known.path = item->path;
        known.operand = intake->operands[file];
        known.receipt.duplicate = true;
        if (copy->copy_words != NULL &&
            !note_one(intake->flow.arena, copy->copy_words, &known.notes, err))
            return false;
        *item = known;
        return true;
    }
    return true;
}

/* When the capture began, by the first of its hosts that tells. */
static struct opt_i64 begin_of(const struct intake *intake, const struct join_group *group)
{
    struct opt_i64 begin = {0};
    for (size_t i = 0; i < group->count; i++) {
        struct opt_i64 own = intake->files.files[group->files[i]].facts.begin_ns;
        if (own.set && (!begin.set || own.value < begin.value))
            begin = own;
    }
    return begin;
}

/* A capture in the order of capture among those whose clocks tell; the others keep their turn. */
struct turn {
    const struct join_group *group;
    struct opt_i64 begin_ns;
    size_t number;
};

static int turn_order(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    int order = (a->begin_ns.value > b->begin_ns.value) - (a->begin_ns.value < b->begin_ns.value);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

/* The history has runs in the order in which they are recorded: that of a folder of old profiles is
 * the one in which the code ran, and not that of its names. NULL beyond the budget. */
static const struct join_group **groups_in_turn(struct intake *intake)
{
    const struct join_result *joined = &intake->files.joined;
    struct arena *arena = intake->flow.arena;
    const struct join_group **groups = arena_array(arena, const struct join_group *, joined->count);
    struct turn *turns = arena_array(arena, struct turn, joined->count);
    size_t told = 0;
    if (groups == NULL || turns == NULL)
        return NULL;
    for (size_t i = 0; i < joined->count; i++) {
        turns[told] = (struct turn){&joined->groups[i], begin_of(intake, &joined->groups[i]), i};
        groups[i] = turns[told].begin_ns.set ? NULL : turns[told].group;
        told += turns[told].begin_ns.set;
    }
    if (told > 1)
        qsort(turns, told, sizeof *turns, turn_order);
    for (size_t i = 0, next = 0; i < joined->count; i++)
        groups[i] = groups[i] != NULL ? groups[i] : turns[next++].group;
    return groups;
}

bool intake_store(struct intake *intake, struct err *err)
{
    struct capture_set *files = &intake->files;
    if (!captures_join(files, err))
        return false;
    intake->notes = files->joined.notes;
    for (size_t i = 0; i < intake->notes.count; i++)
        log_event(LOG_WARN, LOG_input_warning, "why", intake->notes.items[i], NULL);
    const struct join_group **groups = groups_in_turn(intake);
    if (groups == NULL)
        return arena_failed(intake->flow.arena, "the list of profiles", err);
    /* Traces last: of what came with an XPlane file they add nothing. */
    for (int traces = 0; traces < 2; traces++) {
        for (size_t g = 0; g < files->joined.count; g++) {
            const struct join_group *group = groups[g];
            if (join_is_trace(first_of(intake, group)) == (traces == 1) &&
                !capture_store(intake, group, err))
                return false;
        }
    }
    for (size_t i = 0; i < files->count; i++) {
        if (files->files[i].is_copy && !copy_tell(intake, i, err))
            return false;
    }
    return true;
}

bool intake_path(struct intake *intake, const char *path, struct err *err)
{
    intake_begin(intake);
    bool stored = intake_collect(intake, path, err) && intake_store(intake, err);
    intake_done(intake);
    return stored;
}
