/* What rules ask of one host, and what several of them say; and the rules that have files of their
 * own.
 */
#ifndef INGEST_FINDINGS_RULES_H
#define INGEST_FINDINGS_RULES_H

#include "ingest/findings/findings.h"

#include "ops/runtime/text.h"

/* One host; of all hosts, and of tables that xprof made, the steps alone. */
struct examined {
    const struct profile *profile;
    const struct summary *summary;
    const struct step_list *steps; /* settled */
    struct arena *arena;
};

/* Whether it holds, and what it says. */
typedef bool rule_fn(const struct examined *host, struct finding *finding);

enum { FINDING_DIGITS = 3, FINDING_WHOLE_BYTES = FORMAT_BYTES + 32 };

/* Whether a file was cut off: what it lacks may be what a device seems to wait for. */
bool finding_is_cut(const struct examined *host);

/* The share of so many µs of a step, as findings have it (step_list_whole_us); both told; and what
 * the share is of, in words, which it returns. */
double finding_share(const struct examined *host, double us);
void finding_time(const struct examined *host, double us, struct finding *finding);
const char *finding_whole(const struct examined *host, char words[FINDING_WHOLE_BYTES]);

/* What to do, in the words of the framework that the profile is of. Static. */
enum remedy {
    REMEDY_RECOMPILES,
    REMEDY_LAUNCH_AHEAD,
    REMEDY_LOAD_AHEAD,
    REMEDY_SAVES,
    REMEDY_TRANSFERS,
    REMEDY_COPIES,
    REMEDY_TINY_KERNELS,
    REMEDY_EXPOSED,
    REMEDY_COUNT
};
const char *remedy_of(const struct step_list *steps, enum remedy remedy);

/* What a device waits for its host, in steps and between them, as the host compiles, saves or does
 * all else: each with a remedy of its own, and no moment in two of them. */
rule_fn host_recompiles, host_stalls, host_saves;

/* Whether a host_stall of one of several hosts holds up the job: not where another one has nothing
 * to wait for meanwhile. Asked of all hosts' steps. */
bool host_stall_counts(const struct examined *all, struct finding *finding);

/* What devices spend on exchanging data with others: moving it, and waiting for who comes later.
 * Asked of the devices of all hosts. */
rule_fn exposed_communication, uneven_devices;

/* Whether one device takes longest in nearly all steady steps for what it does before it exchanges
 * data: in a collective fast devices wait for it, so that steps of all last as long. One that takes
 * twice as long does other work. */
rule_fn slow_device;

/* Steps that take much longer than the others, so that averages tell of none of them. Asked of the
 * devices of all hosts. */
rule_fn slow_steps;

/* The steps that slow_steps tells of, where their devices wait in what is longer: that is no other
 * stall. None where it does not. */
struct step_outliers slow_steps_that_wait(const struct examined *all);

/* Whether an allocator of the host's devices grows with its steady steps, and by how much. It reads
 * allocators' events, which most profiles do not have. Errors as of allocators_read. */
bool memory_leak_find(struct profile *profile, const struct step_list *steps, bool *ret_leaks,
                      struct finding *finding, struct err *err);

/* What the device could do at most: operations, bytes of HBM; and its SparseCores, which are what
 * takes the time where neither does. Fills in the rule that holds (static) and what it says, or
 * leaves finding->rule NULL; none does where the work of the ops or the peaks of the device are not
 * known, or do not fit each other. Errors as of op_list_collect. */
bool roof_bound_find(struct profile *profile, const struct summary *summary, struct arena *arena,
                     struct finding *finding, struct err *err);

#endif
