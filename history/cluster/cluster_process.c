/* Child processes of the embedded cluster.
 *
 * Between fork and exec only async-signal-safe calls are made, since the caller may have threads;
 * what needs more (group lists) is prepared before. The child tells of a failed step through a
 * close-on-exec pipe: nothing in it means exec went well. flock locks and connections of ours are
 * closed in the child, so a server never keeps them.
 */
#include "history/cluster/cluster_process.h"

#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { GROUPS_MAX = 256, LOG_TAIL_BYTES = 4096, PATH_BYTES = 4096, REPORT_FD = 3 };

struct step_report {
    int step; /* index into step_names */
    int number;
};

static const char *const step_names[] = {"take the user id of", "enter the folder as",
                                         "write the log as", "read the input as", "execute as"};

/* Everything that the child needs, made before the fork. */
struct child {
    const struct cluster_place *place;
    const struct cluster_command *command;
    gid_t groups[GROUPS_MAX];
    int group_count;
    int report_fd, input_fd;
    pid_t parent;
};

static char *const child_environment[] = {(char[]){"PATH=/usr/local/bin:/usr/bin:/bin"},
                                          (char[]){"LC_ALL=C.UTF-8"}, (char[]){"TZ=UTC"}, NULL};

_Noreturn static void child_fail(const struct child *child, int step)
{
    struct step_report report = {step, errno};
    (void)!write(child->report_fd, &report, sizeof report);
    _exit(127);
}

static bool child_become_owner(const struct child *child)
{
    const struct cluster_place *place = child->place;
    if (child->command->as_caller || geteuid() == place->uid)
        return true;
    return setgroups((size_t)child->group_count, child->groups) == 0 &&
           setresgid(place->gid, place->gid, place->gid) == 0 &&
           setresuid(place->uid, place->uid, place->uid) == 0;
}

