/* Implements the spending of error rates. */
#include "compare/gate/attempts.h"

#include "ops/runtime/text.h"

#include <string.h>

static const double later_part = 0.75, later_pairs_part = 0.5; /* up to this many attempts: */
enum { EVEN_ATTEMPTS = 5 };

struct gate_policy attempts_policy(const struct gate_policy *policy, int64_t attempts, bool paired)
{
    struct gate_policy spent = *policy;
    if (attempts < 2)
        return spent;
    double k = (double)attempts;
    double part = paired ? later_pairs_part : later_part;
    if (attempts > EVEN_ATTEMPTS)
        part *= EVEN_ATTEMPTS * (EVEN_ATTEMPTS - 1) / (k * (k - 1));
    spent.alpha_fail *= part;
    spent.alpha_warn *= part;
    spent.alpha_pass *= part;
    return spent;
}

static const char pairs_fail_word[] = " (fail of pairs)", pairs_pass_word[] = " (pass of pairs)",
                  apart_fail_word[] = " (fail of other pairs)",
                  seen_word[] = " (fail of these ", /* pairs, or runs */
    against_word[] = " (fail against ",
                  without_turns_word[] = " (fail without turns)"; /* pairs outweigh it */

/* Fails that stand by themselves: not those that the policy made of what could not tell. */
static const char *const fail_words[] = {" (fail)", pairs_fail_word, apart_fail_word, seen_word,
                                         against_word};

/* Behind the verdict's name: a branch that stands further back may be called anything. */
static bool has_word(const char *earlier, const char *word)
{
    return strncmp(earlier + strcspn(earlier, " "), word, strlen(word)) == 0;
}

/* The first earlier verdict with that word; NULL: none. */
static const char *earlier_with(const struct gate_input *input, const char *word)
{
    for (size_t i = 0; i < input->earlier_verdicts.count; i++) {
        if (has_word(input->earlier_verdicts.items[i], word))
            return input->earlier_verdicts.items[i];
    }
    return NULL;
}

bool attempts_may_stand(const struct gate_input *input)
{
    bool failed = false;
    for (size_t i = 0; i < sizeof fail_words / sizeof fail_words[0]; i++)
        failed |= earlier_with(input, fail_words[i]) != NULL;
    return failed;
}

const char *attempts_outweighed(const struct gate_input *input)
{
    return earlier_with(input, without_turns_word);
}

/* Pairs that take part speak for themselves. */
const char *attempts_pairs(const struct gate_input *input, enum verdict_status *ret_status)
{
    const char *failed = earlier_with(input, input->paired ? apart_fail_word : pairs_fail_word);
    *ret_status = failed != NULL ? VERDICT_FAIL : VERDICT_PASS;
    return failed != NULL || input->paired ? failed : earlier_with(input, pairs_pass_word);
}

const char *attempts_seen(const struct gate_input *input)
{
    return earlier_with(input, seen_word);
}

const char *attempts_elsewhere(const struct gate_input *input, const char **ret_baseline)
{
    const char *failed = earlier_with(input, against_word);
    *ret_baseline = failed == NULL ? NULL : strchr(failed, '(') + strlen(against_word) - 1;
    return failed;
}

/* The names of those that failed: a later verdict does not hide them. */
void attempts_keep(struct gate_state *judgement)
{
    if (judgement->input->attempts > 0)
        judgement->verdict->candidate.attempts = some_i64(judgement->input->attempts);
    const struct string_list *earlier = &judgement->input->earlier_verdicts;
    struct string_list failed = {.items =
                                     arena_array(judgement->arena, const char *, earlier->count)};
    for (size_t i = 0; i < earlier->count; i++) {
        const char *verdict = earlier->items[i];
        bool has_failed = has_word(verdict, without_turns_word);
        for (size_t j = 0; j < sizeof fail_words / sizeof fail_words[0] && !has_failed; j++)
            has_failed = has_word(verdict, fail_words[j]);
        if (has_failed)
            failed.items[failed.count++] =
                arena_printf(judgement->arena, "%.*s", (int)strcspn(verdict, " "), verdict);
    }
    judgement->verdict->candidate.earlier_failed = failed;
}

void attempts_reason(struct gate_state *judgement)
{
    const struct gate_input *input = judgement->input;
    const struct verdict_side *side = &judgement->verdict->candidate;
    if (input->attempts < 2)
        return;
    enum { LIST_BYTES = 600 };
    scoped_text earlier;
    text_init(&earlier, LIST_BYTES);
    /* "v7 (fail), v9 (pass)": the last ones when there are many. */
    enum { SHOWN = 5 };
    size_t first =
        input->earlier_verdicts.count > SHOWN ? input->earlier_verdicts.count - SHOWN : 0;
    if (first > 0)
        text_addf(&earlier, "%zu other%s and ", first, first == 1 ? "" : "s");
    for (size_t i = first; i < input->earlier_verdicts.count; i++)
        text_addf(&earlier, "%s%s", i == first ? "" : ", ", input->earlier_verdicts.items[i]);
    const char *of_what = judgement->paired ? "pair" : "run";
    const char *named = text_keep_start(&earlier, judgement->arena);
    reason_add(judgement, "attempts_pooled",
               "Attempt %lld of this change, after %s: %lld %s%s of it count%s, those of earlier "
               "attempts that can be compared among them%s.",
               (long long)input->attempts, named, (long long)side->run_count, of_what,
               side->run_count == 1 ? "" : "s", side->run_count == 1 ? "s" : "",
               judgement->is_of_memory ? ""
                                       : ", and the limits are stricter than at the first attempt");
}
