/* What a verdict shows, computed once: every number pair, percentage and sentence as it is printed
 * in a terminal, a pull request, a browser, an annotation and a message.
 *
 * Formats choose what they have room for; none of them formats a number of a verdict by itself, so
 * that no two can differ. Texts hold names as profiles hold them: who shows them makes them clean.
 */
#ifndef SCHEMA_DOCUMENTS_VERDICT_VIEW_H
#define SCHEMA_DOCUMENTS_VERDICT_VIEW_H

#include "schema/documents/verdict_next.h"

/* Two numbers and what became of them; "" where there is none. */
struct view_pair {
    const char *kind; /* ops: slower, faster, ...; groups: phase, host, ...; else "" */
    const char *name; /* as words */
    const char *path; /* of an op, what people wrote of it */
    const char *before, *after, *delta, *percent;
    const char *of_step;          /* of an op: its delta as a part of the baseline's step */
    const char *allowed, *status; /* of a measure */
    bool is_worse, is_better;     /* of an op */
    bool is_part;                 /* of a group: not all runs of a side have it */
};

struct view_pairs {
    struct view_pair *items;
    size_t count;
};

struct view_line {
    const char *label, *text;
};

struct view_lines {
    struct view_line *items;
    size_t count;
};

struct verdict_view {
    const char *status;         /* "FAIL" */
    const char *sentence;       /* verdict_sentence */
    const char *efficiency;     /* verdict_efficiency */
    struct view_pairs steps;    /* median, p90; none when a change would invite comparing */
    struct view_pairs counts;   /* runs, steady steps: before and after alone */
    struct view_pairs ops;      /* that moved, in one unit; per step and device */
    const char *ops_per;        /* "step", or "call" where a side has no steps */
    struct view_pairs groups;   /* the largest of each kind */
    struct view_pairs measures; /* that are limited or moved, without the step's own */
    struct view_lines statistics, compared;
    const char *balance; /* "" when it is not known */
    struct verdict_next next;
};

/* Everything in the arena. */
void verdict_view_make(const struct verdict *verdict, struct arena *arena,
                       struct verdict_view *ret_view);

#endif
