/* What lies beside profiles and is of them: device memory profiles, by their places alone, and
 * compiled programs in files of their own; and tables that tools keep there, which are not read.
 */
#ifndef INGEST_BESIDE_H
#define INGEST_BESIDE_H

#include "ingest/ingest.h"

/* Paths in the order in which they are found. */
struct path_list {
    const char **paths;
    size_t count, capacity;
};

/* Adds the path in its normal form. */
void path_keep(struct path_list *list, const char *path, struct arena *arena);

/* One file, and nothing of what lies by it. ERR_INPUT: there is none. */
bool file_alone(const char *path, struct arena *arena, struct profile_files *ret_files,
                struct err *err);

/* Adds what of its own folder, and of the directory of its job, is of a capture's file: programs,
 * and device memory profiles where it would get them of the capture in that folder, or the job.
 * Folders that cannot be searched have none. ERR_LIMIT. */
bool beside_find(struct profile_files *file, struct arena *arena, struct err *err);

/* The profile without files that are copies of others of its own, whole or cut off, which are no
 * hosts: they are told as what was left. */
void copies_leave(const struct profile_files *profile, const struct ingest_options *options,
                  struct arena *arena, struct profile_files *ret_profile);

/* Takes files[index] of several, which cannot be read or tells nothing (err), out of the profile:
 * it is told as what was left, and the options' warn hears of it. false: the failure is no matter
 * of the file, or nothing else is there; it stands. */
bool broken_leave(struct profile_files *profile, size_t index, const struct ingest_options *options,
                  struct arena *arena, struct err *err);

/* Without captures each is a profile by itself. */
void memory_alone(const char **paths, size_t count, struct arena *arena,
                  struct profile_list *ret_profiles);

/* Adds each to the capture whose folder is next to its own, of several to the last. */
void memory_assign(const char **paths, size_t count, struct arena *arena,
                   struct profile_list *profiles);

/* Whether a file is called as what xprof and TensorBoard keep, `<host>.<tool>.pb`, `.json` or
 * `.json.gz`, and as what people save of it, `<tool>_<choice>.json`; programs as text, too. */
bool tool_table_is_named(const char *name);

/* Whether a file is called as profilers extract programs (`jit_f(12).hlo_proto.pb`), or as XLA
 * dumps them (`module_0012.jit_f.after_optimizations.hlo.pb`). */
bool program_is_named(const char *name);

/* Gives paths[count] to all profiles: a program is known by name and number, which two jobs may
 * give alike, so that of equal names those near a profile are its own. */
void programs_assign(const char **paths, size_t count, struct arena *arena,
                     struct profile_list *profiles);

#endif
