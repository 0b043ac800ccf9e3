/* Log: one logfmt line per event on stderr, with the <n> priority prefix under systemd.
 *
 * Only commands and worker loops log: one failure, one line. Event names are the closed list below.
 * Values never hold a secret or raw profile bytes.
 */
#ifndef OPS_RUNTIME_LOG_H
#define OPS_RUNTIME_LOG_H

enum log_level { LOG_ERROR = 3, LOG_WARN = 4, LOG_INFO = 6, LOG_DEBUG = 7 };

#define LOG_EVENTS(X) \
    X(profile_stored) \
    X(profile_duplicate) \
    X(profile_rejected) \
    X(profile_left_out) \
    X(verdict_left_out) \
    X(verdict_recorded) \
    X(delivery_done) \
    X(delivery_failed) \
    X(delivery_refused) \
    X(outbox_empty) \
    X(cluster_started) \
    X(cluster_created) \
    X(migration_begun) \
    X(job_claimed) \
    X(job_done) \
    X(job_failed) \
    X(job_set_aside) \
    X(job_released) \
    X(job_submitted) \
    X(lease_lost) \
    X(worker_started) \
    X(worker_stopped) \
    X(child_started) \
    X(child_exited) \
    X(service_started) \
    X(service_stopped) \
    X(task_done) \
    X(task_failed) \
    X(checkpoint_written) \
    X(checkpoint_not_kept) \
    X(input_warning) \
    X(database_away) \
    X(database_back) \
    X(database_waits) \
    X(remote_fetched) \
    X(remote_warning) \
    X(config_ignored) \
    X(origin_conflict) \
    X(turn_started) \
    X(reference_taken) \
    X(retracted_evidence) \
    X(verdict_accepted) \
    X(acceptance_exceeded)

enum log_event {
#define LOG_EVENT_MEMBER(name) LOG_##name,
    LOG_EVENTS(LOG_EVENT_MEMBER)
#undef LOG_EVENT_MEMBER
};

/* Events above this level are dropped; the start is LOG_INFO. */
void log_set_level(enum log_level level);

/* key, value pairs of strings, ended by NULL: log_event(LOG_INFO, LOG_profile_stored, "file", path,
 * NULL). A NULL value is written as `-`. */
void log_event(enum log_level level, enum log_event event, ...) __attribute__((sentinel));

#endif
