/* A library for LD_PRELOAD that fails, or ends the process at, the n-th call of one class.
 *
 *     STEPLEDGER_FAULT=CLASS:N[+]:WHAT    + : the calls after it too
 *     STEPLEDGER_FAULT_STACK=NUMBER       the first call of this stack instead of the n-th: threads
 *                                         count in another order each time
 *     STEPLEDGER_FAULT_FILE=FILE          what was counted, also of a process that was killed
 *
 * WHAT is the name of an errno, `short` (half of it is written, once), `full` (half of it is
 * written, and nothing after it: the disk is full), or `kill` (SIGKILL in its place; of a write,
 * after half of it). Without a fault the calls are counted, and the first call of each call stack
 * is noted: to fail those is to fail every place that calls. The stack's number is the same in
 * every process; inside of LIBRARIES it is one number for all calls of whom one of our functions
 * has asked, since what went wrong in there is told to that function. Of the call that fails, the
 * stack itself is noted. Processes that are forked count on, programs that are started do not: it
 * takes itself out of the environment. A crash inside one of LIBRARIES, which not all look at what
 * malloc gives them, ends the process with CRASHED_INSIDE: nothing of ours can mend it. What stdio
 * and libc do inside is not seen, writes to stderr are left alone.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum call_class { C_WRITE, C_READ, C_SYNC, C_OPEN, C_NAME, C_MEMORY, C_CONNECT, C_SEND, C_RECEIVE };
enum {
    CLASSES = C_RECEIVE + 1,
    PLACES_MAX = 1 << 14,
    WHERE_BYTES = 2048,
    DEPTH = 32,
    FRAMES_OF_OURS = 5,          /* in a stack's number */
    FRAMES_BEHIND_A_LIBRARY = 2, /* where one of LIBRARIES calls */
    SEEN_MAX = 1 << 17,
    GLANCE_WORDS = 256, /* what lies behind the stack of a thread is more than that */
    FIRST_GLANCE_WORDS = 2048
};
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
    uint32_t places_count;
    uint32_t unused;
    struct place {
        uint32_t class, number; /* of the first call */
        uint64_t stack;
    } places[PLACES_MAX];
    char where[WHERE_BYTES]; /* MODULE[:FUNCTION]+0xOFFSET, a line each, of the first call that
                                fails */
} * counts;

static enum { NONE, ERRNO, SHORT, FULL, KILL } what;
static int fault_class = -1, fault_number;
static uint32_t fault_at;
static uint64_t fault_stack;
static bool fault_lasts, notes_places, half_is_due = true;
static uint64_t seen[SEEN_MAX], glanced[SEEN_MAX];
static const void *our_base, *own_base;
static struct code {
    uintptr_t start;
    size_t length;
} code[2];                               /* of the program, of libc */
static const uintptr_t *first_stack_end; /* of the thread that is there first */
static __thread bool is_inside, is_first_thread;

static const char *const libraries[] = {"/libcrypto.",      "/libssl.",  "/libpq.",      "/libcurl",
                                        "/libgssapi_krb5.", "/libkrb5.", "/libk5crypto."};
/* Functions of libc that crash without memory, or say something else then. */
static const char *const libc_asks[] = {"getpwnam", "getpwuid",   "getgrouplist",   "fts_open",
                                        "fts_read", "fts64_open", "pthread_create", "fts64_read"};
enum { CRASHED_INSIDE = 99 };

static bool is_library(const char *file)
{
    for (size_t k = 0; k < sizeof libraries / sizeof libraries[0]; k++)
        if (strstr(file, libraries[k]) != NULL)
            return true;
    return false;
}

static bool is_of_libc(const char *function)
{
    for (size_t k = 0; function != NULL && k < sizeof libc_asks / sizeof libc_asks[0]; k++)
        if (strcmp(function, libc_asks[k]) == 0)
            return true;
    return false;
}

/* The first frame that is no libc's says whose crash it is. */
static void crash_judge(int number)
{
    void *frames[DEPTH];
    Dl_info place;
    counts = NULL;
    int depth = backtrace(frames, DEPTH);
    const char *asked = NULL;
    for (int i = 0; i < depth; i++) {
        if (dladdr(frames[i], &place) == 0 || place.dli_fbase == own_base)
            continue;
        if (strstr(place.dli_fname, "/libc.so") != NULL) {
            asked = place.dli_sname;
            continue;
        }
        if (is_library(place.dli_fname) || is_of_libc(asked))
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

/* Notes where the code of the program and of libc lies. */
static int code_note(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size, (void)context;
    bool is_libc = strstr(object->dlpi_name, "/libc.so") != NULL;
    if (!is_libc && (const void *)object->dlpi_addr != our_base)
        return 0;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0)
            code[is_libc] = (struct code){object->dlpi_addr + part->p_vaddr, part->p_memsz};
    }
    return 0;
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
    our_base = (const void *)getauxval(AT_PHDR);
    Dl_info ours;
    our_base = dladdr(our_base, &ours) == 0 ? NULL : ours.dli_fbase;
    own_base = dladdr((const void *)&counts, &ours) == 0 ? NULL : ours.dli_fbase;
    (void)dl_iterate_phdr(code_note, NULL);
    const char *name = (const void *)getauxval(AT_EXECFN); /* behind it the stack ends */
    first_stack_end = (const void *)((uintptr_t)(name + strlen(name)) & ~(sizeof(uintptr_t) - 1));
    is_first_thread = true;
    if (fault != NULL)
        fault_parse(fault);
    if (fault_class == C_MEMORY)
        (void)signal(SIGSEGV, crash_judge), (void)signal(SIGABRT, crash_judge);
    if (getenv("STEPLEDGER_FAULT_STACK") != NULL)
        fault_stack = strtoull(getenv("STEPLEDGER_FAULT_STACK"), NULL, 10);
    notes_places = fault == NULL;
    (void)unsetenv("LD_PRELOAD");
    (void)unsetenv("STEPLEDGER_FAULT");
    (void)unsetenv("STEPLEDGER_FAULT_STACK");
    (void)unsetenv("STEPLEDGER_FAULT_FILE");
    counts = map;
}

