#include "ops/flow/take_in/capture_store.h"

#include "ops/flow/take_in/same_capture.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>

static const size_t DOCUMENT_BYTES_MAX = (size_t)512 << 20;
/* Hosts that were not awake at once still meet: join_files looks more closely. */
static const int64_t window_slack_ns = INT64_C(60000000000);

struct resolving {
    struct capture_set *set;
    const struct join_group *group; /* of set */
    const struct profile_identity *identity;
    struct arena *arena;
    struct resolved_capture *capture;
};

/* ---- what is asked --------------------------------------------------------------------------- */

/* A directory's path may come again for another job: inode and birth tell which one it is. */
static const char *job_text(const struct file_place *place, struct arena *arena)
{
    struct statx info;
    if (place->run == NULL)
        return NULL;
    if (statx(AT_FDCWD, file_place_run_folder(place), 0, STATX_INO | STATX_BTIME, &info) != 0)
        return arena_strdup(arena, place->run);
    return arena_printf(arena, "%s %u:%u:%" PRIu64 " %" PRId64 ".%09u", place->run,
                        info.stx_dev_major, info.stx_dev_minor, (uint64_t)info.stx_ino,
                        (int64_t)info.stx_btime.tv_sec, info.stx_btime.tv_nsec);
}

static const struct join_file *file_of(const struct resolving *resolving, size_t index)
{
    return &resolving->set->files[resolving->group->files[index]].facts;
}

static void query_make(struct resolving *resolving)
{
    struct capture_query *query = &resolving->capture->query;
    const struct join_file *first = file_of(resolving, 0);
    *query = (struct capture_query){.project = resolving->identity->project,
                                    .workload = resolving->identity->workload,
                                    .key = first->key,
                                    .timed = true};
    for (size_t i = 0; i < resolving->group->count; i++) {
        const struct join_file *file = file_of(resolving, i);
        query->timed = query->timed && file->begin_ns.set;
        if (!file->begin_ns.set)
            continue;
        if (!query->begin_ns.set || file->begin_ns.value < query->begin_ns.value)
            query->begin_ns = file->begin_ns;
        if (!query->end_ns.set || file->end_ns.value > query->end_ns.value)
            query->end_ns = file->end_ns;
    }
    if (query->begin_ns.set) {
        query->begin_ns.value -= window_slack_ns;
        if (__builtin_add_overflow(query->end_ns.value, window_slack_ns, &query->end_ns.value))
            query->end_ns.value = INT64_MAX;
    }
    query->run = query->timed ? NULL : resolving->identity->run;
    query->job = job_text(&first->place, resolving->arena);
}

/* ---- hosts that came before ------------------------------------------------------------------ */

/* Whether the profile can be of the same execution of the same code. */
static bool may_be_same(const struct resolving *resolving, const struct capture_neighbour *held)
{
    return same_capture_may_be(resolving->identity, held->run, held->branch, held->commit);
}

static bool is_new(const struct resolving *resolving, const char *sha256)
{
    for (size_t i = 0; i < resolving->group->count; i++) {
        if (strcmp(file_of(resolving, i)->sha256, sha256) == 0)
            return true;
    }
    return false;
}

/* Whether the host came with those that are resolved, and was found to be of another capture, or of
 * nobody knows which: that it was stored before them says no more. */
static bool is_apart(const struct resolving *resolving, const struct capture_neighbour *held)
{
    const struct neighbour_list *list = &resolving->capture->neighbours;
    bool came = false, has_own = false;
    for (size_t i = 0; i < resolving->set->count && !came; i++)
        came = strcmp(resolving->set->files[i].facts.sha256, held->sha256) == 0;
    for (size_t i = 0; i < list->count && !has_own; i++)
        has_own = list->items[i].profile_id == held->profile_id &&
                  is_new(resolving, list->items[i].sha256);
    return came && !has_own;
}

/* Whether all hosts of the profile are at hand. */
static bool is_whole(const struct resolving *resolving, int64_t profile_id)
{
    const struct neighbour_list *list = &resolving->capture->neighbours;
    for (size_t i = 0; i < list->count; i++) {
        const struct capture_neighbour *held = &list->items[i];
        if (held->profile_id == profile_id && held->document == NULL &&
            !is_new(resolving, held->sha256))
            return false;
    }
    return true;
}