_Noreturn static void child_run(struct child *child)
{
    const struct cluster_command *command = child->command;
    (void)setsid();
    (void)umask(077);
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    if (!child_become_owner(child))
        child_fail(child, 0);
    if (command->dies_with_us &&
        (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != child->parent))
        _exit(127);
    if (chdir(command->folder) != 0)
        child_fail(child, 1);
    int log = open(command->log_file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
    if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        child_fail(child, 2);
    if (dup2(child->input_fd, STDIN_FILENO) < 0)
        child_fail(child, 3);
    if (child->report_fd != REPORT_FD && dup2(child->report_fd, REPORT_FD) < 0)
        child_fail(child, 3);
    child->report_fd = REPORT_FD;
    (void)fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
    closefrom(REPORT_FD + 1);
    (void)execve(command->argv[0], (char *const *)(uintptr_t)command->argv, child_environment);
    child_fail(child, 4);
}

/* The input as a file in memory, so that nobody has to feed a pipe. */
static bool input_open(const char *input, int *ret_fd, struct err *err)
{
    if (input == NULL) {
        *ret_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return *ret_fd >= 0 || err_set_errno(err, ERR_UNAVAILABLE, "cannot open /dev/null");
    }
    int fd = memfd_create("stepledger-input", MFD_CLOEXEC);
    if (fd < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot make a file in memory");
    *ret_fd = fd;
    if (!file_write_all(fd, input, strlen(input), "a file in memory", err))
        return false;
    return lseek(fd, 0, SEEK_SET) == 0 || err_set_errno(err, ERR_BUG, "cannot rewind the input");
}

static bool report_read(int fd, const struct child *child, pid_t pid, struct err *err)
{
    struct step_report report;
    ssize_t length;
    do {
        length = read(fd, &report, sizeof report);
    } while (length < 0 && errno == EINTR);
    if (length != (ssize_t)sizeof report)
        return true; /* the pipe was closed by exec */
    (void)waitpid(pid, NULL, 0);
    errno = report.number;
    (void)err_set_errno(err, ERR_UNAVAILABLE,
                        "cannot run %s: cannot %s user %s (folder %s, log %s)",
                        child->command->argv[0], step_names[report.step], child->place->user,
                        child->command->folder, child->command->log_file);
    if (err != NULL && err->kind == ERR_MISSING)
        err->kind = ERR_UNAVAILABLE;
    return false;
}

bool cluster_spawn(const struct cluster_place *place, const struct cluster_command *command,
                   pid_t *ret_pid, struct err *err)
{
    struct child child = {.place = place, .command = command, .parent = getpid()};
    int ends[2];
    scoped_fd input_fd = -1;
    child.group_count = GROUPS_MAX;
    if (geteuid() != place->uid &&
        getgrouplist(place->user, place->gid, child.groups, &child.group_count) < 0)
        return err_set(err, ERR_LIMIT, "user %s is in more than %d groups", place->user,
                       GROUPS_MAX);
    if (!input_open(command->input, &input_fd, err))
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot make a pipe");
    scoped_fd reader = ends[0];
    child.report_fd = ends[1];
    child.input_fd = input_fd;
    pid_t pid = fork();
    if (pid == 0)
        child_run(&child);
    int number = errno;
    (void)close(ends[1]);
    errno = number;
    if (pid < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot start %s", command->argv[0]);
    *ret_pid = pid;
    return report_read(reader, &child, pid, err);
}

/* The end of a log, in the caller's buffer; without a newline at its end. */
static ssize_t log_tail(const char *log_file, char *buffer, size_t size)
{
    scoped_fd fd = open(log_file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    off_t start = end > (off_t)size - 1 ? end - ((off_t)size - 1) : 0;
    ssize_t length = end < 0 ? -1 : pread(fd, buffer, size - 1, start);
    while (length > 0 && strchr("\n ", buffer[length - 1]) != NULL)
        length--;
    buffer[length > 0 ? length : 0] = '\0';
    return length;
}

/* The last line that tells of a failure, else the last line. Cuts the buffer into lines. */
static const char *telling_line(char *buffer)
{
    static const char *const signs[] = {"FATAL:", "PANIC:", "error:"};
    const char *best = NULL, *last = buffer;
    for (char *line = strtok_r(buffer, "\n", &buffer); line != NULL;
         line = strtok_r(NULL, "\n", &buffer)) {
        last = line;
        for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
            if (strstr(line, signs[i]) != NULL)
                best = line;
    }
    return best == NULL ? last : best;
}

bool cluster_log_error(const char *what, const char *log_file, struct err *err)
{
    char buffer[LOG_TAIL_BYTES];
    if (log_tail(log_file, buffer, sizeof buffer) <= 0)
        return err_set(err, ERR_UNAVAILABLE, "%s, and its log %s says nothing", what, log_file);
    bool full = strstr(buffer, "No space left on device") != NULL;
    return err_set(err, full ? ERR_FULL : ERR_UNAVAILABLE, "%s: %s (log: %s)", what,
                   telling_line(buffer), log_file);
}

bool cluster_execute(const struct cluster_place *place, const struct cluster_command *command,
                     struct err *err)
{
    pid_t pid;
    int status;
    if (!cluster_spawn(place, command, &pid, err))
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_set_errno(err, ERR_BUG, "cannot wait for %s", command->argv[0]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    return cluster_log_error(path_base(command->argv[0]), command->log_file, err);
}

/* Somebody's shell may stand in the folder too. */
static bool process_is_server(const char *pid)
{
    char path[PATH_BYTES], name[32] = "";
    int length = snprintf(path, sizeof path, "/proc/%s/comm", pid);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    scoped_fd fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, name, sizeof name - 1);
    return size > 0 && strcmp(name, "postgres\n") == 0;
}

static bool server_in_folder(const char *pid, const char *folder)
{
    char link[PATH_BYTES], target[PATH_BYTES];
    int length = snprintf(link, sizeof link, "/proc/%s/cwd", pid);
    if (length < 0 || (size_t)length >= sizeof link)
        return false;
    ssize_t size = readlink(link, target, sizeof target - 1);
    if (size < 0)
        return false;
    target[size] = '\0';
    return strcmp(target, folder) == 0 && process_is_server(pid);
}

bool cluster_folder_in_use(const char *folder)
{
    char real[PATH_MAX];
    DIR *processes = opendir("/proc");
    bool used = false;
    if (processes == NULL || realpath(folder, real) == NULL) {
        if (processes != NULL)
            (void)closedir(processes);
        return false;
    }
    for (struct dirent *entry; !used && (entry = readdir(processes)) != NULL;)
        used = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
               server_in_folder(entry->d_name, real);
    (void)closedir(processes);
    return used;
}

bool cluster_process_runs(pid_t pid, struct err *err)
{
    char path[64], stat[PATH_BYTES];
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    scoped_fd fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, stat, sizeof stat - 1);
    stat[length > 0 ? length : 0] = '\0';
    const char *state = strrchr(stat, ')'); /* behind the name, which may hold anything */
    if (state == NULL || strlen(state) < 3 || (state[2] != 'T' && state[2] != 't'))
        return true;
    return err_set(err, ERR_UNAVAILABLE,
                   "process %ld of the embedded database is stopped (SIGSTOP) and answers nobody; "
                   "`kill -CONT %ld` continues it",
                   (long)pid, (long)pid);
}

pid_t cluster_server_pid(const struct cluster_place *place)
{
    char path[PATH_BYTES], real[PATH_MAX], line[32];
    (void)snprintf(path, sizeof path, "%s/postmaster.pid", place->data);
    scoped_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t length = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (length <= 0 || realpath(place->data, real) == NULL)
        return 0;
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    int64_t pid;
    if (!text_parse_i64(line, &pid) || pid <= 1 || pid > INT_MAX || !server_in_folder(line, real))
        return 0;
    return (pid_t)pid;
}
