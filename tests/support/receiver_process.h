/* Starts tests/support/webhook_receiver.py for a C test, and ends it again. */
#ifndef TESTS_SUPPORT_RECEIVER_PROCESS_H
#define TESTS_SUPPORT_RECEIVER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct receiver_process {
    pid_t pid;
    char folder[64];
    char log[96]; /* one JSON line per request */
    char url[256];
};

/* Starts it with these further options (NULL ends them) and waits until it listens; fails the test
 * when it does not. */
void receiver_start(struct receiver_process *receiver, const char *const *options);

/* Ends it and removes its files; accepts a zeroed struct. */
void receiver_stop(struct receiver_process *receiver);

/* Requests written down so far. */
int receiver_count(const struct receiver_process *receiver);

/* The same, once there are `count` of them or 20 seconds are over: a sender that gives up early is
 * ahead of the receiver. */
int receiver_wait(const struct receiver_process *receiver, int count);

/* The log so far, in memory of the caller (free). */
char *receiver_log(const struct receiver_process *receiver);

#endif
