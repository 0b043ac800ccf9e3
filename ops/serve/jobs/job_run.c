/* Files that came with the job are written below a folder of the job, each in one of its own, so
 * that they keep their names; the document names the paths that they were submitted under. A job
 * may hold a part of a capture, or several. */
#include "ops/serve/jobs/jobs.h"

#include "ops/runtime/file.h"
#include "ops/flow/take_in/take_in.h"
#include "ops/flow/submit/submit.h"
#include "ops/runtime/log.h"
#include "ops/serve/process/process.h"

#include <assert.h>
#include <string.h>

static bool file_write(const struct queue_file *file, const char *folder, struct arena *arena,
                       const char **ret_path, struct err *err)
{
    const char *name = path_base(file->path);
    bool usable = name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    *ret_path = path_join(arena, folder, usable ? name : "profile");
    return file_make_dirs(folder, err) &&
           file_write_atomic(*ret_path, file->bytes, file->length, err);
}

/* What a job works with. */
struct job_work {
    const struct job_setting *setting;
    const struct queue_job *job;
    struct db *db;
    struct arena *arena;
    struct reading reading;
    struct capture_set files;
    struct resolved_capture *captures; /* by group of the set */
    bool *left;                        /* [group]: it cannot be stored, and others can */
    bool is_loose;                     /* the files only share a folder */
    size_t failed_count;               /* files and captures that were left … */
    struct err failure;                /* … and why the first was */
};

/* The files are the job's as they were submitted; what came with it lies in the job's folder. */
static bool files_load(struct job_work *work, struct profile_files *ret_place, struct err *err)
{
    struct queue_file *files;
    size_t count, counts[FILE_PARTS] = {0};
    scoped_arena bodies;
    conf_memory_arena(work->setting->conf, &bodies);
    if (!queue_files_load(work->db, work->job->id, &bodies, &files, &count, err))
        return false;
    const char **paths = arena_array(work->arena, const char *, count);
    struct file_copy *copies = arena_array(work->arena, struct file_copy, count);
    work->reading.copies = copies;
    for (size_t i = 0; i < count; i++) {
        paths[i] = arena_strdup(work->arena, files[i].path);
        counts[files[i].part]++;
        if (files[i].bytes == NULL)
            continue;
        struct file_copy *copy = &copies[work->reading.copy_count++];
        copy->path = paths[i];
        if (!file_write(&files[i], arena_printf(work->arena, "%s/%zu", work->setting->folder, i),
                        work->arena, &copy->lies_at, err))
            return false;
    }
    if (counts[FILE_HOST] == 0)
        return err_set(err, ERR_INPUT,
                       "the job names no files: whatever put it into the queue left them out "
                       "(`stepledger queue add` names them); drop it");
    const char **memory = paths + counts[FILE_HOST], **aside = memory + counts[FILE_MEMORY];
    *ret_place = (struct profile_files){.path = work->job->path,
                                        .files = paths,
                                        .file_count = counts[FILE_HOST],
                                        .memory = memory,
                                        .memory_count = counts[FILE_MEMORY],
                                        .aside = aside,
                                        .aside_count = counts[FILE_ASIDE],
                                        .unread = aside + counts[FILE_ASIDE],
                                        .unread_count = counts[FILE_UNREAD]};
    return true;
}

/* Files that lie loose stand for themselves: one that is bad holds none of the others, unless its
 * disk failed, which may pass. */
static bool is_left(struct job_work *work, const char *path, const struct err *failure)
{
    if (!work->is_loose || !host_reading_is_own(failure->kind) || failure->kind == ERR_IO)
        return false;
    if (work->failed_count++ == 0)
        work->failure = *failure;
    log_event(LOG_WARN, LOG_profile_rejected, "kind", err_kind_name(failure->kind), "file", path,
              "why", failure->text, NULL);
    return true;
}

static bool files_read(struct job_work *work, struct err *err)
{
    struct profile_files *place = arena_new(work->arena, struct profile_files);
    if (!files_load(work, place, err))
        return false;
    const struct file_place first = file_place_of(place->files[0], work->arena);
    work->is_loose = place->is_loose = place->file_count > 1 && file_place_is_loose(&first);
    for (size_t i = 0; i < place->file_count; i++) {
        if (!host_reading_take(&work->reading, place, i, &work->files, err) &&
            !is_left(work, place->files[i], err))
            return false;
    }
    if (work->files.count == 0) {
        *err = work->failure;
        return false;
    }
    return captures_join(&work->files, err);
}

