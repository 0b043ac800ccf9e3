/* A table of children and one loop: reap, start what is due, tell the service manager, wait. */
#include "ops/serve/process/process.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"
#include "ops/runtime/retry.h"
#include "ops/runtime/text.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TICK_MS = 1000,
    STEADY_MS = 60000, /* a child that lived this long begins with a fresh backoff */
    /* Then a child that was told to stop is killed: after what an exchange may take by default (20
     * s), so that what came of a message is recorded, and before the unit gives up (30 s). */
    STOP_MS = 25000,
    ARGUMENTS_MAX = 16,
};

static const struct retry_policy restart = {.base_ms = 250, .cap_ms = 30000};

struct child {
    const struct supervised *kind;
    pid_t pid; /* 0 = not running */
    int attempt;
    int64_t started_ms, start_ms; /* when it was, when it is to be started */
};

struct supervisor {
    const struct supervisor_setting *setting;
    struct signals signals;
    struct child *children;
    size_t count;
    int64_t watchdog_ms, watchdog_due_ms;
};

/* ---- one child ------------------------------------------------------------------------------- */

static void child_log(const struct child *child, enum log_level level, enum log_event event,
                      const char *why)
{
    char pid[16];
    (void)snprintf(pid, sizeof pid, "%d", (int)child->pid);
    log_event(level, event, "kind", child->kind->kind, "process", pid, "why", why, NULL);
}

static void arguments_make(const struct supervisor_setting *setting, const struct supervised *kind,
                           const char *arguments[ARGUMENTS_MAX])
{
    size_t count = 0;
    arguments[count++] = "stepledger";
    arguments[count++] = "work";
    arguments[count++] = kind->kind;
    if (setting->config_file != NULL) {
        arguments[count++] = "--config";
        arguments[count++] = setting->config_file;
    }
    if (setting->log_level != NULL) {
        arguments[count++] = "--log-level";
        arguments[count++] = setting->log_level;
    }
    for (const char *const *more = kind->more; more != NULL && *more != NULL; more++)
        if (count < ARGUMENTS_MAX - 1)
            arguments[count++] = *more;
    arguments[count] = NULL;
}

