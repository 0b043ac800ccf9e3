/* Running PostgreSQL's programs as the cluster's owner, cut off from our terminal, descriptors and
 * locks; for the files of history/ only. */
#ifndef HISTORY_CLUSTER_CLUSTER_PROCESS_H
#define HISTORY_CLUSTER_CLUSTER_PROCESS_H

#include "history/cluster/cluster_place.h"

struct cluster_command {
    const char *const *argv; /* argv[0] is the full path; NULL at the end */
    const char *folder;      /* working folder; the owner must be able to enter it */
    const char *log_file; /* gets stdout and stderr, appended; made by the owner with mode 0600 */
    const char *input;    /* what it reads from stdin; NULL = nothing */
    bool dies_with_us;    /* for helpers: killed when this process ends */
    bool as_caller;       /* with our own user id, which may write where the owner may not */
};

/* Starts it and returns at once. ERR_UNAVAILABLE: it could not be executed (says at which step and
 * why). */
bool cluster_spawn(const struct cluster_place *place, const struct cluster_command *command,
                   pid_t *ret_pid, struct err *err);

/* Starts it and waits for its end. Exit status other than 0: an error with the last line of its
 * log; ERR_FULL when that speaks of a full disk. */
bool cluster_execute(const struct cluster_place *place, const struct cluster_command *command,
                     struct err *err);

/* The error of a program that failed: `what` and the last line of the log. Returns false. */
bool cluster_log_error(const char *what, const char *log_file, struct err *err);

/* true while any server process has `folder` as its working folder, as every process of a server
 * has its data folder. */
bool cluster_folder_in_use(const char *folder);

/* The process id that the server's lock file names and that is alive in the data folder; 0 when
 * there is none. */
pid_t cluster_server_pid(const struct cluster_place *place);

/* true unless somebody stopped the process (SIGSTOP, a debugger): it answers nobody until it is
 * continued. ERR_UNAVAILABLE says so. */
bool cluster_process_runs(pid_t pid, struct err *err);

#endif
