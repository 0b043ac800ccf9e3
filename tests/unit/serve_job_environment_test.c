/* Tests of the environment that the process of a job is left with: it runs itself again, as the
 * kernel shows a process what it was started with. */
#include "ops/serve/jobs/jobs.h"

#include "ops/runtime/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

enum { SHOWN_MAX_BYTES = 1 << 20, KEPT = 1, SECRET = 2 };

/* What is seen, by getenv and by the kernel. */
static int seen_after_wiping(void)
{
    struct err err = {0};
    static char shown[SHOWN_MAX_BYTES + 1];
    size_t length = 0;
    job_environment_wipe();
    scoped_fd fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !file_read_all(fd, "the environment", SHOWN_MAX_BYTES, shown, &length, &err))
        return -1;
    bool is_secret = getenv("WANDB_API_KEY") != NULL ||
                     memmem(shown, length, "swordfish", strlen("swordfish")) != NULL;
    bool is_kept = getenv("TMPDIR") != NULL && getenv("PGHOST") != NULL;
    return (is_kept ? KEPT : 0) | (is_secret ? SECRET : 0);
}

static void keeps_what_a_job_needs_and_wipes_the_rest(void **state)
{
    (void)state;
    static const char *const arguments[] = {"job", "wipe", NULL};
    static const char *const environment[] = {
        "A=1",      "WANDB_API_KEY=swordfish",          "TMPDIR=/tmp",
        "PGHOST=h", "STEPLEDGER_DB=password=swordfish", NULL};
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        (void)execve("/proc/self/exe", (char *const *)(uintptr_t)arguments,
                     (char *const *)(uintptr_t)environment);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), KEPT);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "wipe") == 0)
        return seen_after_wiping();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_a_job_needs_and_wipes_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