#define FNV_OFFSET 14695981039346656037u

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 1099511628211u;
}

/* A number of a call stack that does not depend on where things were loaded. */
static uint64_t stack_number(void *const *frames, int depth)
{
    uint64_t hash = FNV_OFFSET;
    Dl_info place;
    int ours = 0, ours_max = FRAMES_OF_OURS;
    for (int i = 0; i < depth && ours < ours_max; i++) {
        if (dladdr(frames[i], &place) == 0 || place.dli_fbase == own_base)
            continue;
        bool is_ours = place.dli_fbase == our_base;
        if (ours == 0 && is_library(place.dli_fname)) {
            hash = mixed(FNV_OFFSET, 1);
            ours_max = FRAMES_BEHIND_A_LIBRARY;
        }
        ours += is_ours;
        if (is_ours || ours_max == FRAMES_OF_OURS)
            hash = mixed(hash, (uint64_t)((const char *)frames[i] - (const char *)place.dli_fbase));
    }
    return hash;
}

/* Whether it was not in the table, where it is now. */
static bool is_entered(uint64_t table[SEEN_MAX], uint64_t hash)
{
    hash |= hash == 0;
    for (uint64_t at = hash;; at++) {
        uint64_t *slot = &table[at % SEEN_MAX], none = 0;
        if (__atomic_load_n(slot, __ATOMIC_RELAXED) == hash)
            return false;
        if (__atomic_compare_exchange_n(slot, &none, hash, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
}

/* Whether the stack is another one at a glance, for to walk it takes as long as hundreds of calls:
 * by where it ends, and by what near its end points into code. */
static bool looks_new(enum call_class class)
{
    const uintptr_t *word = __builtin_frame_address(0), *end = word + GLANCE_WORDS;
    if (is_first_thread)
        end = (size_t)(first_stack_end - word) > FIRST_GLANCE_WORDS ? word + FIRST_GLANCE_WORDS
                                                                    : first_stack_end;
    uint64_t hash = mixed(mixed(FNV_OFFSET, class), (uintptr_t)word);
    for (size_t i = 0; word + i < end; i++) {
        if (word[i] - code[0].start < code[0].length || word[i] - code[1].start < code[1].length)
            hash = mixed(hash, word[i] + i);
    }
    return is_entered(glanced, hash);
}

/* The number of a stack that was not there before; 0: it was. */
static uint64_t stack_if_new(enum call_class class)
{
    void *frames[DEPTH];
    if (!looks_new(class))
        return 0;
    int depth = backtrace(frames, DEPTH);
    uint64_t hash = mixed(FNV_OFFSET, class);
    for (int i = 0; i < depth; i++)
        hash = mixed(hash, (uintptr_t)frames[i]);
    return is_entered(seen, hash) ? stack_number(frames, depth) : 0;
}

static void place_note(enum call_class class, uint32_t number)
{
    uint64_t stack = stack_if_new(class);
    if (stack == 0)
        return;
    uint32_t index = __atomic_fetch_add(&counts->places_count, 1, __ATOMIC_RELAXED);
    if (index < PLACES_MAX)
        counts->places[index] = (struct place){class, number, stack};
}

static void where_note(void)
{
    void *frames[DEPTH];
    Dl_info place;
    size_t used = 0;
    int depth = backtrace(frames, DEPTH);
    for (int i = 0; i < depth; i++) {
        if (dladdr(frames[i], &place) == 0 || place.dli_fbase == own_base)
            continue;
        int length =
            snprintf(counts->where + used, WHERE_BYTES - used, "%s%s%s+0x%zx\n",
                     place.dli_fbase == our_base ? "" : place.dli_fname,
                     is_of_libc(place.dli_sname) ? ":" : "",
                     is_of_libc(place.dli_sname) ? place.dli_sname : "",
                     (size_t)((const char *)frames[i] - (const char *)place.dli_fbase) - 1);
        if (length < 0 || used + (size_t)length >= WHERE_BYTES)
            break;
        used += (size_t)length;
    }
}

static bool is_due(enum call_class class, uint32_t number)
{
    if ((int)class != fault_class)
        return false;
    if (counts->failed > 0 || fault_stack == 0)
        return counts->failed > 0 ? fault_lasts : number >= fault_at;
    is_inside = true;
    bool is = stack_if_new(class) == fault_stack;
    is_inside = false;
    return is;
}

/* Counts a call; true when it must not happen, with errno set. */
static bool refuses(enum call_class class)
{
    if (counts == NULL || is_inside)
        return false;
    uint32_t number = __atomic_add_fetch(&counts->calls[class], 1, __ATOMIC_RELAXED);
    if (notes_places) {
        is_inside = true;
        place_note(class, number);
        is_inside = false;
    }
    if (!is_due(class, number))
        return false;
    if (__atomic_fetch_add(&counts->failed, 1, __ATOMIC_RELAXED) == 0) {
        is_inside = true;
        where_note();
        is_inside = false;
    }
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
