/* The steps of a profile: how they were found, what each took, and which are warm-up. Times are
 * integer picoseconds. */
#ifndef SCHEMA_DOCUMENTS_STEP_TABLE_H
#define SCHEMA_DOCUMENTS_STEP_TABLE_H

#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"

/* How steps were found, best first: what bounds a step, and which clock measured it. */
enum step_method {
    STEPS_NONE,
    STEPS_LINE,       /* a device's line `Steps` */
    STEPS_ANNOTATION, /* the host's annotation; lasts as long as the ops launched in it */
    STEPS_MODULE_RUN, /* runs of the main program on a device's line `XLA Modules` */
    STEPS_LAUNCH,     /* launches of the main program: its kernels on a GPU */
    STEPS_HOST,       /* the host's annotation, as long as it lasts on the host */
    STEPS_CALL,       /* calls of a compiled function on the host, from one to the next */
    STEP_METHOD_COUNT
};
/* none steps_line step_annotation module_run program_launch host_annotation host_call */
extern const char *const step_method_names[STEP_METHOD_COUNT];

/* Numbers that the profile holds; those of the other methods are counted from 0 by the reader, so
 * that no rule on numbers is about them. */
static inline bool step_method_has_numbers(enum step_method method)
{
    return method == STEPS_LINE || method == STEPS_ANNOTATION || method == STEPS_HOST;
}

/* Marks of the host: what is called so, or what --step-range names. */
static inline bool step_method_is_annotated(enum step_method method)
{
    return method == STEPS_ANNOTATION || method == STEPS_HOST;
}

/* Why a step is warm-up, as step_row.warmup_reason. */
#define WARMUP_NUMBER "number"           /* below a fixed number of warm-up steps */
#define WARMUP_COMPILATION "compilation" /* the host compiled while the step ran */
#define WARMUP_HOST_WAIT "host_wait"     /* apart from the rest, and the device waited */
#define WARMUP_APART "apart"             /* slower than the rest by more than their noise */
#define WARMUP_CUT "cut"                 /* no warm-up: the last one, whose end was not recorded */

struct step_span {   /* one step on one device (or host thread when there is no device) */
    uint32_t device; /* index into summary.devices; UINT32_MAX for a host span */
    int64_t start_ps, duration_ps;
};

struct step_row {
    int64_t number;
    bool warmup;               /* left out of steady figures */
    const char *warmup_reason; /* a WARMUP_… above; NULL = steady, or an older document */
    bool host_compiled;        /* in it, or between the step before and it */
    int64_t max_ps;            /* the slowest device: what a user waits for */
    int64_t mean_ps;           /* over devices, rounded down */
    uint32_t slowest;          /* device index, UINT32_MAX without devices */
    bool has_period;
    int64_t period_ps; /* start of the next step - start of this one, on the slowest device of this
                          one; over the steps in between that lack their mark, the mean */
    bool has_input_wait;
    int64_t input_wait_ps; /* for input, to the next step, as the host did that waited longest */
    bool has_gap;
    int64_t gap_before_ps;   /* start of this one - end of the one before, on the same device,
                                smallest over devices */
    struct step_span *spans; /* one per device that has the step */
    size_t span_count;
};

struct step_table {
    enum step_method method;
    const char *program;   /* whose runs, launches or calls the steps are, or the expression that
                              named its annotations; NULL = marks tell, by their usual names */
    struct step_row *rows; /* ascending numbers */
    size_t count;
    int64_t steady_count; /* rows that are not warm-up */
    int64_t steady_spans; /* device spans of those rows: the divisor of per-step op figures */
    struct opt_f64
        steady_median_us; /* median over steady rows of max_ps, in µs: THE step time of ours */
    struct opt_f64 steady_p90_us;
};

/* What people do who want steps of a profile in which nothing marks them. */
#define STEP_MARKS_ADVICE \
    "mark them (JAX: jax.profiler.StepTraceAnnotation(\"train\", step_num=n); PyTorch: " \
    "prof.step(); Nsight Systems: NVTX ranges such as \"step 12\", or --step-range)"

/* In how many steps the host compiled again: later than in the first steps, or in most of all. */
size_t steps_recompiled(const struct step_table *table);

/* Of how many steps these are: of the steady ones where what compiled in the first steps is not
 * counted, else of all. */
size_t steps_recompiled_of(const struct step_table *table);

/* Hosts whose steps are not those of their capture, and the first of them. */
struct steps_left {
    int64_t count, of;
    const char *first;
    enum step_method own, method; /* how steps of the first are found, and those of the capture */
};

/* What is said of them, among the warnings of coverage. And where a summary
 * says it; NULL: nowhere. */
const char *steps_left_words(const struct steps_left *left, struct arena *arena);
struct summary;
const char *summary_steps_left(const struct summary *summary);

/* How many rows there are without the last one, where the end of the capture cut that: left out
 * behind a steady one. */
size_t steps_whole(const struct step_table *table);

/* How many steps the warm-up has that the capture begins with. */
size_t steps_first_warmup(const struct step_table *table);

/* Whether the steps of two tables are steps of one thing: of one method, and of one program where
 * both know theirs; annotations of one expression, or all of usual names. */
bool step_tables_alike(const struct step_table *a, const struct step_table *b);

/* "steps_line", "module_run of jit_train_step", "step_annotation of lap ([0-9]+)". */
const char *step_table_text(const struct step_table *table, struct arena *arena);

/* Fills method and program from such a text, into which the program points; nothing from others. */
void step_table_named(const char *text, struct step_table *table);

#endif
