/* Signals of a long-running process, taken from a descriptor in its loop: nothing is interrupted.
 */
#ifndef OPS_SERVE_PROCESS_SIGNALS_H
#define OPS_SERVE_PROCESS_SIGNALS_H

#include "ops/runtime/err.h"

#include <stddef.h>
#include <stdint.h>

struct signals {
    int fd;
    bool stop;   /* SIGTERM or SIGINT came */
    bool reload; /* SIGHUP came */
};

/* From now on SIGTERM, SIGINT, SIGHUP and SIGCHLD only wake signals_wait. ERR_FULL. */
bool signals_open(struct signals *signals, struct err *err);

/* Sleeps until a signal comes, one of fds[count] (at most 6; -1 is skipped) is readable, or the
 * time is over; then takes the signals. A child that ended is a reason to wake up, no more. */
void signals_wait(struct signals *signals, const int *fds, size_t count, int64_t timeout_ms);

/* In a child that was just forked: signals do what they do by default. */
void signals_reset(void);

#endif