static bool document_add(struct capture_set *wide, const char *document, const char *name,
                         const struct capture_origin *origin, struct err *err)
{
    scoped_arena arena;
    arena_init_within(&arena, wide->arena);
    struct summary host;
    scoped_json *root = json_parse(document, strlen(document), name, err);
    return root != NULL && summary_from_json(root, name, &arena, &host, err) &&
           captures_add(wide, &host, origin, err);
}

/* The profile that has this file already. */
static int64_t holder_of(const struct resolving *resolving, const char *sha256)
{
    const struct neighbour_list *list = &resolving->capture->neighbours;
    for (size_t i = 0; i < list->count; i++) {
        const struct capture_neighbour *held = &list->items[i];
        if (strcmp(held->sha256, sha256) == 0 && may_be_same(resolving, held) &&
            is_whole(resolving, held->profile_id))
            return held->profile_id;
    }
    return 0;
}

static bool wide_fill(const struct resolving *resolving, struct capture_set *wide, struct err *err)
{
    const struct neighbour_list *list = &resolving->capture->neighbours;
    for (size_t i = 0; i < resolving->group->count; i++) {
        const char *document;
        size_t file = resolving->group->files[i];
        const struct captured_file *own = &resolving->set->files[file];
        if (!captures_document(resolving->set, file, resolving->arena, &document, err) ||
            !document_add(
                wide, document, own->facts.path,
                &(struct capture_origin){.from = own->from,
                                         .together = holder_of(resolving, own->facts.sha256),
                                         .lies_at = own->lies_at},
                err))
            return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct capture_neighbour *held = &list->items[i];
        if (held->document == NULL || is_new(resolving, held->sha256) ||
            !may_be_same(resolving, held) || !is_whole(resolving, held->profile_id) ||
            is_apart(resolving, held))
            continue;
        if (!document_add(wide, held->document, "a summary of the ledger",
                          &(struct capture_origin){.together = held->profile_id}, err))
            return false;
    }
    return captures_join(wide, err);
}

/* ---- the capture with them ------------------------------------------------------------------- */

static bool group_has(const struct capture_set *wide, const struct join_group *group,
                      const char *sha256)
{
    for (size_t i = 0; i < group->count; i++) {
        if (strcmp(wide->files[group->files[i]].facts.sha256, sha256) == 0)
            return true;
    }
    return false;
}

/* Whether the group has all that is new, and of each profile it touches all hosts. */
static bool is_complete(const struct resolving *resolving, const struct capture_set *wide,
                        const struct join_group *group)
{
    const struct neighbour_list *list = &resolving->capture->neighbours;
    for (size_t i = 0; i < resolving->group->count; i++) {
        if (!group_has(wide, group, file_of(resolving, i)->sha256))
            return false;
    }
    for (size_t i = 0; i < group->count; i++) {
        int64_t profile_id = wide->files[group->files[i]].facts.together;
        for (size_t n = 0; profile_id != 0 && n < list->count; n++) {
            if (list->items[n].profile_id == profile_id &&
                !group_has(wide, group, list->items[n].sha256))
                return false;
        }
    }
    return true;
}

/* The profiles that the group takes the place of, and their run. */
static void profiles_take(struct resolving *resolving, const struct capture_set *wide,
                          const struct join_group *group)
{
    struct profile_identity *identity = &resolving->capture->identity;
    const struct neighbour_list *list = &resolving->capture->neighbours;
    int64_t *ids = arena_array(resolving->arena, int64_t, list->count);
    size_t count = 0;
    for (size_t n = 0; n < list->count; n++) {
        const struct capture_neighbour *held = &list->items[n];
        bool taken = count > 0 && ids[count - 1] == held->profile_id;
        for (size_t i = 0; i < group->count && !taken; i++) {
            if (wide->files[group->files[i]].facts.together != held->profile_id)
                continue;
            ids[count++] = held->profile_id;
            taken = true;
        }
        if (taken && identity->run == NULL) {
            identity->run = held->run;
            identity->run_is_known = true;
        }
    }
    identity->supersedes = ids;
    identity->supersedes_count = count;
}

/* The run of the job's captures that came before. */
static void run_of_job(struct resolving *resolving)
{
    struct profile_identity *identity = &resolving->capture->identity;
    const struct neighbour_list *list = &resolving->capture->neighbours;
    for (size_t i = 0; i < list->count && identity->run == NULL; i++) {
        if (!list->items[i].in_job || !may_be_same(resolving, &list->items[i]))
            continue;
        identity->run = list->items[i].run;
        identity->run_is_known = true;
    }
}

