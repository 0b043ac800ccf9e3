/* Implements the life of a receiver process: fork, wait for the file with its URL, SIGTERM. */
#include "tests/support/receiver_process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { TRIES = 2000, TRY_MS = 10, ARGUMENTS_MAX = 32 };

static void receiver_exec(const struct receiver_process *receiver, const char *url_file,
                          const char *const *options)
{
    const char *arguments[ARGUMENTS_MAX] = {"python3",    "tests/support/webhook_receiver.py",
                                            "--log",      receiver->log,
                                            "--url-file", url_file,
                                            "--seconds",  "120"};
    size_t count = 8;
    while (*options != NULL && count < ARGUMENTS_MAX - 1)
        arguments[count++] = *options++;
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (freopen("/dev/null", "w", stdout) == NULL)
        _exit(126);
    (void)execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static void pause_shortly(void)
{
    const struct timespec pause = {.tv_nsec = TRY_MS * 1000000L};
    (void)nanosleep(&pause, NULL);
}

void receiver_start(struct receiver_process *receiver, const char *const *options)
{
    *receiver = (struct receiver_process){.folder = "/tmp/stepledger-receiver-XXXXXX"};
    assert_non_null(mkdtemp(receiver->folder));
    char url_file[96];
    (void)snprintf(receiver->log, sizeof receiver->log, "%s/log", receiver->folder);
    (void)snprintf(url_file, sizeof url_file, "%s/url", receiver->folder);
    receiver->pid = fork();
    assert_true(receiver->pid >= 0);
    if (receiver->pid == 0)
        receiver_exec(receiver, url_file, options);
    for (int i = 0; access(url_file, R_OK) != 0; i++) {
        if (i == TRIES || waitpid(receiver->pid, NULL, WNOHANG) != 0)
            fail_msg("tests/support/webhook_receiver.py did not start (run from the top folder)");
        pause_shortly();
    }
    FILE *file = fopen(url_file, "r");
    assert_non_null(file);
    assert_non_null(fgets(receiver->url, sizeof receiver->url, file));
    receiver->url[strcspn(receiver->url, "\n")] = '\0';
    (void)fclose(file);
    (void)unlink(url_file);
}

void receiver_stop(struct receiver_process *receiver)
{
    if (receiver->pid <= 0)
        return;
    (void)kill(receiver->pid, SIGTERM);
    (void)waitpid(receiver->pid, NULL, 0);
    (void)unlink(receiver->log);
    (void)rmdir(receiver->folder);
    *receiver = (struct receiver_process){0};
}

char *receiver_log(const struct receiver_process *receiver)
{
    char *data = calloc(1, 1 << 20);
    assert_non_null(data);
    FILE *file = fopen(receiver->log, "r");
    if (file != NULL) {
        (void)!fread(data, 1, (1 << 20) - 1, file);
        (void)fclose(file);
    }
    return data;
}

int receiver_count(const struct receiver_process *receiver)
{
    char *data = receiver_log(receiver);
    int count = 0;
    for (const char *p = data; (p = strchr(p, '\n')) != NULL; p++)
        count++;
    free(data);
    return count;
}

int receiver_wait(const struct receiver_process *receiver, int count)
{
    for (int i = 0; i < TRIES && receiver_count(receiver) < count; i++)
        pause_shortly();
    return receiver_count(receiver);
}
