/* Which files are profiles: a path (file or directory) becomes profiles, each a list of host files.
 */
#ifndef INGEST_DISCOVER_H
#define INGEST_DISCOVER_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct summary;

/* A file that was left although nothing else tells what it might, and why. */
struct left_file {
    const char *path, *why;
};

/* One capture: a file per host. */
struct profile_files {
    const char *path; /* as the user gave it, in normal form: summary.source_path */
    const char **files;
    size_t file_count;
    bool is_loose; /* the files only share a folder, which is no session's */
    bool is_known; /* that they are one capture was found when they were stored */
    /* Files of the same folders that look like hosts of the capture in a form that is not read. */
    const char **unread;
    size_t unread_count;
    /* Files of the same folders that hold the same in a lesser form, and were left aside. */
    const char **aside;
    size_t aside_count;
    /* Files of the same folders that tell nothing, or cannot be read, where others tell. */
    const struct left_file *left;
    size_t left_count;
    /* A file of theirs that is broken, and why: what is read is the trace that lies by it. */
    const char *broken, *broken_why;
    /* Device memory profiles that lie by them. */
    const char **memory;
    size_t memory_count;
    /* Compiled programs (HLO protos) in files of their own, which tables of ops and figures ask for
       what the profile itself does not hold. */
    const char **programs;
    size_t program_count;
    /* Tables that xprof made of it, which are read with it when asked for (ingest_tables). */
    const char **tables;
    size_t table_count;
};

struct profile_list {
    struct profile_files *items;
    size_t count;
};

/* A file is one profile. A directory is searched for `*.xplane.pb` below it, for traces in Chrome's
 * JSON (`perfetto_trace.json.gz`, `*.trace.json.gz`, `*.trace.json`, and other JSON that is one)
 * and exports of Nsight Systems (`*.sqlite`) that no XPlane file stands for (below);
 * files of one session directory are the hosts of one profile (Levanter's
 * <log_dir>/<run_id>/profiler/plugins/profile/<time>/<host>.xplane.pb); several session directories
 * are several profiles, in path order. ERR_MISSING: no such path, or a directory without profiles
 * (says what was looked for). ERR_INPUT: a folder cannot be searched. */
bool ingest_discover(const char *path, struct arena *arena, struct profile_list *ret_profiles,
                     struct err *err);

/* What can be read instead of profile->files[index], which is broken (failure): the trace of the
 * same host that was left aside. false: nothing, the failure stands. */
bool ingest_instead(const struct profile_files *profile, size_t index, const struct err *failure,
                    struct arena *arena, struct profile_files *ret_other);

/* Whether the host that was read of profile->files[index] tells anything, where something else can
 * be read instead, or it is what is read instead: ERR_INPUT where it holds no event. */
bool ingest_tells(const struct profile_files *profile, size_t index, const struct summary *host,
                  struct err *err);

/* Refuses a profile without events, with what may be the reason: that none could be read, where it
 * has items, else how it ended, and `remedy`. Returns false. */
bool ingest_no_events(const struct summary *summary, const char *path, const char *remedy,
                      struct err *err);

/* What cannot be read is profile->files[index] (broken), nor what was read instead (err, which then
 * says both where it is of the input). Returns false. */
bool ingest_failed_both(const struct err *broken, struct err *err);

/* Whether a file that was left aside is what ingest_instead may read for one of the profile's. */
bool ingest_stands_in(const struct profile_files *profile, const char *aside);

/* Whether the files are XPlane files by their names. */
bool ingest_is_xplane(const struct profile_files *profile);

/* Whether a file is a profile by its name or its first bytes, and nothing else; whether it is a
 * summary. */
bool ingest_is_profile(const char *path);
bool ingest_is_summary(const char *path);

/* What a file is that is neither: a sentence without subject and full stop, with what to do; NULL:
 * nothing is known of it. Static. */
const char *ingest_is_other(const char *path);

/* One explicit file, whatever its format: the reference's --xplane-file and --trace-file; and what
 * lies in its folder, and in the directory of its job, that is of it: programs and, where no other
 * file is nearer to them, device memory profiles. */
bool ingest_file(const char *path, struct arena *arena, struct profile_files *ret_files,
                 struct err *err);

/* Finds the tables of xprof in a folder, not below it: they are read with the profile, or, where it
 * has no file, are all that there is of it. ERR_MISSING: no such folder, or no table in it;
 * ERR_INPUT: the folder cannot be searched, or the profile has several files. */
bool ingest_tables(const char *folder, struct arena *arena, struct profile_files *profile,
                   struct err *err);

/* ---- which traces in Chrome's JSON are read of those that lie in a directory
 * ---------------------
 *
 * Profilers write them beside XPlane files, which hold more, and JAX writes one of them twice. By
 * their places alone; nothing is opened. What lies by another capture is one of its own.
 */

/* Bytes of a path up to the slash before its last name. */
static inline size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path);
}

static inline bool same_folder(const char *a, const char *b)
{
    size_t length = folder_length(a);
    return length == folder_length(b) && memcmp(a, b, length) == 0;
}

/* Whether the path lies in the folder of one of the files, above or below it. */
bool paths_near(const char *const *files, size_t count, const char *path);

/* Tells of traces[count], by folder and name, which are read: none that an XPlane file tells as
 * well (of its host; of the whole job, where it is the job's), no export in the directory of a job
 * that has XPlane files; of what is left of each folder that of the whole job, or of several hosts
 * each host's once, and all exports. */
void traces_choose(const char *const *traces, size_t count, const char *const *xplanes,
                   size_t xplane_count, bool *ret_chosen);

#endif