static bool captures_resolve(struct job_work *work, struct err *err)
{
    const struct join_result *joined = &work->files.joined;
    const struct capture_target target = {&work->job->identity, work->db};
    work->captures = arena_array(work->arena, struct resolved_capture, joined->count);
    if (work->left == NULL)
        work->left = arena_array(work->arena, bool, joined->count);
    size_t taken = 0;
    for (size_t g = 0; g < joined->count; g++) {
        const struct join_group *group = &joined->groups[g];
        if (!work->left[g] &&
            !capture_resolve(&work->files, group, &target, work->arena, &work->captures[g], err)) {
            work->left[g] = is_left(work, work->files.files[group->files[0]].facts.path, err);
            if (!work->left[g])
                return false;
        }
        taken += !work->left[g];
    }
    if (taken == 0)
        *err = work->failure;
    return taken > 0;
}

/* Captures of one job are one run: that of the job's first one. */
static const char *run_before(const struct job_work *work, size_t index,
                              const struct profile_receipt *receipts)
{
    const struct join_group *groups = work->files.joined.groups;
    for (size_t i = 0; i < index; i++) {
        if (!work->left[i] && captures_are_one_run(&work->files, &groups[i], &groups[index]))
            return receipts[i].run;
    }
    return NULL;
}

/* All captures of the job and its end, or none. The first one is the job's. */
static bool store_within(struct job_work *work, struct profile_receipt *ret_receipt,
                         bool *ret_stale, struct err *err)
{
    const size_t count = work->files.joined.count;
    const struct profile_receipt *first = NULL;
    assert(count > 0 && "files make a capture, or fail");
    struct profile_receipt *receipts = arena_array(work->arena, struct profile_receipt, count);
    if (!queue_store_begin(work->db, work->job, err))
        return false;
    for (size_t g = 0; g < count && !*ret_stale; g++) {
        if (!work->left[g] &&
            !capture_is_stale(work->db, &work->captures[g], work->arena, ret_stale, err))
            return false;
    }
    for (size_t g = 0; g < count && !*ret_stale; g++) {
        struct resolved_capture *capture = &work->captures[g];
        if (work->left[g])
            continue;
        first = first == NULL ? &receipts[g] : first;
        const char *run = run_before(work, g, receipts);
        if (capture->identity.run == NULL && run != NULL) {
            capture->identity.run = run;
            capture->identity.run_is_known = true;
        }
        if (!ledger_append_profile_within(work->db, &capture->identity, &capture->summary,
                                          work->arena, &receipts[g], err))
            return false;
    }
    if (*ret_stale)
        return true;
    *ret_receipt = *first;
    /* The end of a job, with what was left of it. */
    const size_t others = work->failed_count - 1;
    const struct queue_failure left = {
        .kind = err_kind_name(work->failure.kind),
        .text = work->failed_count < 2 ? work->failure.text
                                       : arena_printf(work->arena, "%s (and %zu more of its files)",
                                                      work->failure.text, others)};
    return arena_ok(work->arena, "the captures of a job", err) &&
           queue_store_end(work->db, work->job, ret_receipt, work->failed_count > 0 ? &left : NULL,
                           err);
}

static bool captures_store(struct job_work *work, struct profile_receipt *ret_receipt,
                           struct err *err)
{
    enum { TRIES = 8 };
    for (int i = 0; i < TRIES; i++) {
        bool stale = false;
        scoped_transaction *open = NULL;
        if (!captures_resolve(work, err) || !transaction_open(work->db, &open, err))
            return false;
        bool stored = store_within(work, ret_receipt, &stale, err);
        if (!stale)
            return stored && transaction_close(&open, err);
    }
    return err_set(err, ERR_UNAVAILABLE, "other hosts of '%s' are stored at the same time",
                   work->job->path);
}

bool job_run(const struct job_setting *setting, const struct queue_job *job, struct arena *arena,
             struct profile_receipt *ret_receipt, struct err *err)
{
    scoped_db *db = NULL;
    struct job_work work = {
        .setting = setting, .job = job, .arena = arena, .reading.memory = arena};
    if (!job_options_read(job->options, arena, &work.reading.options, err) ||
        !ledger_open(setting->conninfo, &db, err))
        return false;
    ingest_options_configure(&work.reading.options, setting->conf);
    work.db = db;
    captures_init(&work.files, &work.reading.options, arena);
    work.files.run = job->identity.run;
    bool done = files_read(&work, err) && captures_store(&work, ret_receipt, err);
    captures_done(&work.files);
    return done;
}
