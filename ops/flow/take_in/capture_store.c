/* See capture_store.h. */
#include "ops/flow/take_in/capture_store.h"

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
static const char *job_text(const char *job, struct arena *arena)
{
    struct statx info;
    if (job == NULL)
        return NULL;
    if (statx(AT_FDCWD, job, 0, STATX_INO | STATX_BTIME, &info) != 0)
        return arena_strdup(arena, job);
    return arena_printf(arena, "%s %u:%u:%" PRIu64 " %" PRId64 ".%09u", job, info.stx_dev_major,
                        info.stx_dev_minor, (uint64_t)info.stx_ino, (int64_t)info.stx_btime.tv_sec,
                        info.stx_btime.tv_nsec);
}

static const struct join_file *file_of(const struct resolving *resolving, size_t index)
{
    return &resolving->set->files[resolving->group->files[index]].facts;
}

static bool query_make(struct resolving *resolving, struct err *err)
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
    query->job = job_text(first->place.job, resolving->arena);
    resolving->capture->job = query->job;
    return query->job != NULL || first->place.job == NULL ||
           arena_failed(resolving->arena, "a path", err);
}

/* ---- hosts that came before ------------------------------------------------------------------ */

static bool contradict(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

/* Whether the profile can be of the same execution of the same code. */
static bool may_be_same(const struct resolving *resolving, const struct capture_neighbour *held)
{
    const struct profile_identity *identity = resolving->identity;
    return !contradict(identity->run, held->run) && !contradict(identity->branch, held->branch) &&
           !contradict(identity->commit, held->commit);
}

static bool is_new(const struct resolving *resolving, const char *sha256)
{
    for (size_t i = 0; i < resolving->group->count; i++) {
        if (strcmp(file_of(resolving, i)->sha256, sha256) == 0)
            return true;
    }
    return false;
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
                         const struct profile_files *from, int64_t together, struct err *err)
{
    scoped_arena arena;
    arena_init_within(&arena, wide->arena);
    struct summary host;
    scoped_json *root = json_parse(document, strlen(document), name, err);
    return root != NULL && summary_from_json(root, name, &arena, &host, err) &&
           captures_add(wide, &host, from, together, err);
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
            !document_add(wide, document, own->facts.path, own->from,
                          holder_of(resolving, own->facts.sha256), err))
            return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct capture_neighbour *held = &list->items[i];
        if (held->document == NULL || is_new(resolving, held->sha256) ||
            !may_be_same(resolving, held) || !is_whole(resolving, held->profile_id))
            continue;
        if (!document_add(wide, held->document, "a summary of the ledger", NULL, held->profile_id,
                          err))
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
static bool profiles_take(struct resolving *resolving, const struct capture_set *wide,
                          const struct join_group *group, struct err *err)
{
    struct profile_identity *identity = &resolving->capture->identity;
    const struct neighbour_list *list = &resolving->capture->neighbours;
    int64_t *ids = arena_array(resolving->arena, int64_t, list->count);
    size_t count = 0;
    if (ids == NULL)
        return arena_failed(resolving->arena, "the captures of a workload", err);
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
    return true;
}

/* Whether the profile is the trace of a host whose XPlane file is at hand: of one folder and host,
 * or of the folder's only host. */
static bool is_lesser(const struct resolving *resolving, const struct capture_neighbour *held,
                      bool *ret_is, struct err *err)
{
    static const char whole_job[] = "perfetto_trace.json.gz";
    struct file_place place;
    *ret_is = false;
    if (held->document == NULL || !held->in_job || !may_be_same(resolving, held))
        return true;
    scoped_json *root =
        json_parse(held->document, strlen(held->document), "a summary of the ledger", err);
    const json_t *source = json_array_get(json_object_get(root, "sources"), 0);
    const char *path = json_string_value(json_object_get(source, "path"));
    const char *format = json_string_value(json_object_get(root, "source_format"));
    if (path == NULL || format == NULL || strcmp(format, "perfetto_trace_json") != 0)
        return root != NULL;
    if (!file_place_of(path, resolving->arena, &place, err))
        return false;
    for (size_t i = 0; i < resolving->group->count && !*ret_is; i++) {
        const struct file_place *own = &file_of(resolving, i)->place;
        *ret_is = strcmp(place.folder, own->folder) == 0 &&
                  (strcmp(place.host, own->host) == 0 ||
                   (resolving->group->count == 1 && strcmp(place.host, whole_job) == 0));
    }
    return true;
}

/* Profiles that were made of traces of the same hosts: of one capture an XPlane file tells more. */
static bool lesser_take(struct resolving *resolving, struct err *err)
{
    struct resolved_capture *capture = resolving->capture;
    struct profile_identity *identity = &capture->identity;
    const struct neighbour_list *list = &capture->neighbours;
    size_t count = identity->supersedes_count;
    int64_t *ids = arena_array(resolving->arena, int64_t, list->count + count);
    if (ids == NULL)
        return arena_failed(resolving->arena, "the captures of a workload", err);
    if (count > 0)
        memcpy(ids, identity->supersedes, count * sizeof *ids);
    if (strcmp(capture->summary.source_format, "xplane_pb") != 0)
        return true;
    for (size_t n = 0; n < list->count; n++) {
        bool is = false;
        if (!is_lesser(resolving, &list->items[n], &is, err))
            return false;
        for (size_t i = 0; i < count && is; i++)
            is = ids[i] != list->items[n].profile_id;
        if (is)
            ids[count++] = list->items[n].profile_id;
    }
    identity->supersedes = ids;
    identity->supersedes_count = count;
    return true;
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

static size_t host_index(const struct summary *summary, const char *sha256)
{
    size_t index = 0;
    while (strcmp(summary->capture.hosts[index].sha256, sha256) != 0)
        index++;
    return index;
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
    if (records == NULL)
        return arena_failed(resolving->arena, "the hosts of a capture", err);
    if (group->count == 1)
        summary_print(summary, JSON_STYLE_LINE, &own);
    for (size_t i = 0; i < group->count; i++) {
        const struct captured_file *file = &from->files[group->files[i]];
        struct host_record *record = &records[host_index(summary, file->facts.sha256)];
        const char *document;
        record->job = job_text(file->facts.place.job, resolving->arena);
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
    return captures_summarize(from, group, resolving->arena, &resolving->capture->summary, err) &&
           capture_check(&resolving->capture->summary, err) &&
           hosts_record(resolving, from, group, err);
}

static bool alone_make(struct resolving *resolving, struct err *err)
{
    run_of_job(resolving);
    return merged_make(resolving, resolving->set, resolving->group, err);
}

static bool widened_make(struct resolving *resolving, struct capture_set *wide, struct err *err)
{
    const struct join_group *group = NULL;
    for (size_t g = 0; g < wide->joined.count && group == NULL; g++) {
        if (group_has(wide, &wide->joined.groups[g], file_of(resolving, 0)->sha256))
            group = &wide->joined.groups[g];
    }
    if (group == NULL || !is_complete(resolving, wide, group)) {
        resolving->capture->note =
            "hosts that came before may be of this capture, or of another: nothing was joined; "
            "--capture KEY joins";
        return alone_make(resolving, err);
    }
    if (!profiles_take(resolving, wide, group, err))
        return false;
    run_of_job(resolving);
    return merged_make(resolving, wide, group, err);
}

bool capture_resolve(struct capture_set *set, const struct join_group *group,
                     const struct capture_target *target, struct arena *arena,
                     struct resolved_capture *ret_capture, struct err *err)
{
    struct resolved_capture capture = {.identity = *target->identity};
    struct resolving resolving = {set, group, target->identity, arena, &capture};
    struct capture_set wide;
    if (!query_make(&resolving, err) || !ledger_capture_neighbours(target->db, &capture.query, true,
                                                                   arena, &capture.neighbours, err))
        return false;
    bool made;
    if (capture.neighbours.count == 0) {
        made = alone_make(&resolving, err);
    } else {
        captures_init(&wide, set->options, arena);
        wide.run = set->run;
        made = wide_fill(&resolving, &wide, err) && widened_make(&resolving, &wide, err);
        captures_done(&wide);
        made = made && lesser_take(&resolving, err);
    }
    if (made)
        *ret_capture = capture;
    return made;
}

/* ---- storing --------------------------------------------------------------------------------- */

static bool same_neighbours(const struct neighbour_list *a, const struct neighbour_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (a->items[i].profile_id != b->items[i].profile_id ||
            strcmp(a->items[i].sha256, b->items[i].sha256) != 0)
            return false;
    }
    return true;
}

bool capture_is_stale(struct db *db, const struct resolved_capture *capture, struct arena *arena,
                      bool *ret_stale, struct err *err)
{
    struct neighbour_list now;
    if (!ledger_workload_hold(db, capture->identity.project, capture->identity.workload, err) ||
        !ledger_capture_neighbours(db, &capture->query, false, arena, &now, err))
        return false;
    *ret_stale = !same_neighbours(&capture->neighbours, &now);
    return true;
}

bool capture_check(const struct summary *summary, struct err *err)
{
    return summary->trace_overview.num_complete_events > 0 || summary->has_memory ||
           err_set(err, ERR_INPUT,
                   "'%s' holds no timeline events: the process that wrote it was probably killed "
                   "before the end of the capture; capture again",
                   summary->source_path);
}
