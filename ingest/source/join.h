/* Which files are hosts of one capture: the rule, on what each file says. Pure.
 *
 * Two files belong together when their hosts or ranks differ, their step numbers agree where both
 * have such, they do not say that their job has another number of processes, and
 * - both carry the same capture key; files of different keys never do, or
 * - their times since 1970 overlap, and no chip of one has the number of a chip of the other (jobs
 *   that run at once on machines of their own) unless rank, job or run tell the hosts apart, or
 * - one of them has no such times, and both lie in one job's directory, or were given one run.
 * Ranks are what files say, else numbers in names that are equal but for them. Processes of one
 * machine that tell none are ranks of one job where they are in one group of processes that is as
 * large as they are many, at least, and run the same steps at the same time; without such steps,
 * where they work on other devices. What a loose file is
 * called names no host, but for XPlane files and what PyTorch's handler writes: two jobs that one
 * machine ran at once would look the same.
 * A capture is what belongs together pair by pair. Where that is more than one capture (a host
 * twice), sessions that begin within half a minute, then those of one folder, then names that are
 * equal but for a rank, tell them apart; where even that does not, nothing is joined, and the note
 * says what would.
 */
#ifndef INGEST_SOURCE_JOIN_H
#define INGEST_SOURCE_JOIN_H

#include "ingest/source/place.h"
#include "ops/runtime/digest.h"
#include "schema/documents/summary.h"

struct join_file {
    const char *path;
    const char *host;            /* as the file says; NULL: it does not */
    const char *sha256, *format; /* summary.source_format */
    struct file_place place;
    struct opt_i64 process, process_count, begin_ns, end_ns;
    struct string_list chips;  /* numbers in the job; empty: not said */
    struct string_list groups; /* of processes that it is in, as in capture_host */
    struct string_list devices;
    const int64_t *steps;    /* ascending numbers of its steps */
    const int64_t *steps_ns; /* when each begins, since 1970; NULL: its clock does not tell */
    const int64_t *steps_ps; /* how long each lasts */
    size_t row_count;        /* of both … */
    size_t step_count;       /* … as far as the job gave the numbers: all or none */
    int64_t event_count;
    uint8_t ops[SHA256_BYTES]; /* digest of their names, how often each ran and how long */
    bool is_cut;               /* before its end */
    const char *key, *run;     /* NULL = not given */
    bool is_alone;    /* it has no times: a device memory profile, which is no host of a capture */
    bool tells;       /* of steps, or of work of a device */
    int64_t together; /* files of one capture that was joined before; 0 = none */
};

struct join_group {
    size_t *files; /* by process, then host, then hash: the same whatever order they came in */
    size_t count;
};

struct join_result {
    struct join_group *groups; /* by their first file in the list given */
    size_t count;
    struct string_list notes; /* what was not joined, and why */
};

/* Whether the file is a trace in Chrome's JSON; an XPlane file of the same host tells more. */
bool join_is_trace(const struct join_file *file);
bool join_is_xplane(const struct join_file *file);

/* Whether a file holds the same capture as another one: times, steps and ops are equal; or, being
 * cut, its beginning: times and steps are, as far as it goes. */
bool join_is_copy(const struct join_file *copy, const struct join_file *whole);

/* What the summary of one file says. */
bool join_file_of(const struct summary *summary, struct arena *arena, struct join_file *ret_file,
                  struct err *err);

/* ERR_INPUT: a capture key whose files cannot be one capture. */
bool join_files(const struct join_file *files, size_t count, struct arena *arena,
                struct join_result *ret_result, struct err *err);

/* Whether hosts[count], summaries of one file each, which somebody gave together as what lies at
 * `path`, are of one capture: those that say no times are, as far as nothing else is against it; of
 * those without an event nothing is asked. ERR_INPUT: they are not; names two of them, and why. */
bool join_check(const struct summary *hosts, size_t count, const char *path, struct arena *arena,
                struct err *err);

#endif
