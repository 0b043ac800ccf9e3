/* Figures of a step that managers and tuners ask for first: MFU, throughput, memory, what is not
 * hidden, done twice or waited for. Each has a value, and what it was computed from, or the reason
 * why it cannot be known: none is ever 0 for want of knowledge.
 *
 * They are computed when a profile is read, stand in its document from then on, and are measures of
 * the ledger. Formulas: ingest/README.md, "Figures of a step".
 */
#ifndef SCHEMA_DOCUMENTS_FIGURES_H
#define SCHEMA_DOCUMENTS_FIGURES_H

#include "schema/documents/chip_peaks.h"
#include "schema/documents/measures.h"
#include "schema/documents/summary.h"

/* X(measure, how people call it), in the order in which they are shown. */
#define FIGURES(X) \
    X(mfu, "MFU") \
    X(tokens_per_second_per_device, "Tokens per device") \
    X(hbm_peak, "Peak memory of a device") \
    X(program_memory, "Peak memory of the program") \
    X(exposed_communication_share, "Exposed communication") \
    X(recompute_share, "Recomputation") \
    X(input_wait_share, "Waiting for input")

enum {
#define FIGURE_ONE(name, words) FIGURE_##name,
    FIGURES(FIGURE_ONE)
#undef FIGURE_ONE
        FIGURE_COUNT
};

extern const char *const figure_names[FIGURE_COUNT]; /* as people call them */

/* What counts instead of what the summary says of its devices and steps; nothing is set: nothing.
 */
struct figure_basis {
    struct device_limits peaks;
    struct opt_f64 model_flops_per_step, tokens_per_step;
};

/* Whether figures are made of a fact of that name, which is stated of a run: "tokens_per_step". */
bool figure_is_made_of(const char *name);

/* Each figure computed of the summary: figures[FIGURE_COUNT]. Texts live as long as the summary. */
void figures_compute(const struct summary *summary, const struct figure_basis *basis,
                     struct summary_figure *figures);

/* As they were recorded; of a summary without them as they can be computed. */
void figures_of(const struct summary *summary, struct summary_figure *figures);

/* How much of the ops' own time in steady steps tells its operations, of 1; not set: not measured.
 * Sums of operations are at least what they say where it is less than nearly all
 * (work_told_nearly_all), and mislead below the half (work_told_least). */
struct opt_f64 work_told_share(const struct summary *summary);
static const double work_told_nearly_all = .99, work_told_least = .5;

/* Of what the summary makes the figure that is this measure; NULL: it does not tell it, or the
 * measure is none. */
const char *figure_source(const struct summary *summary, enum measure measure);

/* Why the summary does not tell the figure that is this measure; NULL: it does, nothing says why,
 * or the measure is none. */
const char *figure_absent(const struct summary *summary, enum measure measure);

/* Computes them anew and keeps them in the summary; none of a profile that tells no times.
 * ERR_LIMIT beyond the budget. */
bool figures_record(struct summary *summary, struct arena *arena, struct err *err);

#endif
