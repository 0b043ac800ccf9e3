/* Draws the order; spawns a command and waits for it as system() does: signals of the terminal are
 * the command's, and its death by one ends us too. */
#include "ops/cli/judging/interleave.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const interleave_side_names[SIDE_COUNT] = {
    [SIDE_BASELINE] = "baseline", [SIDE_CANDIDATE] = "candidate"};

/* ---- the order ------------------------------------------------------------------------------- */

/* splitmix64: a known sequence, so that a recorded seed tells the order for good. */
static uint64_t number_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void interleave_order(uint64_t seed, size_t round_count, enum interleave_side *first)
{
    enum interleave_side more = (enum interleave_side)(number_next(&seed) % SIDE_COUNT);
    for (size_t i = 0; i < round_count; i++)
        first[i] = i % 2 == 0 ? more : (enum interleave_side)(SIDE_COUNT - 1 - (int)more);
    for (size_t i = round_count; i > 1; i--) { /* Fisher and Yates */
        size_t j = (size_t)(number_next(&seed) % i);
        enum interleave_side held = first[i - 1];
        first[i - 1] = first[j];
        first[j] = held;
    }
}

bool interleave_seed(uint64_t *ret_seed, struct err *err)
{
    return getrandom(ret_seed, sizeof *ret_seed, 0) == (ssize_t)sizeof *ret_seed ||
           err_set_errno(err, ERR_BUG, "the system gives no random numbers");
}

/* ---- a turn ---------------------------------------------------------------------------------- */

static bool spawn(const struct interleave_turn *turn, pid_t *ret_pid, struct err *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t terminal;
    (void)sigemptyset(&terminal);
    (void)sigaddset(&terminal, SIGINT);
    (void)sigaddset(&terminal, SIGQUIT);
    if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0)
        memory_end(); /* all that these want */
    int number = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (number == 0)
        number = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (number == 0)
        number = posix_spawnattr_setsigdefault(&attributes, &terminal);
    if (number == 0)
        number = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (number == 0)
        number = posix_spawnp(ret_pid, turn->argv[0], &actions, &attributes,
                              (char *const *)(uintptr_t)turn->argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return number == 0 || err_set(err, number == ENOENT ? ERR_MISSING : ERR_INPUT,
                                  "cannot run %s: %s", turn->argv[0], strerror(number));
}

static bool folder_is_empty(const char *folder)
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return true;
    while (readdir(entries) != NULL)
        count++;
    (void)closedir(entries);
    return count <= 2; /* itself and its parent */
}

bool interleave_turn_run(const struct interleave_turn *turn, struct err *err)
{
    pid_t pid;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    char round[24];
    (void)snprintf(round, sizeof round, "%zu", turn->round);
    const struct {
        const char *name, *value;
    } variables[] = {{"STEPLEDGER_CAPTURE_DIR", turn->folder},
                     {"STEPLEDGER_ENV_FILE", turn->env_file},
                     {"STEPLEDGER_SIDE", interleave_side_names[turn->side]},
                     {"STEPLEDGER_ROUND", round}};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (setenv(variables[i].name, variables[i].value, 1) != 0)
            memory_end();
    (void)sigaction(SIGINT, &ignore, &interrupt);
    (void)sigaction(SIGQUIT, &ignore, &quit);
    int status = 0;
    bool spawned = spawn(turn, &pid, err);
    while (spawned && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    (void)sigaction(SIGINT, &interrupt, NULL);
    (void)sigaction(SIGQUIT, &quit, NULL);
    const char *side = interleave_side_names[turn->side];
    if (!spawned)
        return false;
    if (WIFSIGNALED(status))
        return err_set(err, ERR_INPUT, "round %zu: the %s's command was ended by signal %d",
                       turn->round, side, WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return err_set(err, ERR_INPUT, "round %zu: the %s's command ended with exit code %d",
                       turn->round, side, WEXITSTATUS(status));
    return !folder_is_empty(turn->folder) ||
           err_set(err, ERR_INPUT,
                   "round %zu: the %s's command left nothing in the folder that "
                   "STEPLEDGER_CAPTURE_DIR names: its profiler has to write there",
                   turn->round, side);
}