/* What is kept of each host: its summary unless the ledger has it, or it is the profile's. */
static bool hosts_record(struct resolving *resolving, struct capture_set *from,
                         const struct join_group *group, struct err *err)
{
    const struct summary *summary = &resolving->capture->summary;
    struct host_record *records =
        arena_array(resolving->arena, struct host_record, summary->capture.host_count);
    scoped_text own;
    text_init(&own, DOCUMENT_BYTES_MAX);
    if (group->count == 1)
        summary_print(summary, JSON_STYLE_LINE, &own);
    for (size_t i = 0; i < group->count; i++) {
        const struct captured_file *file = &from->files[group->files[i]];
        struct host_record *record = records;
        const char *document;
        while (strcmp(summary->capture.hosts[record - records].sha256, file->facts.sha256) != 0)
            record++;
        record->job = job_text(&file->facts.place, resolving->arena);
        if (file->from == NULL)
            continue;
        if (!captures_document(from, group->files[i], resolving->arena, &document, err))
            return false;
        if (group->count > 1 || strcmp(document, text_string(&own)) != 0)
            record->document = document;
    }
    resolving->capture->identity.hosts = records;
    return text_ok(&own, "the summary document", err);
}

static bool merged_make(struct resolving *resolving, struct capture_set *from,
                        const struct join_group *group, struct err *err)
{
    if (!captures_summarize(from, group, resolving->arena, &resolving->capture->summary, err))
        return false;
    /* ERR_INPUT when it holds neither a timeline event nor what memory is in use: a valid
     * summary, but no sample of any run. */
    const struct summary *summary = &resolving->capture->summary;
    if (summary->trace_overview.num_complete_events <= 0 && !summary->has_memory &&
        !ingest_no_events(summary, summary->source_path, "; capture again", err))
        return false;
    return hosts_record(resolving, from, group, err);
}

static bool alone_make(struct resolving *resolving, struct err *err)
{
    run_of_job(resolving);
    return merged_make(resolving, resolving->set, resolving->group, err);
}

/* What tells the same and more is there already: nothing is made of it. */
static void told_resolve(struct resolving *resolving, int64_t profile_id, const char *note)
{
    struct resolved_capture *capture = resolving->capture;
    const char **notes = arena_array(resolving->arena, const char *, 1);
    notes[0] = capture->note = note;
    capture->summary.capture.notes = (struct string_list){notes, 1};
    capture->identity.told_by = profile_id;
}

/* The host of the ledger that the only file of the group is a copy of; NULL: there is none. */
static const struct captured_file *original_of(const struct resolving *resolving,
                                               const struct capture_set *wide)
{
    for (size_t i = 0; i < wide->count && resolving->group->count == 1; i++) {
        const struct captured_file *file = &wide->files[i];
        if (file->is_copy && strcmp(file->facts.sha256, file_of(resolving, 0)->sha256) == 0 &&
            wide->files[file->copy_of].from == NULL)
            return &wide->files[file->copy_of];
    }
    return NULL;
}

static bool widened_make(struct resolving *resolving, struct capture_set *wide, struct err *err)
{
    const struct join_group *group = NULL;
    const struct captured_file *original = original_of(resolving, wide);
    const struct join_file *own = file_of(resolving, 0);
    if (original != NULL) {
        const bool is_less = own->event_count < original->facts.event_count;
        if (!captures_summarize(resolving->set, resolving->group, resolving->arena,
                                &resolving->capture->summary, err))
            return false;
        told_resolve(
            resolving, original->facts.together,
            arena_printf(resolving->arena, "%s of p%" PRId64 "; nothing to add.",
                         is_less ? "The beginning of the capture" : "Another copy of the capture",
                         original->facts.together));
        return true;
    }
    for (size_t g = 0; g < wide->joined.count && group == NULL; g++) {
        if (group_has(wide, &wide->joined.groups[g], own->sha256))
            group = &wide->joined.groups[g];
    }
    if (group == NULL || !is_complete(resolving, wide, group)) {
        resolving->capture->note =
            "hosts that came before may be of this capture, or of another: nothing was joined; "
            "--capture KEY joins";
        return alone_make(resolving, err);
    }
    profiles_take(resolving, wide, group);
    run_of_job(resolving);
    return merged_make(resolving, wide, group, err);
}

