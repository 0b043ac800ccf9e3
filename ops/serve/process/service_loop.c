/* What every process that goes on has: signals (a signalfd and poll), its name and signs of life,
 * and the loop: connect, give a sign of life, do, wait. */
#include "ops/serve/process/process.h"

#include "history/lease/lease.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"

#include <assert.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* ---- signals --------------------------------------------------------------------------------- */

enum { FDS_MAX = 6 };

bool signals_open(struct signals *signals, struct err *err)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGHUP);
    (void)sigaddset(&set, SIGCHLD);
    *signals = (struct signals){.fd = -1};
    (void)signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return err_set_errno(err, ERR_BUG, "cannot block signals");
    signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return signals->fd >= 0 || err_set_errno(err, ERR_FULL, "cannot make a descriptor for signals");
}

void signals_wait(struct signals *signals, const int *fds, size_t count, int64_t timeout_ms)
{
    struct pollfd polls[FDS_MAX + 1] = {{.fd = signals->fd, .events = POLLIN}};
    assert(count <= FDS_MAX);
    for (size_t i = 0; i < count; i++)
        polls[i + 1] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    int timeout = timeout_ms < 0 ? 0 : timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms;
    (void)poll(polls, (nfds_t)count + 1, timeout);
    struct signalfd_siginfo info;
    while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
        signals->stop |= info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT;
        signals->reload |= info.ssi_signo == SIGHUP;
    }
}

void signals_reset(void)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---- names, signs of life, and the reading of errors ------------------------------------------
 */

enum {
    HEARTBEAT_MS = 10000,
    PATIENT_CLAIMS = 100, /* then work that only meets outages is taken for their cause */
};

enum queue_ending attempt_ending(const struct err *failure, int64_t claims)
{
    enum err_kind kind = failure->kind;
    /* A time-out of a statement may be the work's own doing; a database that is away is not. */
    bool is_blameless =
        kind == ERR_FULL || (kind == ERR_UNAVAILABLE && strcmp(failure->sqlstate, "57014") != 0);
    if (claims <= PATIENT_CLAIMS && is_blameless)
        return QUEUE_RELEASE;
    return kind == ERR_INPUT || kind == ERR_LIMIT || kind == ERR_USAGE ? QUEUE_SET_ASIDE
                                                                       : QUEUE_RETRY;
}

bool worker_heartbeat_give(struct db *db, const struct worker_heartbeat *heartbeat, int64_t *due_ms,
                           struct err *err)
{
    int64_t now = clock_monotonic_ms();
    if (now < *due_ms)
        return true;
    *due_ms = now + HEARTBEAT_MS;
    return worker_seen(db, heartbeat, err);
}

bool attempt_may_pass(const struct err *fault)
{
    return fault->kind == ERR_UNAVAILABLE || fault->kind == ERR_FULL || fault->kind == ERR_IO ||
           (fault->kind == ERR_CONFLICT && fault->sqlstate[0] != '\0');
}

void worker_name_make(char *buffer)
{
    char host[65] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        (void)snprintf(host, sizeof host, "localhost");
    (void)snprintf(buffer, WORKER_NAME_BYTES, "%s:%d", host, (int)getpid());
}

/* ---- the loop -------------------------------------------------------------------------------- */

enum { POLL_MS = 1000 };

struct state {
    const struct service_loop *loop;
    struct ledger_link link;
    int64_t heartbeat_ms; /* when the next is due */
    char name[WORKER_NAME_BYTES];
};

static void turn(struct state *state)
{
    struct err err = {0};
    const struct service_loop *loop = state->loop;
    if (!ledger_link_ready(&state->link, NULL, &err))
        return;
    const struct worker_heartbeat heartbeat = {state->name, loop->kind, 1, 0};
    if (!worker_heartbeat_give(state->link.db, &heartbeat, &state->heartbeat_ms, &err) ||
        !loop->turn(loop, state->link.db, state->name, &err))
        (void)ledger_link_check(&state->link, &err);
}

bool service_loop_run(const struct service_loop *loop, struct err *err)
{
    struct signals signals;
    struct state state = {.loop = loop, .link.conninfo = loop->conninfo};
    if (!signals_open(&signals, err))
        return false;
    worker_name_make(state.name);
    log_event(LOG_INFO, LOG_worker_started, "kind", loop->kind, "worker", state.name, NULL);
    while (!signals.stop) {
        turn(&state);
        signals_wait(&signals, NULL, 0, POLL_MS);
    }
    if (state.link.db != NULL)
        (void)worker_gone(state.link.db, state.name, NULL);
    ledger_link_close(&state.link);
    (void)close(signals.fd);
    log_event(LOG_INFO, LOG_worker_stopped, "kind", loop->kind, "worker", state.name, NULL);
    return true;
}
