/* The steps of all hosts of a capture, each with where its time went; and what they add up to.
 */
#ifndef INGEST_BREAKDOWN_STEP_LIST_H
#define INGEST_BREAKDOWN_STEP_LIST_H

#include "ingest/breakdown/framework.h"
#include "ingest/breakdown/idle_events.h"
#include "ingest/breakdown/step_times.h"

/* A step on one device. */
struct listed_step {
    const char *host, *device; /* NULL: the file does not say; no device recorded it */
    int64_t process;           /* which of the list's hosts, from 1 on … */
    struct opt_i64 rank;       /* … and its rank, where the file says it … */
    const char *path;          /* … and its file */
    struct device_step times;
    const char *warmup; /* why it is left out of steady figures; NULL: it counts */
    bool is_slowest;    /* of the devices of its host */
    bool has_period;
    int64_t period_ps;
};

/* What a host says of steps. */
struct listed_host {
    const char *name, *path; /* NULL: the file does not say */
    enum step_method method; /* STEPS_NONE: it has none, and its items are all that devices did */
    bool has_devices;
    bool is_left; /* out of the list, as step_list_join says */
    struct untold_idle idle;
    struct idle_event idle_event; /* where it was looked for (idle_event_find) */
    const char *absent[STEP_PART_COUNT];
};

struct step_list {
    struct arena *arena;
    struct listed_host
        *hosts; /* [host_count] of profiles, by listed_step.process; of tables none */
    size_t host_capacity;
    struct listed_step *items; /* by number; of a number the slowest first, which is the step's */
    size_t count, capacity;
    const char *absent[STEP_PART_COUNT]; /* NULL: at least one host measured it */
    const char *method;                  /* of the last host; once they are joined of all */
    const char *left;                    /* a sentence on hosts that are left out; NULL: none is */
    int64_t left_count;
    const char *format, *device_type;
    int64_t host_count, device_count; /* of tables 0 where they do not tell it */
    enum framework framework;         /* of the last host */
    bool is_tpu;
    bool of_tables; /* that xprof made: what is waited for input holds the copies to the device,
                       and nothing tells what passes between steps */
};

/* Statistics of one part over steps, µs. */
struct part_stats {
    struct opt_f64 average, deviation, least, most;
};

/* Adds the steps of a host. Errors as of step_breakdown_read. */
bool step_list_add(struct step_list *list, struct profile *profile, const struct summary *summary,
                   struct err *err);

/* Makes one list of all hosts, as their capture does: names them as it does (files that say no
 * host, or all the same one, are told apart by their ranks; names stay where they are), and leaves
 * out those whose steps it does not have, because they have none, or others: steps that were found
 * in another way have other numbers and lengths. */
void step_list_join(struct step_list *list, const struct summary *capture);

/* The host of that number in a list of profiles. */
const struct listed_host *step_list_host(const struct step_list *list, int64_t process);

/* ERR_INPUT: no `wanted` ("table 'steps'") of a profile, which has neither steps nor ops of a
 * device; where a file was cut off, as `cut` says, that is why. */
bool step_list_refuse(const char *wanted, const char *path, const char *cut, struct err *err);

/* Puts them in order, once all hosts are added. */
void step_list_settle(struct step_list *list);

/* The first item of the next step behind `at`, list->count at the end. */
size_t step_list_next(const struct step_list *list, size_t at);

/* Whether any step is no warm-up; without one all count. */
bool step_list_has_steady(const struct step_list *list);

/* Over the slowest devices of all steps (xprof's reading), or of the steady ones (ours; of all
 * where none is steady); part STEP_PART_COUNT is the whole step. Absent without steps; the
 * deviation, of a sample, without a second one. */
enum step_reading { READING_OURS, READING_XPROF };
struct part_stats step_list_stats(const struct step_list *list, enum step_part part,
                                  enum step_reading reading);

/* Whether a step that counts (a steady one; any where none is) is followed by another one. What
 * passes from step to step is then of those alone, else of steps as long as they take themselves.
 */
bool step_list_followed(const struct step_list *list);

/* Whether it is known of any device of the step of the item at `at` when its next one begins. */
bool step_list_has_follower(const struct step_list *list, size_t at);

/* Of the step that begins at `at` the item whose device waits longest for input, of the slowest one
 * of each host. In a step that hosts take together all wait for it; slow it is not, for its step
 * begins when its input is there. Clocks differ from host to host, so that what several
 * wait is not united: they begin steps together, and the longest wait holds the others. */
const struct listed_step *step_list_waiter(const struct step_list *list, size_t at);

/* From the begin of a step to that of the next, of the slowest device, averages over steady steps
 * (over all where none is); of the input that of step_list_waiter, no more than the step. Waiting
 * for the host, for input or until it has compiled, is most of it between steps where each begins
 * with its first op. Absent without numbered steps; the input and the compiling where nothing tells
 * of it. Idle is the device while it neither works nor copies, whatever the host does then; absent
 * without a device. */
struct step_waits {
    struct opt_f64 period_us, between_us, input_us, input_between_us, input_share, compile_us,
        compile_between_us, idle_share;
};
struct step_waits step_list_waits(const struct step_list *list);

/* What the slowest device of a step spends in collectives while nothing computes (STEP_COLLECTIVES,
 * averages as of step_list_stats): in which it waits for devices that come later, and the rest. A
 * device waits as much longer as its collectives last, and are exposed, than those of the device
 * that has least of that, of those that run as many as the slowest: no clocks have to agree. */
struct collective_times {
    double moving_us, waiting_us;
    double most_waiting_us; /* what the one that waits most does, which need not be the slowest */
};
struct collective_times step_list_collectives(const struct step_list *list);

/* What a device waits for others in the collectives of a step, items[count], of which it is one. */
int64_t step_collective_wait_ps(const struct listed_step *items, size_t count,
                                const struct listed_step *step);

/* What shares of a step's cost are of, µs: from the begin of a step to that of the next, as
 * step_list_waits has it; without numbered steps the capture of the device that did most. */
double step_list_whole_us(const struct step_list *list);

/* How long the next step is behind the begin of this one; where none follows, or devices overlap
 * steps, as long as it takes itself. */
int64_t step_to_step_ps(const struct listed_step *step);

#endif
