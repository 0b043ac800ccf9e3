#include "schema/documents/told_ops.h"
#include "ops/runtime/text.h"

#include <string.h>

const char *const phase_names[PHASE_COUNT] = {
#define PHASE_NAME(name) #name,
    PHASES(PHASE_NAME)
#undef PHASE_NAME
};

static bool text_is(const char *text, const char *word)
{
    return text != NULL && strcmp(text, word) == 0;
}

bool opcode_ends(const char *opcode, const char *end)
{
    const size_t length = opcode == NULL ? 0 : strlen(opcode), last = strlen(end);
    return length > last && strcmp(opcode + length - last, end) == 0;
}

bool opcode_is_half(const char *opcode)
{
    return opcode_ends(opcode, "-start") || opcode_ends(opcode, "-update") ||
           opcode_ends(opcode, "-done");
}

bool op_work_is_again(const struct op_row *op)
{
    static const char *const holders[] = {"while", "call", "conditional", "container"};
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++)
        if (text_is(op->opcode, holders[i]) || text_is(op->category, holders[i]))
            return true;
    return opcode_ends(op->opcode, "-start");
}

bool op_is_custom(const char *opcode, const char *category)
{
    static const char own[] = "custom";
    return (opcode != NULL && strncmp(opcode, own, sizeof own - 1) == 0) ||
           (category != NULL && strncmp(category, own, sizeof own - 1) == 0);
}

int phase_of_op(const struct op_row *op)
{
    const size_t phase = text_index(op->phase, phase_names, PHASE_COUNT);
    return phase < PHASE_COUNT ? (int)phase : PHASE_unattributed;
}

struct phase_times phase_times_of(const struct summary *summary)
{
    static const double ps_per_us = 1e6;
    const bool steps = summary->steps.steady_spans > 0;
    const double scale = ps_per_us * (steps ? (double)summary->steps.steady_spans : 1);
    const struct told_ops ops = told_ops_of(summary);
    struct phase_times times = {0};
    for (size_t i = 0; i < ops.count; i++) {
        const struct op_row *op = &ops.items[i];
        const double us = (double)(steps ? op->steady_self_ps : op->self_ps) / scale;
        if (op->asynchronous)
            continue;
        times.us[phase_of_op(op)] += us;
        times.all_us += us;
    }
    times.known = times.us[PHASE_forward] + times.us[PHASE_backward] > 0;
    return times;
}

void phase_times_print(const struct phase_times *times, struct text *out)
{
    char share[FORMAT_BYTES];
    for (int i = 0, shown = 0; i < PHASE_COUNT; i++) {
        if (times->us[i] > 0)
            text_addf(out, "%s%s %s", shown++ == 0 ? "" : ", ", phase_names[i],
                      format_share(times->us[i] / times->all_us, share));
    }
}

const char *phase_times_source(const struct summary *summary)
{
    return summary->has_program_ops ? "of the ops' own time, as programs tell them"
                                    : "of the ops' own time";
}
