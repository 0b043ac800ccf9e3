/* Where steady state begins, as the captures of both sides tell it together.
 *
 * A capture cannot tell its warm-up where a later step is as slow (ingest/step_table/warmup.h), or
 * where it is short. Others of the same job can: what most past captures leave out that begin at
 * the same step number is warm-up in those too that do not tell it, on either side. And first steps
 * of half of the candidate's captures that stand above the later ones by more than past steps
 * differ, where past captures do not begin so, are warm-up that became longer, however little they
 * stand above them: one capture tells only what is longer by a tenth, and what warns where it is
 * longer by that must not fail where it is longer by less.
 */
#ifndef COMPARE_JUDGEMENT_USUAL_WARMUP_H
#define COMPARE_JUDGEMENT_USUAL_WARMUP_H

#include "compare/judgement/gate_input.h"
#include "compare/judgement/short_warmup.h"

struct capture_start;

struct usual_warmup {
    struct short_past past;
    struct capture_start *starts; /* of past captures with steps of the wanted kind */
    size_t count;
    bool lead_tells; /* half of the candidate's captures begin with longer steps, few past ones */
};

/* What tells more warm-up than a capture itself. */
enum warmup_source { WARMUP_AS_READ, WARMUP_BY_NOISE, WARMUP_BY_MOST, WARMUP_BY_LEAD };

/* The first rows that are warm-up; 0: as many as the capture tells itself. */
struct told_warmup {
    enum warmup_source source;
    size_t first;
};

/* Reads both sides. */
void usual_warmup_read(const struct gate_input *input, const struct step_table *wanted,
                       struct arena *arena, struct usual_warmup *ret);

/* Of one capture with steps. */
void usual_warmup_of(const struct usual_warmup *usual, const struct step_table *table,
                     bool of_candidate, struct arena *arena, struct told_warmup *ret);

#endif
