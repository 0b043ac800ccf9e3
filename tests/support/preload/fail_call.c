/* A library for LD_PRELOAD that fails, or ends the process at, the n-th call of one class.
 *
 *     STEPLEDGER_FAULT=CLASS:N[+]:WHAT    + : the calls after it too
 *     STEPLEDGER_FAULT_FILE=FILE          what was counted, also of a process that was killed
 *
 * WHAT is the name of an errno, `short` (half of it is written, once), `full` (half of it is
 * written, and nothing after it: the disk is full), or `kill` (SIGKILL in its place; of a write,
 * after half of it). Without a fault the calls are counted, and of memory the
 * first call of each call stack is noted: to fail those is to fail every place that asks for some.
 * Processes that are forked count on, programs that are started do not: it takes itself out of the
 * environment. A crash inside one of LIBRARIES, which not all look at what malloc gives them, ends
 * the process with CRASHED_INSIDE: nothing of ours can mend it. What stdio and libc do inside is
 * not seen, writes to stderr are left alone.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum call_class { C_WRITE, C_READ, C_SYNC, C_OPEN, C_NAME, C_MEMORY, C_CONNECT, C_SEND, C_RECEIVE };
enum { CLASSES = C_RECEIVE + 1, STACKS_MAX = 1 << 16, DEPTH = 12, OWN_FRAMES = 2 };
static const char *const class_names[CLASSES] = {"write",  "read",    "sync", "open",   "name",
                                                 "memory", "connect", "send", "receive"};
static const struct {
    const char *name;
    int number;
} numbers[] = {
    {"ENOSPC", ENOSPC},        {"EIO", EIO},       {"EINTR", EINTR}, {"EMFILE", EMFILE},
    {"EACCES", EACCES},        {"ENOMEM", ENOMEM}, {"EPIPE", EPIPE}, {"ECONNREFUSED", ECONNREFUSED},
    {"ECONNRESET", ECONNRESET}};

/* What STEPLEDGER_FAULT_FILE holds; fail_call.py reads it. */
static struct counts {
    uint32_t calls[CLASSES];
    uint32_t failed;
    uint32_t stacks;                  /* of memory */
    uint32_t stack_first[STACKS_MAX]; /* the number of the first call of each */
} * counts;

static enum { NONE, ERRNO, SHORT, FULL, KILL } what;
static int fault_class = -1, fault_number;
static uint32_t fault_at;
static bool fault_lasts, notes_stacks, half_is_due = true;
static uint64_t seen[2 * STACKS_MAX];
static __thread bool is_inside;

static const char *const libraries[] = {"/libcrypto.", "/libssl.",         "/libpq.",
                                        "/libcurl",    "/libgssapi_krb5.", "/libkrb5."};
enum { CRASHED_INSIDE = 99 };

/* Of the frames behind the handler's and the signal's own, the first says whose crash it is. */
static void crash_judge(int number)
{
    void *frames[DEPTH];
    Dl_info place;
    counts = NULL;
    int depth = backtrace(frames, DEPTH);
    for (int i = OWN_FRAMES; i < depth; i++) {
        if (dladdr(frames[i], &place) == 0 || strstr(place.dli_fname, "/libc.so") != NULL)
            continue;
        for (size_t k = 0; k < sizeof libraries / sizeof libraries[0]; k++)
            if (strstr(place.dli_fname, libraries[k]) != NULL)
                _exit(CRASHED_INSIDE);
        break;
    }
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void fault_parse(const char *text)
{
    for (int i = 0; i < CLASSES; i++) {
        size_t length = strlen(class_names[i]);
        if (strncmp(text, class_names[i], length) == 0 && text[length] == ':')
            fault_class = i;
    }
    const char *rest = strchr(text, ':');
    char *end = NULL;
    fault_at = rest == NULL ? 0 : (uint32_t)strtoul(rest + 1, &end, 10);
    fault_lasts = end != NULL && *end == '+';
    end += fault_lasts;
    if (fault_class < 0 || fault_at == 0 || *end++ != ':')
        abort();
    what = strcmp(end, "kill") == 0    ? KILL
           : strcmp(end, "short") == 0 ? SHORT
           : strcmp(end, "full") == 0  ? FULL
                                       : NONE;
    fault_lasts |= what == FULL;
    fault_number = ENOSPC;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(numbers[i].name, end) == 0) {
            what = ERRNO;
            fault_number = numbers[i].number;
        }
    }
    if (what == NONE)
        abort();
}

__attribute__((constructor)) static void begin(void)
{
    const char *file = getenv("STEPLEDGER_FAULT_FILE"), *fault = getenv("STEPLEDGER_FAULT");
    void *frames[1];
    if (file == NULL)
        return;
    int fd = open(file, O_RDWR | O_CLOEXEC);
    void *map =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        abort();
    (void)close(fd);
    (void)backtrace(frames, 1); /* loads what it needs now */
    if (fault != NULL)
        fault_parse(fault);
    if (fault_class == C_MEMORY)
        (void)signal(SIGSEGV, crash_judge);
    notes_stacks = fault == NULL;
    (void)unsetenv("LD_PRELOAD");
    (void)unsetenv("STEPLEDGER_FAULT");
    (void)unsetenv("STEPLEDGER_FAULT_FILE");
    counts = map;
}

