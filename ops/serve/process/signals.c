/* A signalfd and poll. */
#include "ops/serve/process/signals.h"

#include <assert.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

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
