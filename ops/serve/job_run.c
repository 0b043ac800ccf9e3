/* Files that came with the job are written below a folder of the job, each in one of its own, so
 * that they keep their names; the document names the paths that they were submitted under. */
#include "ops/serve/job_run.h"

#include "ops/runtime/file.h"
#include "ops/serve/capture.h"
#include "ops/serve/job_options.h"
#include "ops/serve/ledger_link.h"

#include <string.h>

static bool file_write(const struct job_setting *setting, const struct queue_file *file,
                       size_t number, struct arena *arena, const char **ret_path, struct err *err)
{
    const char *name = path_base(file->path);
    bool usable = name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    char *folder = arena_printf(arena, "%s/%zu", setting->folder, number);
    char *path = folder == NULL ? NULL : path_join(arena, folder, usable ? name : "profile");
    if (path == NULL)
        return arena_failed(arena, "a path", err);
    *ret_path = path;
    return file_make_dirs(folder, err) && file_write_atomic(path, file->bytes, file->length, err);
}

/* *ret_capture->files are those to read; *ret_paths those to name. */
static bool capture_load(const struct job_setting *setting, const struct queue_job *job,
                         struct db *db, struct arena *arena, struct profile_files *ret_capture,
                         struct err *err)
{
    struct queue_file *files;
    size_t count;
    scoped_arena bodies;
    arena_init(&bodies, (size_t)conf_int(setting->conf, CONF_max_memory_mb) << 20);
    if (!queue_files_load(db, job->id, &bodies, &files, &count, err))
        return false;
    const char **paths = arena_array(arena, const char *, count + 1);
    if (paths == NULL)
        return arena_failed(arena, "the files of a job", err);
    for (size_t i = 0; i < count; i++) {
        if (files[i].bytes == NULL)
            paths[i] = arena_strdup(arena, files[i].path);
        else if (!file_write(setting, &files[i], i, arena, &paths[i], err))
            return false;
        if (paths[i] == NULL)
            return arena_failed(arena, "the files of a job", err);
    }
    *ret_capture = (struct profile_files){.path = job->path, .files = paths, .file_count = count};
    return true;
}

/* The submitted path of a file that was written to the job's folder: its name is kept, its folder
 * is that of the capture. */
static bool paths_restore(const struct job_setting *setting, const struct queue_job *job,
                          struct summary *summary, struct arena *arena, struct err *err)
{
    for (size_t i = 0; setting->folder != NULL && i < summary->source_count; i++) {
        struct source_file *source = &summary->sources[i];
        const char *name = path_base(source->path);
        bool alone = summary->source_count == 1;
        source->path = alone ? job->path : path_join(arena, job->path, name);
        if (source->path == NULL)
            return arena_failed(arena, "a path", err);
    }
    return true;
}

bool job_run(const struct job_setting *setting, const struct queue_job *job, struct arena *arena,
             struct profile_receipt *ret_receipt, struct err *err)
{
    struct ingest_options options;
    struct profile_files capture;
    struct summary summary;
    scoped_db *db = NULL;
    if (!job_options_read(job->options, arena, &options, err) ||
        !ledger_open(setting->conninfo, &db, err) ||
        !capture_load(setting, job, db, arena, &capture, err))
        return false;
    ingest_options_configure(&options, setting->conf);
    return ingest_summarize(&capture, &options, arena, &summary, err) &&
           capture_check(&summary, err) && paths_restore(setting, job, &summary, arena, err) &&
           queue_store(db, job, &summary, arena, ret_receipt, err);
}
