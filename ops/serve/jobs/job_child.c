/* Between fork and exit the child runs ordinary code: the worker has one thread when it forks. */
#include "ops/serve/jobs/jobs.h"

#include "ops/runtime/clock.h"
#include "ops/serve/process/process.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZER 1
#endif

enum { CPU_GRACE_S = 5 }; /* between the signal that can be told from others and the kill */

static const char folder_prefix[] = "stepledger-job-";

/* What travels through the pipe: less than PIPE_BUF, so it is written at once. */
struct job_report {
    bool done, duplicate;
    int64_t profile_id;
    struct err failure;
};

/* ---- the environment --------------------------------------------------------------------------
 */

/* By the start of their names; libpq's are needed to reach the ledger. */
static bool is_kept(const char *entry)
{
    static const char *const kept[] = {
        "TMPDIR=",
        "HOME=",
        "PATH=",
        "USER=",
        "LANG=",
        "LC_",
        "TZ=",
        "XDG_",
        "PG",
        "ASAN_",
        "UBSAN",
        "JOURNAL_STREAM=",
        "SOURCE_DATE_EPOCH=",
    };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (strncmp(entry, kept[i], strlen(kept[i])) == 0)
            return true;
    return false;
}

void job_environment_wipe(void)
{
    char **out = environ;
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (is_kept(*entry))
            *out++ = *entry;
        else
            explicit_bzero(*entry, strlen(*entry));
    }
    if (out != NULL)
        *out = NULL;
}

/* ---- in the child ---------------------------------------------------------------------------- */

static void limit_set(int resource, int64_t soft, int64_t hard)
{
    const struct rlimit limit = {.rlim_cur = (rlim_t)soft, .rlim_max = (rlim_t)hard};
    (void)setrlimit((__rlimit_resource_t)resource, &limit);
}

static int last_report_fd;

static void last_report(const struct err *err)
{
    const struct job_report report = {.failure = *err};
    (void)!write(last_report_fd, &report, sizeof report);
}

_Noreturn static void child_run(const struct job_setting *setting, const struct queue_job *job,
                                pid_t parent, int report_fd)
{
    struct job_report report = {0};
    struct profile_receipt receipt = {0};
    struct arena arena;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(EXIT_FAILURE);
    signals_reset();
    (void)signal(SIGINT, SIG_IGN); /* Ctrl-C reaches the whole group; the worker decides */
    last_report_fd = report_fd;
    memory_end_tell(last_report);
    int64_t cpu_s = conf_int(setting->conf, CONF_job_cpu_s);
    limit_set(RLIMIT_CORE, 0, 0);
    limit_set(RLIMIT_CPU, cpu_s, cpu_s + CPU_GRACE_S);
#ifndef UNDER_SANITIZER
    int64_t memory_bytes = conf_int(setting->conf, CONF_job_memory_mb) << 20;
    limit_set(RLIMIT_AS, memory_bytes, memory_bytes);
#endif
    job_environment_wipe();
    conf_memory_arena(setting->conf, &arena);
    report.done = job_run(setting, job, &arena, &receipt, &report.failure);
    assert(!report.done || receipt.id > 0);
    if (report.done) {
        report.profile_id = receipt.id;
        report.duplicate = receipt.duplicate;
    }
    _exit(write(report_fd, &report, sizeof report) == (ssize_t)sizeof report ? EXIT_SUCCESS
                                                                             : EXIT_FAILURE);
}

/* ---- folders of files that came with a job --------------------------------------------------- */

static const char *folders_parent(void)
{
    const char *parent = getenv("TMPDIR");
    return parent != NULL && parent[0] == '/' ? parent : "/tmp";
}

