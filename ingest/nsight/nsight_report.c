/* Reports of Nsight Systems, a form of its own: its tool exports them, where there is one on the
 * PATH. The export lies in a folder of TMPDIR while it is read. */
#include "ingest/nsight/nsight.h"

#include "ops/runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES_MAX = 4096, SIGNAL_CODE = 128 };

/* An export that is removed when it goes. */
struct exported {
    char folder[PATH_BYTES_MAX - 32];
    char path[PATH_BYTES_MAX];
};

static void exported_done(struct exported *exported)
{
    if (exported->path[0] != '\0')
        (void)unlink(exported->path);
    if (exported->folder[0] != '\0')
        (void)rmdir(exported->folder);
}
#define scoped_exported __attribute__((cleanup(exported_done))) struct exported

static bool folder_make(struct exported *exported, struct err *err)
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || *parent == '\0')
        parent = "/tmp";
    int length =
        snprintf(exported->folder, sizeof exported->folder, "%s/stepledger-nsys-XXXXXX", parent);
    if (length >= (int)sizeof exported->folder || mkdtemp(exported->folder) == NULL) {
        exported->folder[0] = '\0';
        return err_set_errno(err, ERR_FULL, "cannot make a folder in '%s' (set TMPDIR)", parent);
    }
    (void)snprintf(exported->path, sizeof exported->path, "%s/export.sqlite", exported->folder);
    return true;
}

/* Runs argv without input and output, to its end. 0, or the number of what kept it from starting;
 * ret_code is 128 + n when signal n ended it. */
static int tool_run(const char *const *argv, int *ret_code)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0, number = posix_spawn_file_actions_init(&actions);
    if (number != 0)
        return number;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && number == 0; fd++)
        number = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    if (number == 0)
        number =
            posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (number != 0)
        return number;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    *ret_code = WIFSIGNALED(status) ? SIGNAL_CODE + WTERMSIG(status) : WEXITSTATUS(status);
    return 0;
}

static bool report_export(const char *path, struct arena *arena, struct exported *exported,
                          struct err *err)
{
    const char *plain = arena_printf(arena, "%s%s", path[0] == '-' ? "./" : "", path);
    if (!folder_make(exported, err))
        return false;
    const char *const argv[] = {"nsys", "export",   "--type",       "sqlite", "--force-overwrite",
                                "true", "--output", exported->path, plain,    NULL};
    int code, number = tool_run(argv, &code);
    if (number == ENOENT)
        return err_set(err, ERR_INPUT,
                       "'%s' is a report of Nsight Systems, which only its own tool opens, and "
                       "there is no nsys on the PATH: run `nsys export --type sqlite '%s'` where "
                       "there is one, and give the *.sqlite that it writes",
                       path, path);
    errno = number;
    if (number != 0)
        return err_set_errno(err, ERR_FULL, "cannot run nsys to export '%s'", path);
    if (code == 0 && access(exported->path, R_OK) == 0)
        return true;
    return err_set(err, ERR_INPUT,
                   "`nsys export --type sqlite '%s'` failed with exit code %d: run it by hand; a "
                   "report of a newer version needs an nsys that is as new",
                   path, code);
}

bool nsight_report_open(const char *path, const struct index_options *index, struct arena *arena,
                        struct xspace *ret_space, struct err *err)
{
    scoped_exported exported = {0};
    *ret_space = (struct xspace){.input.fd = -1};
    if (!report_export(path, arena, &exported, err))
        return false;
    if (!nsight_open(exported.path, index, arena, ret_space, err))
        return err_prefix(err, "'%s', exported", path);
    ret_space->input.path = path;
    return true;
}

bool nsight_report_table_read(const char *path, const struct ingest_options *options,
                              struct grouped_rows *rows, struct err *err)
{
    scoped_arena arena;
    scoped_exported exported = {0};
    arena_init_within(&arena, rows->arena);
    return report_export(path, &arena, &exported, err) &&
           (nsight_table_read(exported.path, options, rows, err) ||
            err_prefix(err, "'%s', exported", path));
}
