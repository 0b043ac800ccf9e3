/* What the numbers of annotated steps tell beside which is which.
 *
 * Loops count anew in each epoch, and some give all their steps one number. What begins later on
 * the same thread under a number that was there before is another step: it is counted on from the
 * ones before. A number that comes twice in a row is one step in two pieces, unless the thread has
 * no other number.
 *
 * Steps that nobody marked are missing among the numbers: between 10 and 12 there is a step 11, and
 * what runs in it is of no step. Where all numbers are equally far apart, the loop may count so by
 * itself: it does not where annotations last about as long as one of so many steps. Numbers that
 * jump over more steps than would fit in between jump for another reason.
 */
#ifndef INGEST_STEPS_STEP_NUMBERS_H
#define INGEST_STEPS_STEP_NUMBERS_H

#include "ingest/steps/step_windows.h"

/* An annotation of the line of that ordinal. */
struct line_annotation {
    uint32_t line;
    struct host_step step;
};

/* Sorts items[count] by line and start, and counts on from line to line. Returns how many have
 * another number than they had. */
size_t step_numbers_count_on(struct line_annotation *items, size_t count);

/* Fills unmarked and own_end_ps of steps[count], which ascend by number; lengths[count] is for its
 * work. Returns how many steps lack their mark. */
int64_t unmarked_steps_find(struct host_step *steps, size_t count, int64_t *lengths);

/* How many launches lie in an annotation, and behind it up to the next one. */
struct launch_counts {
    int64_t inside, behind;
};

/* Whether each step[count] but the last launches behind its annotation just as often as in it for
 * each number that is missing before the next: those are steps without a mark, which it then says
 * of them. Returns how many there are; 0 where some are known already. */
int64_t unmarked_by_launches(struct host_step *steps, size_t count,
                             const struct launch_counts *launches);

#endif