static int entry_remove(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static void folder_remove(const char *folder)
{
    if (folder[0] != '\0')
        (void)nftw(folder, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}

void job_folders_sweep(void)
{
    const char *parent = folders_parent();
    DIR *entries = opendir(parent);
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        struct stat info;
        char path[PATH_MAX];
        if (strncmp(entry->d_name, folder_prefix, sizeof folder_prefix - 1) != 0)
            continue;
        long pid = strtol(entry->d_name + sizeof folder_prefix - 1, NULL, 10);
        bool gone = pid > 1 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
        int length = snprintf(path, sizeof path, "%s/%s", parent, entry->d_name);
        if (gone && length < PATH_MAX && lstat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
            info.st_uid == geteuid())
            folder_remove(path);
    }
    (void)closedir(entries);
}

/* ---- in the worker --------------------------------------------------------------------------- */

static bool child_fork(struct job_child *child, const struct job_setting *setting,
                       const struct queue_job *job, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return err_set_errno(err, ERR_FULL, "cannot make a pipe for job %lld", (long long)job->id);
    pid_t parent = getpid();
    child->pid = fork();
    if (child->pid == 0)
        child_run(setting, job, parent, ends[1]);
    int number = errno;
    (void)close(ends[1]);
    child->report_fd = ends[0];
    if (child->pid > 0)
        return true;
    (void)close(ends[0]);
    child->pid = 0;
    errno = number;
    return err_set_errno(err, ERR_FULL, "cannot start a process for job %lld", (long long)job->id);
}

bool job_child_start(struct job_child *child, const struct job_setting *setting,
                     const struct queue_job *job, struct err *err)
{
    struct job_setting own = *setting;
    *child = (struct job_child){0};
    child->deadline_ms = clock_monotonic_ms() + conf_int(setting->conf, CONF_job_wall_s) * 1000;
    if (job->has_bytes) {
        int length = snprintf(child->folder, sizeof child->folder, "%s/%s%d-XXXXXX",
                              folders_parent(), folder_prefix, (int)getpid());
        if (length >= PATH_MAX || mkdtemp(child->folder) == NULL) {
            child->folder[0] = '\0';
            return err_set_errno(err, ERR_FULL, "cannot make a folder in '%s' (set TMPDIR)",
                                 folders_parent());
        }
    }
    own.folder = child->folder;
    if (child_fork(child, &own, job, err))
        return true;
    folder_remove(child->folder);
    child->folder[0] = '\0';
    return false;
}

static void child_forget(struct job_child *child)
{
    (void)close(child->report_fd);
    folder_remove(child->folder);
    *child = (struct job_child){0};
}

/* Why a job's process ended without a word. */
static void crash_describe(const struct job_child *child, int status, struct err *failure)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (child->over_time)
        (void)err_set(failure, ERR_LIMIT, "it took longer than job_wall_s allows");
    else if (number == SIGXCPU)
        (void)err_set(failure, ERR_LIMIT, "it used more processor time than job_cpu_s allows");
    else if (number != 0)
        (void)err_set(failure, ERR_BUG, "its process was killed by signal %d (%s)", number,
                      strsignal(number));
    else
        (void)err_set(failure, ERR_BUG, "its process ended with status %d and said nothing",
                      WEXITSTATUS(status));
}

bool job_child_ended(struct job_child *child, struct job_result *ret_result)
{
    int status;
    struct job_report report;
    if (!child->over_time && clock_monotonic_ms() > child->deadline_ms) {
        child->over_time = true;
        (void)kill(child->pid, SIGKILL);
    }
    if (waitpid(child->pid, &status, WNOHANG) != child->pid)
        return false;
    *ret_result = (struct job_result){0};
    if (read(child->report_fd, &report, sizeof report) == (ssize_t)sizeof report) {
        ret_result->done = report.done;
        ret_result->receipt.id = report.profile_id;
        ret_result->receipt.duplicate = report.duplicate;
        ret_result->failure = report.failure;
    } else {
        ret_result->crashed = true;
        crash_describe(child, status, &ret_result->failure);
    }
    child_forget(child);
    return true;
}

void job_child_kill(struct job_child *child)
{
    (void)kill(child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    child_forget(child);
}