static void child_start(struct supervisor *supervisor, struct child *child)
{
    const char *arguments[ARGUMENTS_MAX];
    pid_t parent = getpid();
    arguments_make(supervisor->setting, child->kind, arguments);
    child->started_ms = clock_monotonic_ms();
    child->pid = fork();
    if (child->pid == 0) {
        signals_reset();
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
            _exit(EXIT_FAILURE);
        (void)!freopen("/dev/null", "w", stdout); /* a worker's report is for who runs it by hand */
        (void)execv("/proc/self/exe", (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    if (child->pid > 0) {
        child_log(child, LOG_INFO, LOG_child_started, "supervised");
        return;
    }
    child->pid = 0;
    child->start_ms = child->started_ms + restart.cap_ms;
    child_log(child, LOG_ERROR, LOG_child_exited, strerror(errno));
}

static void child_ended(struct supervisor *supervisor, struct child *child, int status)
{
    char why[64];
    int64_t now = clock_monotonic_ms();
    bool asked = supervisor->signals.stop || child->start_ms != 0;
    if (WIFSIGNALED(status))
        (void)snprintf(why, sizeof why, "killed by signal %d", WTERMSIG(status));
    else
        (void)snprintf(why, sizeof why, "exit status %d", WEXITSTATUS(status));
    child_log(child, asked ? LOG_INFO : LOG_WARN, LOG_child_exited, why);
    child->pid = 0;
    if (now - child->started_ms >= STEADY_MS)
        child->attempt = 0;
    child->start_ms =
        asked ? now : now + retry_delay_ms(&restart, child->attempt++, retry_random());
}

/* ---- the service manager --------------------------------------------------------------------- */

/* The service manager (systemd) is told how we are by the datagram protocol of sd_notify(3) and
 * sd_watchdog_enabled(3), without its library. */

/* Sends assignments such as "READY=1\nSTATUS=…". A manager that does not listen is no error. */
static void systemd_tell(const char *assignments)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t length = path == NULL ? 0 : strlen(path);
    if (length < 2 || length >= sizeof address.sun_path || strchr("/@", path[0]) == NULL)
        return;
    memcpy(address.sun_path, path, length);
    if (path[0] == '@')
        address.sun_path[0] = '\0'; /* a name in the abstract space */
    scoped_fd fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (fd >= 0)
        (void)sendto(fd, assignments, strlen(assignments), MSG_NOSIGNAL | MSG_DONTWAIT,
                     (const struct sockaddr *)(const void *)&address, size);
}

/* How often it wants to hear WATCHDOG=1, ms: half of what it waits; 0 = never. */
static int64_t systemd_watchdog_ms(void)
{
    int64_t wait_us, pid;
    const char *wait = getenv("WATCHDOG_USEC"), *meant = getenv("WATCHDOG_PID");
    if (wait == NULL || !text_parse_i64(wait, &wait_us) || wait_us <= 0)
        return 0;
    if (meant != NULL && (!text_parse_i64(meant, &pid) || pid != getpid()))
        return 0;
    return wait_us / 2000 + 1;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void children_reap(struct supervisor *supervisor)
{
    for (size_t i = 0; i < supervisor->count; i++) {
        int status;
        struct child *child = &supervisor->children[i];
        if (child->pid != 0 && waitpid(child->pid, &status, WNOHANG) == child->pid)
            child_ended(supervisor, child, status);
    }
}

static void children_start(struct supervisor *supervisor)
{
    int64_t now = clock_monotonic_ms();
    for (size_t i = 0; i < supervisor->count; i++) {
        struct child *child = &supervisor->children[i];
        if (child->pid != 0 || now < child->start_ms)
            continue;
        child->start_ms = 0;
        child_start(supervisor, child);
    }
}

static size_t children_signal(struct supervisor *supervisor, int number)
{
    size_t running = 0;
    for (size_t i = 0; i < supervisor->count; i++) {
        if (supervisor->children[i].pid == 0)
            continue;
        running++;
        if (number != 0)
            (void)kill(supervisor->children[i].pid, number);
    }
    return running;
}

static void children_stop(struct supervisor *supervisor)
{
    int64_t deadline = clock_monotonic_ms() + STOP_MS;
    (void)children_signal(supervisor, SIGTERM);
    while (children_signal(supervisor, 0) > 0) {
        signals_wait(&supervisor->signals, NULL, 0, TICK_MS / 10);
        children_reap(supervisor);
        if (clock_monotonic_ms() > deadline)
            (void)children_signal(supervisor, SIGKILL);
    }
}

/* ---- the supervisor -------------------------------------------------------------------------- */

static void watchdog_calm(struct supervisor *supervisor)
{
    int64_t now = clock_monotonic_ms();
    if (supervisor->watchdog_ms == 0 || now < supervisor->watchdog_due_ms)
        return;
    supervisor->watchdog_due_ms = now + supervisor->watchdog_ms;
    systemd_tell("WATCHDOG=1");
}

static int64_t wake_in_ms(const struct supervisor *supervisor)
{
    int64_t now = clock_monotonic_ms(), wake = now + TICK_MS;
    for (size_t i = 0; i < supervisor->count; i++) {
        const struct child *child = &supervisor->children[i];
        if (child->pid == 0 && child->start_ms < wake)
            wake = child->start_ms;
    }
    return wake - now;
}

/* Nothing is started before the ledger can be used: readiness means that. */
static void database_await(struct supervisor *supervisor)
{
    struct ledger_link link = {.conninfo = supervisor->setting->conninfo};
    systemd_tell("STATUS=waiting for the database");
    while (!supervisor->signals.stop && !ledger_link_ready(&link, NULL, NULL)) {
        signals_wait(&supervisor->signals, NULL, 0, link.retry_at_ms - clock_monotonic_ms());
        watchdog_calm(supervisor);
    }
    ledger_link_close(&link);
}

static void supervise(struct supervisor *supervisor)
{
    database_await(supervisor);
    if (supervisor->signals.stop)
        return;
    children_start(supervisor);
    systemd_tell("READY=1\nSTATUS=working");
    log_event(LOG_INFO, LOG_service_started, NULL);
    while (!supervisor->signals.stop) {
        if (supervisor->signals.reload) {
            /* Children that are told to stop now are started again at once when they have. */
            supervisor->signals.reload = false;
            systemd_tell("RELOADING=1");
            for (size_t i = 0; i < supervisor->count; i++)
                supervisor->children[i].start_ms = 1;
            (void)children_signal(supervisor, SIGTERM);
            systemd_tell("READY=1");
        }
        children_reap(supervisor);
        children_start(supervisor);
        watchdog_calm(supervisor);
        signals_wait(&supervisor->signals, NULL, 0, wake_in_ms(supervisor));
    }
    systemd_tell("STOPPING=1");
    children_stop(supervisor);
    log_event(LOG_INFO, LOG_service_stopped, NULL);
}

bool supervisor_run(const struct supervisor_setting *setting, struct err *err)
{
    struct supervisor supervisor = {.setting = setting, .watchdog_ms = systemd_watchdog_ms()};
    /* By the environment: a list of processes shows arguments, and this may hold a password. */
    if (setting->conninfo != NULL && setenv("STEPLEDGER_DB", setting->conninfo, 1) != 0)
        memory_end();
    if (!signals_open(&supervisor.signals, err))
        return false;
    for (size_t i = 0; i < setting->kind_count; i++)
        supervisor.count += (size_t)setting->kinds[i].count;
    supervisor.children = memory_zalloc(supervisor.count, sizeof *supervisor.children);
    struct child *next = supervisor.children;
    for (size_t i = 0; i < setting->kind_count; i++)
        for (int n = 0; n < setting->kinds[i].count; n++)
            next++->kind = &setting->kinds[i];
    supervise(&supervisor);
    free(supervisor.children);
    (void)close(supervisor.signals.fd);
    return true;
}
