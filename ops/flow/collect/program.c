/* posix_spawn with a pipe. */
#include "ops/flow/collect/program.h"

#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

enum { SIGNAL_CODE = 128, GIT_BYTES_MAX = 1 << 20 };

/* Only posix_spawn's own failure; a program that ends badly says so by its exit code. */
static bool spawn(const char *const *argv, int out, pid_t *ret_pid, struct err *err)
{
    posix_spawn_file_actions_t actions;
    int number = posix_spawn_file_actions_init(&actions);
    if (number != 0)
        return err_set_memory(err, "no memory to run %s", argv[0]);
    number = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (number == 0)
        number = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (number == 0)
        number =
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (number == 0)
        number =
            posix_spawnp(ret_pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return number == 0 || err_set(err, number == ENOENT ? ERR_MISSING : ERR_UNAVAILABLE,
                                  "cannot run %s: %s", argv[0], strerror(number));
}

static int exit_code_wait(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFSIGNALED(status) ? SIGNAL_CODE + WTERMSIG(status) : WEXITSTATUS(status);
}

bool program_run(const char *const *argv, size_t max_bytes, struct arena *arena,
                 struct program_output *ret_output, struct err *err)
{
    int ends[2];
    pid_t pid;
    char *text = arena_array(arena, char, max_bytes + 1);
    if (text == NULL)
        return arena_failed(arena, argv[0], err);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot make a pipe to %s", argv[0]);
    scoped_fd from = ends[0];
    bool spawned = spawn(argv, ends[1], &pid, err);
    (void)close(ends[1]);
    if (!spawned)
        return false;
    struct program_output output = {.text = text};
    bool whole = file_read_all(from, argv[0], max_bytes, text, &output.length, err);
    (void)close(from); /* who still writes is told to end */
    from = -1;
    output.exit_code = exit_code_wait(pid);
    if (whole)
        *ret_output = output;
    return whole;
}

bool git_ask(const char *folder, const char *const *words, struct arena *arena,
             const char **ret_text, struct err *err)
{
    /* A hook of git sets GIT_DIR for its children; -C alone would not get past it. */
    const char *argv[8 + GIT_WORDS_MAX + 1] = {"env",           "-u",  "GIT_DIR", "-u",
                                               "GIT_WORK_TREE", "git", "-C",      folder};
    struct program_output output;
    for (size_t i = 0; i < GIT_WORDS_MAX && words[i] != NULL; i++)
        argv[8 + i] = words[i];
    *ret_text = NULL;
    if (!program_run(argv, GIT_BYTES_MAX, arena, &output, err))
        return false;
    size_t length = output.length;
    text_strip(&output.text, &length);
    if (output.exit_code == 0)
        *ret_text = arena_strndup(arena, output.text, length);
    return output.exit_code != 0 || *ret_text != NULL || arena_failed(arena, "git", err);
}
