/* posix_spawn with a pipe, in a process group of its own: what does not end in its time is killed
 * with all that it started. */
#include "ops/flow/collect/program.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

enum { SIGNAL_CODE = 128, LOOK_MS = 2 };

/* A big repository on a slow disk takes some seconds. */
static const struct program_limits git_limits = {.bytes = 1 << 20, .ms = 60 * 1000};

/* What git is given before a folder. The folder's own configuration may name programs: a file
 * system monitor, hooks, one that checks signatures, transports for objects that it lacks; none of
 * them runs. A hook of git sets GIT_DIR and its kin for its children, and -C alone would not get
 * past them. */
static const char *const git_words[] = {"env",
                                        "-uGIT_DIR",
                                        "-uGIT_WORK_TREE",
                                        "-uGIT_INDEX_FILE",
                                        "-uGIT_COMMON_DIR",
                                        "-uGIT_OBJECT_DIRECTORY",
                                        "-uGIT_ALTERNATE_OBJECT_DIRECTORIES",
                                        "GIT_OPTIONAL_LOCKS=0",
                                        "GIT_ALLOW_PROTOCOL=none",
                                        "GIT_NO_LAZY_FETCH=1",
                                        "GIT_TERMINAL_PROMPT=0",
                                        "git",
                                        "-c",
                                        "core.fsmonitor=false",
                                        "-c",
                                        "core.hooksPath=/dev/null",
                                        "-c",
                                        "log.showSignature=false",
                                        "--no-replace-objects",
                                        "--no-pager",
                                        "-C"};
enum { GIT_WORDS_BEFORE = sizeof git_words / sizeof git_words[0] };

/* Only posix_spawn's own failure; a program that ends badly says so by its exit code. */
static bool spawn(const char *const *argv, int out, pid_t *ret_pid, struct err *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0)
        memory_end();
    int number = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (number == 0)
        number = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (number == 0)
        number =
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (number == 0)
        number = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (number == 0)
        number = posix_spawnp(ret_pid, argv[0], &actions, &attributes,
                              (char *const *)(uintptr_t)argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return number == 0 || err_set(err, number == ENOENT ? ERR_MISSING : ERR_UNAVAILABLE,
                                  "cannot run %s: %s", argv[0], strerror(number));
}

/* A process that was started, and until when it may run. */
struct running {
    const char *name;
    pid_t pid;
    int64_t until_ms, limit_ms;
};

static bool late_say(const struct running *running, struct err *err)
{
    return err_set(err, ERR_UNAVAILABLE, "%s did not end within %lld ms", running->name,
                   (long long)running->limit_ms);
}

/* All that it says, until it closes its end. */
static bool output_read(const struct running *running, int from, size_t max_bytes,
                        struct program_output *output, char *text, struct err *err)
{
    for (;;) {
        struct pollfd wanted = {.fd = from, .events = POLLIN};
        int64_t left_ms = running->until_ms - clock_monotonic_ms();
        int ready = left_ms <= 0 ? 0 : poll(&wanted, 1, (int)left_ms);
        if (ready == 0)
            return late_say(running, err);
        if (ready < 0 && errno != EINTR)
            return err_set_errno(err, ERR_UNAVAILABLE, "cannot wait for %s", running->name);
        if (ready < 0)
            continue;
        size_t got;
        if (!file_read_some(from, text + output->length, max_bytes + 1 - output->length,
                            running->name, &got, err))
            return false;
        output->length += got;
        if (got == 0)
            break;
        if (output->length > max_bytes)
            return err_set(err, ERR_INPUT, "%s says more than %zu bytes", running->name, max_bytes);
    }
    text[output->length] = '\0';
    output->text = text;
    return true;
}

static bool end_wait(const struct running *running, struct program_output *output, struct err *err)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(running->pid, &status, WNOHANG)) != running->pid) {
        if (ended < 0 && errno != EINTR)
            return err_set_errno(err, ERR_UNAVAILABLE, "cannot wait for %s", running->name);
        if (clock_monotonic_ms() >= running->until_ms)
            return late_say(running, err);
        clock_sleep_ms(LOOK_MS);
    }
    output->exit_code = WIFSIGNALED(status) ? SIGNAL_CODE + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

bool program_run(const char *const *argv, const struct program_limits *limits, struct arena *arena,
                 struct program_output *ret_output, struct err *err)
{
    int ends[2];
    struct running running = {
        .name = argv[0], .until_ms = clock_monotonic_ms() + limits->ms, .limit_ms = limits->ms};
    char *text = arena_array(arena, char, limits->bytes + 1);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot make a pipe to %s", argv[0]);
    scoped_fd from = ends[0];
    bool spawned = spawn(argv, ends[1], &running.pid, err);
    (void)close(ends[1]);
    if (!spawned)
        return false;
    struct program_output output = {0};
    if (!output_read(&running, from, limits->bytes, &output, text, err) ||
        !end_wait(&running, &output, err)) {
        (void)kill(-running.pid, SIGKILL);
        while (waitpid(running.pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return false;
    }
    *ret_output = output;
    return true;
}

bool git_ask(const char *folder, const char *const *words, struct arena *arena,
             const char **ret_text, struct err *err)
{
    const char *argv[GIT_WORDS_BEFORE + 1 + GIT_WORDS_MAX + 1] = {NULL};
    struct program_output output;
    memcpy(argv, git_words, sizeof git_words);
    argv[GIT_WORDS_BEFORE] = folder;
    for (size_t i = 0; i < GIT_WORDS_MAX && words[i] != NULL; i++)
        argv[GIT_WORDS_BEFORE + 1 + i] = words[i];
    *ret_text = NULL;
    if (!program_run(argv, &git_limits, arena, &output, err))
        return false;
    size_t length = output.length;
    text_strip(&output.text, &length);
    if (output.exit_code == 0)
        *ret_text = arena_strndup(arena, output.text, length);
    return true;
}
