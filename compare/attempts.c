/* Implements the spending of error rates. */
#include "compare/attempts.h"

#include "ops/runtime/text.h"

enum { EVEN_ATTEMPTS = 5 }; /* of which the later ones have equal parts */

struct gate_policy attempts_policy(const struct gate_policy *policy, int64_t attempts)
{
    struct gate_policy spent = *policy;
    if (attempts < 2)
        return spent;
    double k = (double)attempts;
    double part = attempts <= EVEN_ATTEMPTS ? 1.0 / EVEN_ATTEMPTS : 1 / (k * (k - 1));
    spent.alpha_fail *= part;
    spent.alpha_warn *= part;
    spent.alpha_pass *= part;
    return spent;
}

/* "v7 (fail), v9 (pass)": the last ones when there are many. */
static void earlier_add(const struct string_list *earlier, struct text *out)
{
    enum { SHOWN = 5 };
    size_t first = earlier->count > SHOWN ? earlier->count - SHOWN : 0;
    if (first > 0)
        text_addf(out, "%zu others and ", first);
    for (size_t i = first; i < earlier->count; i++)
        text_addf(out, "%s%s", i == first ? "" : ", ", earlier->items[i]);
}

void attempts_reason(struct judgement *judgement)
{
    const struct gate_input *input = judgement->input;
    const struct verdict_side *side = &judgement->verdict->candidate;
    if (input->attempts < 2)
        return;
    enum { LIST_BYTES = 600 };
    scoped_text earlier;
    text_init(&earlier, LIST_BYTES);
    earlier_add(&input->earlier_verdicts, &earlier);
    reason_add(judgement, "attempts_pooled",
               "Attempt %lld of this change: all its %lld run%s count, those of earlier attempts "
               "too (%s), and the limits are stricter than at the first attempt.",
               (long long)input->attempts, (long long)side->run_count,
               side->run_count == 1 ? "" : "s", text_string(&earlier));
}
