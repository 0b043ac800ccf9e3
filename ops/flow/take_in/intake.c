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
    intake->items =
        arena_grow(arena, intake->items, intake->count, &intake->capacity, sizeof *intake->items);
    struct intake_item *item = &intake->items[intake->count++];
    *item = (struct intake_item){.path = arena_strdup(arena, path)};
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
    item->failure = *failure;
    item->operand = intake->operand_count;
    intake->rejected_count++;
    log_event(LOG_WARN, LOG_profile_rejected, "kind", err_kind_name(failure->kind), "file", path,
              "why", failure->text, NULL);
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

/* Of a session of which one file cannot be read, nothing is stored: it would be a capture without
 * that host. Files that lie loose stand for themselves. */
static bool place_take(struct intake *intake, const struct profile_files *place, struct err *err)
{
    size_t before = intake->files.count;
    for (size_t i = 0; i < place->file_count; i++) {
        struct err failure = {0};
        intake->operands = arena_grow(intake->flow.arena, intake->operands, intake->files.count,
                                      &intake->operands_capacity, sizeof *intake->operands);
        intake->operands[intake->files.count] = intake->operand_count;
        if (host_reading_take(&intake->reading, place, i, &intake->files, &failure))
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

bool intake_collect(struct intake *intake, const char *path, struct err *err)
{
    struct profile_list list;
    struct err failure = {0};
    const char **memory = &intake->reading.options.memory_profile;
    bool taken = true;
    /* A path stands in the ledger for whoever asks for the file later, wherever he stands. */
    path = path_absolute(intake->flow.arena, path);
    if (*memory != NULL)
        *memory = path_absolute(intake->flow.arena, *memory);
    if (!ingest_discover(path, intake->flow.arena, &list, &failure)) {
        taken = item_fail(intake, path, &failure, err);
    } else if (*memory != NULL && list.count + intake->operand_count > 1) {
        return err_set(err, ERR_USAGE,
                       "--memory-profile '%s' is of one capture; give it with that one alone",
                       *memory);
    } else {
        for (size_t i = 0; i < list.count && taken; i++)
            taken = place_take(intake, &list.items[i], err);
    }
    intake->operand_count++;
    return taken && arena_ok(intake->flow.arena, "the list of profiles", err);
}

/* ---- storing --------------------------------------------------------------------------------- */

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

static struct string_list texts_keep(struct arena *arena, const struct string_list *from)
{
    const char **items = arena_array(arena, const char *, from->count);
    for (size_t i = 0; i < from->count; i++)
        items[i] = arena_strdup(arena, from->items[i]);
    return (struct string_list){items, from->count};
}

static void stored_keep(struct intake *intake, const struct join_group *group,
                        const struct resolved_capture *capture,
                        const struct profile_receipt *receipt)
{
    struct arena *arena = intake->flow.arena;
    const struct summary *summary = &capture->summary;
    struct intake_item *item = item_add(intake, summary->source_path);
    item->operand = SIZE_MAX;
    for (size_t i = 0; i < group->count; i++) {
        size_t own = intake->operands[group->files[i]];
        item->operand = own < item->operand ? own : item->operand;
    }
    item->group = group;
    item->stored = true;
    item->receipt = *receipt;
    item->receipt.trace_sha256 = arena_strdup(arena, receipt->trace_sha256);
    item->receipt.series = arena_strdup(arena, receipt->series);
    item->receipt.run = arena_strdup(arena, receipt->run);
    item->hosts = texts_keep(arena, &summary->environment.hosts);
    item->missing = texts_keep(arena, &summary->capture.missing);
    item->notes = texts_keep(arena, &summary->capture.notes);
    char id[24];
    (void)snprintf(id, sizeof id, "p%lld", (long long)receipt->id);
    log_event(LOG_DEBUG, receipt->duplicate ? LOG_profile_duplicate : LOG_profile_stored, "profile",
              id, "file", item->path, NULL);
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
        scoped_transaction *open = NULL;
        if (!capture_resolve(&intake->files, group, &target, arena, ret_capture, err) ||
            !transaction_open(target.db, &open, err) ||
            !capture_is_stale(target.db, ret_capture, arena, &stale, err) ||
            (!stale &&
             !ledger_append_profile_within(target.db, &ret_capture->identity, &ret_capture->summary,
                                           arena, ret_receipt, err)) ||
            !transaction_close(&open, err))
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
    stored_keep(intake, group, &capture, &receipt);
    return arena_ok(intake->flow.arena, "the list of profiles", err);
}

/* What a file is a copy of is known already. */
static void copy_tell(struct intake *intake, size_t file)
{
    struct arena *arena = intake->flow.arena;
    const struct captured_file *copy = &intake->files.files[file];
    const struct join_group *group = NULL;
    size_t original = 0;
    for (size_t i = 0; i < intake->count && group == NULL; i++) {
        const struct join_group *held = intake->items[i].stored ? intake->items[i].group : NULL;
        for (size_t k = 0; held != NULL && k < held->count; k++)
            group = held->files[k] == copy->copy_of ? held : group;
        original = i;
    }
    if (group == NULL)
        return;
    struct intake_item *item = item_add(intake, copy->facts.path);
    struct intake_item known = intake->items[original];
    known.path = item->path;
    known.operand = intake->operands[file];
    known.receipt.duplicate = true;
    if (copy->copy_words != NULL) {
        const char **notes = arena_array(arena, const char *, 1);
        notes[0] = arena_printf(arena, "Nothing to add: %s.", copy->copy_words);
        known.notes = (struct string_list){notes, 1};
    }
    *item = known;
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
 * the one in which the code ran, and not that of its names. */
static const struct join_group **groups_in_turn(struct intake *intake)
{
    const struct join_result *joined = &intake->files.joined;
    struct arena *arena = intake->flow.arena;
    const struct join_group **groups = arena_array(arena, const struct join_group *, joined->count);
    struct turn *turns = arena_array(arena, struct turn, joined->count);
    size_t told = 0;
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
    /* Traces last: of what came with an XPlane file they add nothing. */
    for (int traces = 0; traces < 2; traces++) {
        for (size_t g = 0; g < files->joined.count; g++) {
            const struct join_group *group = groups[g];
            if (join_is_trace(&files->files[group->files[0]].facts) == (traces == 1) &&
                !capture_store(intake, group, err))
                return false;
        }
    }
    for (size_t i = 0; i < files->count; i++) {
        if (files->files[i].is_copy)
            copy_tell(intake, i);
    }
    return arena_ok(intake->flow.arena, "the list of profiles", err);
}

bool intake_path(struct intake *intake, const char *path, struct err *err)
{
    intake_begin(intake);
    bool stored = intake_collect(intake, path, err) && intake_store(intake, err);
    intake_done(intake);
    return stored;
}