static void stack_note(uint32_t number)
{
    void *frames[DEPTH];
    uint64_t hash = 14695981039346656037u;
    int depth = backtrace(frames, DEPTH);
    for (int i = OWN_FRAMES; i < depth; i++)
        hash = (hash ^ (uintptr_t)frames[i]) * 1099511628211u;
    hash |= hash == 0;
    for (uint64_t at = hash;; at++) {
        uint64_t *slot = &seen[at % (2 * STACKS_MAX)], none = 0;
        if (__atomic_load_n(slot, __ATOMIC_RELAXED) == hash)
            return;
        if (!__atomic_compare_exchange_n(slot, &none, hash, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        uint32_t index = __atomic_fetch_add(&counts->stacks, 1, __ATOMIC_RELAXED);
        if (index < STACKS_MAX)
            counts->stack_first[index] = number;
        return;
    }
}

/* Counts a call; true when it must not happen, with errno set. */
static bool refuses(enum call_class class)
{
    if (counts == NULL || is_inside)
        return false;
    uint32_t number = __atomic_add_fetch(&counts->calls[class], 1, __ATOMIC_RELAXED);
    if (class == C_MEMORY && notes_stacks) {
        is_inside = true;
        stack_note(number);
        is_inside = false;
    }
    if ((int)class != fault_class || number < fault_at || (number > fault_at && !fault_lasts))
        return false;
    (void)__atomic_add_fetch(&counts->failed, 1, __ATOMIC_RELAXED);
    if (what == KILL && class != C_WRITE)
        (void)kill(getpid(), SIGKILL);
    errno = fault_number;
    return true;
}

static void *next_of(const char *name)
{
    is_inside = true;
    void *symbol = dlsym(RTLD_NEXT, name);
    is_inside = false;
    return symbol;
}
#define NEXT(name) \
    static __typeof__(&name) next; \
    if (next == NULL) \
    next = (__typeof__(&name))next_of(#name)

/* A connection that was reset answers nothing any more, at neither end. */
static bool resets(enum call_class class, int fd)
{
    if (!refuses(class))
        return false;
    (void)shutdown(fd, SHUT_RDWR);
    errno = fault_number;
    return true;
}

/* Of `length` bytes, how many are still written; -1: all. */
static ssize_t half_of(int fd, size_t length)
{
    if (fd == STDERR_FILENO || !refuses(C_WRITE))
        return -1;
    bool is_first = __atomic_exchange_n(&half_is_due, false, __ATOMIC_RELAXED);
    return what == ERRNO || !is_first ? 0 : (ssize_t)((length + 1) / 2);
}

static ssize_t half_written(ssize_t put)
{
    if (what == KILL)
        (void)kill(getpid(), SIGKILL);
    return put;
}

ssize_t write(int fd, const void *data, size_t length)
{
    NEXT(write);
    ssize_t half = half_of(fd, length);
    return half < 0    ? next(fd, data, length)
           : half == 0 ? -1
                       : half_written(next(fd, data, (size_t)half));
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset)
{
    NEXT(pwrite);
    ssize_t half = half_of(fd, length);
    return half < 0    ? next(fd, data, length, offset)
           : half == 0 ? -1
                       : half_written(next(fd, data, (size_t)half, offset));
}

/* libcurl and OpenSSL write to sockets through it: those are sent. */
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    NEXT(writev);
    return resets(C_SEND, fd) ? -1 : next(fd, parts, count);
}

#define FAILING(class, type, failure, name, parameters, arguments) \
    type name parameters \
    { \
        NEXT(name); \
        return refuses(class) ? (failure) : next arguments; \
    }

FAILING(C_READ, ssize_t, -1, read, (int fd, void *data, size_t n), (fd, data, n))
FAILING(C_READ, ssize_t, -1, pread, (int fd, void *data, size_t n, off_t at), (fd, data, n, at))
FAILING(C_SYNC, int, -1, fsync, (int fd), (fd))
FAILING(C_SYNC, int, -1, fdatasync, (int fd), (fd))
FAILING(C_SYNC, int, -1, syncfs, (int fd), (fd))
FAILING(C_NAME, int, -1, rename, (const char *a, const char *b), (a, b))
FAILING(C_NAME, int, -1, renameat, (int f, const char *a, int g, const char *b), (f, a, g, b))
FAILING(C_NAME, int, -1, renameat2, (int f, const char *a, int g, const char *b, unsigned flags),
        (f, a, g, b, flags))
FAILING(C_NAME, int, -1, link, (const char *a, const char *b), (a, b))
FAILING(C_NAME, int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
FAILING(C_NAME, int, -1, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
FAILING(C_NAME, char *, NULL, mkdtemp, (char *path), (path))
FAILING(C_NAME, int, -1, chown, (const char *path, uid_t u, gid_t g), (path, u, g))
FAILING(C_OPEN, int, -1, mkostemp, (char *path, int flags), (path, flags))
FAILING(C_OPEN, DIR *, NULL, opendir, (const char *path), (path))
FAILING(C_OPEN, FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
FAILING(C_CONNECT, int, -1, connect, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n))

ssize_t send(int fd, const void *data, size_t length, int flags)
{
    NEXT(send);
    return resets(C_SEND, fd) ? -1 : next(fd, data, length, flags);
}

ssize_t recv(int fd, void *data, size_t length, int flags)
{
    NEXT(recv);
    return resets(C_RECEIVE, fd) ? -1 : next(fd, data, length, flags);
}

int open(const char *path, int flags, ...)
{
    NEXT(open);
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return refuses(C_OPEN) ? -1 : next(path, flags, mode);
}

/* What `open` without a mode is with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

int openat(int folder, const char *path, int flags, ...)
{
    NEXT(openat);
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return refuses(C_OPEN) ? -1 : next(folder, path, flags, mode);
}

/* glibc's own names: dlsym asks for memory. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    return refuses(C_MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refuses(C_MEMORY) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return refuses(C_MEMORY) ? NULL : __libc_realloc(memory, size);
}
