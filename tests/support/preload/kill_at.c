/* Kills the process with SIGKILL before a call that changes what others see: processes, names, what
 * is flushed, what a server is told; and before it hears what the server answers. Loaded with
 * LD_PRELOAD; KILL_AT=r3 is the third of the calls with the letter r (how often a process is waited
 * for, and a server that starts is asked, differs from run to run, the others do not); children are
 * left alone. Before a wait it lets the child work for a moment, and the server. With KILL_COUNT
 * the calls are counted into that file, a letter each. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static pid_t first_process;
static int calls, kill_at;
static char kill_letter;

enum { WORK_US = 100000 };

__attribute__((constructor)) static void prepare(void)
{
    const char *number = getenv("KILL_AT");
    first_process = getpid();
    kill_letter = number == NULL ? '\0' : number[0];
    kill_at = number == NULL ? 0 : (int)strtol(number + 1, NULL, 10);
}

static void call_seen(char letter)
{
    const char *path = getenv("KILL_COUNT");
    if (getpid() != first_process)
        return;
    if (letter == kill_letter && ++calls == kill_at) {
        (void)usleep(letter == 'w' || letter == 'v' ? WORK_US : 0);
        (void)kill(first_process, SIGKILL);
    }
    if (path == NULL)
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    (void)!write(fd, &letter, 1);
    (void)close(fd);
}

#define NEXT(type, name, letter, parameters, arguments) \
    type name parameters; \
    type name parameters \
    { \
        type(*real) parameters = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
        call_seen(letter); \
        return real arguments; \
    }

NEXT(int, rename, 'r', (const char *from, const char *to), (from, to))
NEXT(int, mkdir, 'm', (const char *path, mode_t mode), (path, mode))
NEXT(int, mkdirat, 'd', (int fd, const char *path, mode_t mode), (fd, path, mode))
NEXT(char *, mkdtemp, 't', (char *path), (path))
NEXT(pid_t, fork, 'f', (void), ())
NEXT(pid_t, waitpid, 'w', (pid_t pid, int *status, int options), (pid, status, options))
NEXT(int, unlink, 'u', (const char *path), (path))
NEXT(int, fsync, 's', (int fd), (fd))
NEXT(int, syncfs, 'y', (int fd), (fd))
NEXT(ssize_t, send, 'n', (int fd, const void *bytes, size_t length, int flags),
     (fd, bytes, length, flags))
NEXT(ssize_t, recv, 'v', (int fd, void *bytes, size_t length, int flags),
     (fd, bytes, length, flags))
