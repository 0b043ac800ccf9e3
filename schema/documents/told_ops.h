/* The ops of a summary as they are told best, and which part of a training step their time goes to:
 * forward, backward, recomputation, optimizer; other paths; and the rest of which nobody says it.
 */
#ifndef SCHEMA_DOCUMENTS_TOLD_OPS_H
#define SCHEMA_DOCUMENTS_TOLD_OPS_H

#include "ops/runtime/text.h"
#include "schema/documents/summary.h"

/* What ops do (phase, category, shapes, work) is asked of these; the time of kernels by name, and
 * what ledgers know, of summary.ops. */
struct told_ops {
    const struct op_row *items;
    size_t count;
};

/* As programs tell them where these were asked, else as the profile does. */
static inline struct told_ops told_ops_of(const struct summary *summary)
{
    return summary->has_program_ops
               ? (struct told_ops){summary->program_ops, summary->program_op_count}
               : (struct told_ops){summary->ops, summary->op_count};
}

/* Whether an opcode, which may be NULL, ends so behind something else. */
bool opcode_ends(const char *opcode, const char *end);

/* Whether it is one end of what goes on beside others: `copy-start`, `all-reduce-done`. What such
 * an op moves, it moves in other time than its own. */
bool opcode_is_half(const char *opcode);

/* Whether what the op says of operations and bytes is told by others again: it holds them, or its
 * end says the same. */
bool op_work_is_again(const struct op_row *op);

/* Whether it is a custom call, whose work no compiler knows: 0 operations of it are none told. */
bool op_is_custom(const char *opcode, const char *category);

/* In the order in which they are shown. */
#define PHASES(X) X(forward) X(backward) X(recompute) X(optimizer) X(other) X(unattributed)
enum {
#define PHASE_ONE(name) PHASE_##name,
    PHASES(PHASE_ONE)
#undef PHASE_ONE
        PHASE_COUNT
};
extern const char *const phase_names[PHASE_COUNT];

/* Own time of ops of each phase, µs per steady step and device; of all devices and the whole
 * profile where there are no steady steps. */
struct phase_times {
    double us[PHASE_COUNT], all_us;
    bool known; /* forward or backward took some of it: else names tell no training */
};

/* Which of them; what an op does not say, or says in other words, is unattributed. */
int phase_of_op(const struct op_row *op);

/* Of all ops but asynchronous ones, as programs tell them where they were asked. */
struct phase_times phase_times_of(const struct summary *summary);

/* "forward 31.0 %, backward 60.2 %": those that took time; and of what that is. */
void phase_times_print(const struct phase_times *times, struct text *out);
const char *phase_times_source(const struct summary *summary);

#endif
