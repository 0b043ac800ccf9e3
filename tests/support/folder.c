/* The guardian is a child that reads from a pipe: its end is the end of the test program, whatever
 * ended that. A server is a process whose working folder lies in the guarded one. */
#include "tests/support/folder.h"

#include "ops/runtime/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POLLS = 300, POLL_MS = 20, PIPE_FD = 3 };

_Noreturn static void give_up(const char *what)
{
    (void)fprintf(stderr, "test folder: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int entry_remove(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

void test_folder_remove(const char *path)
{
    (void)nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static bool works_in(const char *pid, const char *folder)
{
    char link[300], target[PATH_MAX];
    (void)snprintf(link, sizeof link, "/proc/%.20s/cwd", pid);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    size_t prefix = strlen(folder);
    return strncmp(target, folder, prefix) == 0 &&
           (target[prefix] == '/' || target[prefix] == '\0');
}

/* Sends a signal to every process that works in the folder; returns how many there were. */
static int servers_signal(const char *folder, int number)
{
    int count = 0;
    DIR *processes = opendir("/proc");
    if (processes == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid <= 1 || pid == getpid() || !works_in(entry->d_name, folder))
            continue;
        (void)kill((pid_t)pid, number);
        count++;
    }
    (void)closedir(processes);
    return count;
}

_Noreturn static void guardian_run(const char *folder)
{
    char byte;
    (void)setsid();
    if (chdir("/") != 0)
        _exit(1);
    closefrom(PIPE_FD + 1);
    while (read(PIPE_FD, &byte, 1) < 0 && errno == EINTR)
        ;
    /* SIGQUIT: PostgreSQL's immediate shutdown, which still frees its shared memory. */
    for (int i = 0; i < POLLS && servers_signal(folder, i == 0 ? SIGQUIT : 0) > 0; i++)
        clock_sleep_ms(POLL_MS);
    (void)servers_signal(folder, SIGKILL);
    test_folder_remove(folder);
    _exit(0);
}

static void guardian_start(const char *folder)
{
    int ends[2];
    if (pipe(ends) != 0)
        give_up("pipe");
    pid_t pid = fork();
    if (pid < 0)
        give_up("fork");
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        (void)dup2(ends[0], PIPE_FD);
        for (int fd = 0; fd < PIPE_FD; fd++)
            (void)dup2(null, fd);
        guardian_run(folder);
    }
    (void)close(ends[0]);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC); /* the writing end stays open until we end */
}

char *test_folder_make(void)
{
    const char *parent = getenv("TMPDIR");
    char *folder;
    if (asprintf(&folder, "%s/stepledger-test-XXXXXX", parent != NULL ? parent : "/tmp") < 0 ||
        mkdtemp(folder) == NULL || chmod(folder, 0755) != 0)
        give_up("mkdtemp");
    guardian_start(folder);
    return folder;
}