static bool is_of_memory(const char *note)
{
    static const char begin[] = "Memory in use is that of ";
    return strncmp(note, begin, sizeof begin - 1) == 0;
}

/* The notes of a capture with those on its memory exchanged for others. */
static void memory_notes_take(struct summary *summary, const struct string_list *from,
                              struct arena *arena)
{
    const struct string_list *own = &summary->capture.notes;
    const char **notes = arena_array(arena, const char *, own->count + from->count);
    size_t count = 0;
    bool taken = false;
    for (size_t i = 0; i <= own->count; i++) {
        const bool here = i == own->count || is_of_memory(own->items[i]);
        for (size_t f = 0; here && !taken && f < from->count; f++) {
            if (is_of_memory(from->items[f]))
                notes[count++] = from->items[f];
        }
        taken = taken || here;
        if (!here)
            notes[count++] = own->items[i];
    }
    summary->capture.notes = (struct string_list){notes, count};
}

/* Memory profiles that lie by such a trace are of the capture, too: its profile with them. Not of
 * one that is in an archive. */
static bool memory_join(struct resolving *resolving, struct db *db, int64_t profile_id,
                        bool *ret_joined, struct err *err)
{
    struct ledger_profile held;
    const struct summary brought = resolving->capture->summary;
    struct summary *summary = &resolving->capture->summary;
    *ret_joined = false;
    if (!brought.has_memory)
        return true;
    if (!ledger_load_profile(db, profile_id, resolving->arena, &held, err))
        return err->kind == ERR_MISSING;
    *summary = held.summary;
    summary->has_memory = true;
    summary->memory = brought.memory;
    resolving->capture->identity.hosts =
        arena_array(resolving->arena, struct host_record, summary->capture.host_count);
    resolving->capture->note =
        arena_printf(resolving->arena,
                     "The same capture as p%" PRId64
                     ", from its XPlane file: what the memory profile beside it tells was taken.",
                     profile_id);
    memory_notes_take(summary, &brought.capture.notes, resolving->arena);
    *ret_joined = true;
    return true;
}

bool capture_resolve(struct capture_set *set, const struct join_group *group,
                     const struct capture_target *target, struct arena *arena,
                     struct resolved_capture *ret_capture, struct err *err)
{
    struct resolved_capture capture = {.identity = *target->identity};
    struct resolving resolving = {set, group, target->identity, arena, &capture};
    const struct form_search forms = {set,        group, target->identity, &capture.neighbours,
                                      target->db, arena};
    struct capture_set wide;
    int64_t whole;
    query_make(&resolving);
    if (!ledger_capture_neighbours(target->db, &capture.query, true, arena, &capture.neighbours,
                                   err) ||
        !same_capture_whole(&forms, &capture.summary, &whole, err))
        return false;
    bool made, joined = false;
    if (whole != 0) {
        made = memory_join(&resolving, target->db, whole, &joined, err);
        if (made && !joined)
            told_resolve(&resolving, whole,
                         arena_printf(arena,
                                      "The same capture as p%" PRId64
                                      ", from its XPlane file; nothing to add.",
                                      whole));
    } else if (capture.neighbours.count == 0) {
        made = alone_make(&resolving, err);
    } else {
        captures_init(&wide, set->options, arena);
        wide.run = set->run;
        wide.left = set->left;
        wide.left_count = wide.left_capacity = set->left_count;
        made = wide_fill(&resolving, &wide, err) && widened_make(&resolving, &wide, err);
        captures_done(&wide);
    }
    if (!made || !same_capture_traces(&forms, &capture.summary, &capture.identity, err))
        return false;
    *ret_capture = capture;
    return arena_ok(arena, "the hosts of a capture", err);
}

/* ---- storing --------------------------------------------------------------------------------- */

bool capture_is_stale(struct db *db, const struct resolved_capture *capture, struct arena *arena,
                      bool *ret_stale, struct err *err)
{
    const struct neighbour_list *then = &capture->neighbours;
    struct neighbour_list now;
    if (!ledger_workload_hold(db, capture->identity.project, capture->identity.workload, err) ||
        !ledger_capture_neighbours(db, &capture->query, false, arena, &now, err))
        return false;
    *ret_stale = then->count != now.count;
    for (size_t i = 0; i < now.count && !*ret_stale; i++)
        *ret_stale = then->items[i].profile_id != now.items[i].profile_id ||
                     strcmp(then->items[i].sha256, now.items[i].sha256) != 0;
    return true;
}
