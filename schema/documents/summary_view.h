/* What a summary says of a profile, computed once: hardware, steps and shares as they are printed
 * in a terminal, in Markdown, in a browser and as metadata of W&B.
 *
 * Figures are ours where the document holds them, else those of profile_summary.v1; each says of
 * what it is. Where both are there and differ by definition, the members of profile_summary.v1 are
 * shown apart, under that name.
 */
#ifndef SCHEMA_DOCUMENTS_SUMMARY_VIEW_H
#define SCHEMA_DOCUMENTS_SUMMARY_VIEW_H

#include "schema/documents/figures.h"
#include "schema/documents/summary.h"

struct summary_fact {
    const char *name, *value;
    const char *of; /* of what, per what, over which steps */
};

enum { SUMMARY_FACTS_MAX = 24 };

struct summary_view {
    const char *device_type, *topology; /* NULL = unknown */
    struct opt_i64 device_count, host_count;
    struct opt_f64 step_median_us, step_p90_us;
    int64_t steady_steps, steps; /* all steps; 0 when only profile_summary.v1 knows them */
    /* Of the devices' windows together; absent without devices of ours. */
    struct opt_f64 busy, compute, exposed_communication, overlapped_communication, exposed_copies;
    struct summary_figure figures[FIGURE_COUNT]; /* empty in documents of others */
    const char *hardware;                        /* "4 x TPU v6 Lite on 2 hosts" */
    const char *headline; /* "4 x TPU v6 Lite: MFU 41.2 %, step 784.4 ms (p90 967.6 ms) over 95
                             steady steps" */
    const char *left_out; /* "step 0 (compilation), step 1 (host wait)": warm-up; NULL = none */
    const char *hosts;    /* "2 of 4 processes; missing: process 1, process 3"; NULL = not known */
    const char *dominant; /* "compute takes 86.0 % of the devices' windows": what takes half of the
                             time or more; NULL = nothing does */
    struct summary_fact facts[SUMMARY_FACTS_MAX];
    size_t fact_count;
};

/* How steps were found, in words: "from the devices' line of steps". Static. */
const char *step_method_text(enum step_method method);

/* The warning by which it is known that the end of a file is missing, or part of it was not read;
 * NULL: none says so. The reference's `suspected_truncation` knows counts of events at which
 * collectors stop, and nothing of it. */
const char *summary_cut_told(const struct summary *summary);

/* Whether a candidate contradicts the view: that nothing dominates where something does; that
 * communication does where next to none of it is exposed; gaps where the devices are hardly idle.
 */
bool summary_view_refutes(const struct summary_view *view,
                          const struct optimization_candidate *candidate);

/* Everything in the arena. */
void summary_view_make(const struct summary *summary, struct arena *arena,
                       struct summary_view *ret_view);

#endif
