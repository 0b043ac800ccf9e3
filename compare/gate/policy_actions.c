/* Implements the actions of the policy.
 *
 * Confirmation (compare/README.md): most false alarms are one host's. A fail stands only when
 * the candidate ran on as many hosts as the policy asks for, and each of so many is slower by
 * itself by at least half of what matters; else it is inconclusive, and the reason says what to
 * run.
 */
#include "compare/gate/policy_actions.h"

#include <math.h>
#include <string.h>

#include "compare/gate/attempts.h"
#include "compare/runs/runs.h"
#include "ops/runtime/text.h"
#include "schema/documents/figures.h"
#include "schema/documents/verdict_reasons.h"

static const char rule[] = "policy_actions";

static const enum verdict_status statuses[OUTCOME_COUNT] = {
    [OUTCOME_PASS] = VERDICT_PASS,
    [OUTCOME_WARN] = VERDICT_WARN,
    [OUTCOME_INCONCLUSIVE] = VERDICT_INCONCLUSIVE,
    [OUTCOME_FAIL] = VERDICT_FAIL,
};

/* ---- measures that are not told -------------------------------------------------------------- */

/* A missing figure never makes a verdict milder than it is. */
static bool is_worse(enum verdict_status status, enum verdict_status than)
{
    static const int rank[VERDICT_STATUS_COUNT] = {
        [VERDICT_PASS] = 0, [VERDICT_WARN] = 1,         [VERDICT_INCONCLUSIVE] = 2,
        [VERDICT_FAIL] = 3, [VERDICT_INCOMPARABLE] = 4,
    };
    return rank[status] > rank[than];
}

/* Of how many runs of a side the measure is known. */
static size_t runs_telling(const struct gate_runs *runs, enum measure measure)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++)
        count += runs->items[i].measures[measure].set;
    return count;
}

/* Why there is no change of a measure: which side does not tell it, or that both tell what cannot
 * be compared. */
static const char *untold_words(struct gate_state *judgement, enum measure measure)
{
    bool before = runs_telling(&judgement->baseline, measure) > 0;
    bool after = runs_telling(&judgement->candidate, measure) > 0;
    if (before && after)
        return "what the two sides tell of it cannot be compared";
    /* Why the newest run of the side that has such words lacks the measure; NULL: nothing says it.
     */
    const struct gate_runs *runs = after ? &judgement->recent : &judgement->candidate;
    const char *why = NULL;
    for (size_t i = runs->count; i > 0 && why == NULL; i--)
        why = figure_absent(runs->items[i - 1].profiles[0]->summary, measure);
    return arena_printf(judgement->arena, "%s tell it%s%s%s",
                        before  ? "the candidate's runs do not"
                        : after ? "the baseline's runs do not"
                                : "the runs of neither side",
                        why != NULL ? " (" : "", why != NULL ? why : "", why != NULL ? ")" : "");
}

/* Some runs of a side tell the measure: it is judged by these, and that is said. */
static void partly_told_say(struct gate_state *judgement, enum measure measure)
{
    const struct gate_runs *sides[] = {&judgement->baseline, &judgement->candidate};
    static const char *const names[] = {"baseline", "candidate"};
    for (size_t i = 0; i < 2; i++) {
        size_t told = runs_telling(sides[i], measure);
        if (told < sides[i]->count)
            reason_add(judgement, "measure_partly_told",
                       "%s is judged by %zu of the %s's %zu runs alone: the other%s not tell it.",
                       measure_rows[measure].name, told, names[i], sides[i]->count,
                       sides[i]->count - told == 1 ? " does" : "s do");
    }
}

/* A limit that a policy sets by itself is one that somebody counts on: where it could not be held
 * against anything that is said, even of a verdict that passes. Of limits that stand in every
 * policy nobody expects it: most captures lack some measure. */
static void untold_judge(struct gate_state *judgement)
{
    const struct verdict *verdict = judgement->verdict;
    enum policy_outcome outcome = judgement->policy->on_missing;
    for (size_t i = 0; i < verdict->measure_count; i++) {
        enum measure measure = (enum measure)(MEASURE_FIRST + i);
        const struct verdict_measure *row = &verdict->measures[i];
        const struct measure_rule *limits = &judgement->policy->measures[measure];
        bool is_own = gate_policy_limits_itself(judgement->policy, measure);
        if (row->delta.set && (limits->required || is_own))
            partly_told_say(judgement, measure);
        if (row->delta.set || (!limits->required && (!is_own || judgement->is_of_memory)))
            continue;
        if (!limits->required) {
            reason_add(judgement, "measure_not_judged",
                       "%s is not judged, though the policy says action = %s: %s. `required = yes` "
                       "makes this %s.",
                       row->name, measure_action_name(limits->action),
                       untold_words(judgement, measure),
                       outcome == OUTCOME_KEEP || outcome == OUTCOME_PASS
                           ? "inconclusive where `on_missing` does"
                           : policy_outcome_name(outcome));
            continue;
        }
        reason_add(judgement, "required_data_missing", "The policy requires %s: %s.", row->name,
                   untold_words(judgement, measure));
        if (outcome != OUTCOME_KEEP && is_worse(statuses[outcome], verdict->status))
            status_decide(judgement, statuses[outcome], rule);
    }
}

/* What nobody can tell is worse than a warning, and does not swallow one: it stands beside, and
 * where the policy lets pass what cannot be told it is what is left. */
static void inconclusive_judge(struct gate_state *judgement)
{
    enum policy_outcome outcome = judgement->policy->on_inconclusive;
    const char *warning = judgement->warning;
    if (judgement->verdict->status != VERDICT_INCONCLUSIVE)
        return;
    if (outcome == OUTCOME_KEEP || outcome == OUTCOME_INCONCLUSIVE) {
        if (warning != NULL)
            reason_add(judgement, "warned_beside", "Sure by itself, and a warning: %s", warning);
        return;
    }
    if (outcome == OUTCOME_PASS && warning != NULL) {
        reason_add(judgement, "warned_beside",
                   "A warning, though the policy lets pass what could not be decided: %s", warning);
        status_decide(judgement, VERDICT_WARN, rule);
        return;
    }
    reason_add(judgement, "inconclusive_by_policy",
               "Nothing could be decided, and the policy makes this a %s.",
               policy_outcome_name(outcome));
    status_decide(judgement, statuses[outcome], rule);
}

/* ---- confirmation ---------------------------------------------------------------------------- */

static double log_mean(const struct gate_runs *runs, const struct gate_run *like)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct opt_f64 step = runs->items[i].measures[MEASURE_step_median];
        if ((like != NULL && !run_hosts_equal(like, &runs->items[i])) || !step.set ||
            step.value <= 0)
            continue;
        sum += log(step.value);
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

struct host_count {
    double all, agreeing;
};

static void confirmation_judge(struct gate_state *judgement)
{
    double wanted = judgement->policy->confirm_hosts;
    if (judgement->verdict->status != VERDICT_FAIL || wanted <= 1)
        return;
    /* Runs on one host or set of hosts count once. */
    const struct gate_runs *runs = &judgement->candidate;
    double before = log_mean(&judgement->baseline, NULL);
    double enough = log1p(judgement->policy->min_effect_pct / 100) / 2;
    struct host_count hosts = {0};
    for (size_t i = 0; i < runs->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = run_hosts_equal(&runs->items[i], &runs->items[j]);
        if (seen)
            continue;
        hosts.all++;
        /* What did not fail by step time is not a matter of step time. */
        hosts.agreeing += judgement->step_status != VERDICT_FAIL ||
                          log_mean(runs, &runs->items[i]) - before >= enough;
    }
    if (hosts.agreeing >= wanted)
        return;
    if (hosts.all < wanted)
        reason_add(judgement, "confirmation_needed",
                   "The candidate would fail, but ran on %.0f host%s and the policy asks for %.0f "
                   "that agree: run it again on another host and judge both together.",
                   hosts.all, hosts.all == 1 ? "" : "s", wanted);
    else
        reason_add(judgement, "confirmation_contradicted",
                   "The candidate would fail, but only on %.0f of %.0f hosts it is slower by "
                   "itself; the policy asks for %.0f.",
                   hosts.agreeing, hosts.all, wanted);
    status_decide(judgement, VERDICT_INCONCLUSIVE, rule);
}

/* ---- earlier attempts ------------------------------------------------------------------------ */

/* What is in use says nothing of times, nor the other way round: what failed by one is not refuted
 * by the other. */
static bool is_told_of(const struct gate_state *judgement)
{
    static const char memory[] = "device_memory ";
    const char *by = judgement->input->first_failed_reason;
    const struct verdict *verdict = judgement->verdict;
    if (by == NULL || strncmp(by, memory, sizeof memory - 1) != 0)
        return !judgement->is_of_memory;
    const size_t row = MEASURE_device_memory - MEASURE_FIRST;
    return row < verdict->measure_count && strcmp(verdict->measures[row].status, "ok") == 0;
}

/* All runs of the change pass, or leave a loss that matters outside of what is likely, and some of
 * them are new: what was judged already refutes no verdict on it, however it is picked or paired. A
 * pass that the policy made of a verdict that could not tell shows nothing. */
static bool earlier_is_refuted(const struct gate_state *judgement)
{
    const struct verdict *verdict = judgement->verdict;
    struct opt_f64 high = verdict->statistics.ci_high_pct;
    enum verdict_status of_pairs;
    const char *baseline;
    if (judgement->input->left_out.count > 0 || !is_told_of(judgement) ||
        attempts_elsewhere(judgement->input, &baseline) != NULL)
        return false;
    if (attempts_pairs(judgement->input, &of_pairs) != NULL)
        return of_pairs == VERDICT_PASS;
    if (attempts_seen(judgement->input) != NULL)
        return false;
    if (judgement->mean_status == VERDICT_FAIL || judgement->mean_status == VERDICT_WARN)
        return false;
    if (verdict->status == VERDICT_PASS && verdict->rule_id != rule)
        return true;
    return verdict->status == VERDICT_INCONCLUSIVE && high.set &&
           high.value < judgement->policy->min_effect_pct;
}

/* Runs in turns have what machine and hour do to both sides in common: what they show is stronger
 * than what runs of another hour do. */
static void pairs_judge(struct gate_state *judgement)
{
    enum verdict_status of_pairs;
    const char *pairs = attempts_pairs(judgement->input, &of_pairs);
    if (pairs == NULL || of_pairs != VERDICT_PASS || judgement->verdict->status != VERDICT_FAIL ||
        strcmp(judgement->verdict->rule_id, "run_statistics") != 0)
        return;
    reason_add(judgement, "pairs_contradict",
               "%.*s passed, of runs of this change that took turns with a baseline: that is "
               "stronger than these runs, which ran at other times or on other machines, and these "
               "do not fail it.",
               (int)strcspn(pairs, " "), pairs);
    status_decide(judgement, VERDICT_WARN, rule);
}

/* "v7" of "v7 (fail of pairs)" */
static const char *name_of(struct gate_state *judgement, const char *earlier)
{
    return arena_printf(judgement->arena, "%.*s", (int)strcspn(earlier, " "), earlier);
}

/* What it failed by, where that is known, to stand behind VERDICT_FAILED_BY; NULL: it is not.
 */
static const char *failed_by(const struct gate_input *input, const char *failed)
{
    bool is_known = input->first_failed != NULL && strcmp(input->first_failed, failed) == 0;
    return is_known ? input->first_failed_reason : NULL;
}

/* sentence: why it stands, and until when. */
static void stands_say(struct gate_state *judgement, const char *failed, const char *sentence)
{
    const char *by = failed_by(judgement->input, failed);
    reason_add(judgement, "earlier_fail_stands",
               "%s failed, %s, or a person takes it with its cost (`stepledger accept`).%s%s",
               failed, sentence, by != NULL ? VERDICT_FAILED_BY : "", by != NULL ? by : "");
}

/* What new evidence against that baseline is. baseline: "branch main)" */
static const char *lifted_by(const char *baseline)
{
    static const struct {
        const char *kind, *by;
    } ways[] = {
        {"branch ", "all its runs against that branch (`gate --baseline-branch` with it), or runs "
                    "in turns with a commit of it (`interleave --baseline-commit` with that)"},
        {"commit ", "all its runs against that commit (`gate --merge-base` with it), or runs in "
                    "turns with it (`interleave --baseline-commit` with it)"},
        {"", "all its runs against the same profiles (`stepledger show` of that verdict names "
             "them)"},
    };
    size_t i = 0;
    while (strncmp(baseline, ways[i].kind, strlen(ways[i].kind)) != 0)
        i++;
    return ways[i].by;
}

/* baseline: "branch main)". Of a partner that nobody named nobody knows whether it is of it. */
static void elsewhere_say(struct gate_state *judgement, const char *failed, const char *baseline)
{
    const struct gate_input *input = judgement->input;
    const char *by = failed_by(input, failed);
    bool is_unnamed = input->paired && input->against.count == 0;
    reason_add(judgement, "earlier_fail_stands",
               VERDICT_FAILED_AGAINST
               "%.*s it failed (%s); another baseline does not lift that. " VERDICT_LIFTED_BY
               "%s, or a person who takes it with its cost (`stepledger accept`).%s%s%s",
               (int)strlen(baseline) - 1, baseline, failed, lifted_by(baseline),
               is_unnamed ? " These pairs do once it is known which code their baseline ran "
                            "(`stepledger amend` of those runs, with --branch and --commit) and "
                            "they are judged again."
                          : "",
               by != NULL ? VERDICT_FAILED_BY : "", by != NULL ? by : "");
}

/* Who measures until it fits finds what he looks for: a change that has failed stays failed until
 * the same rule shows of all its runs that it does not cost what matters. */
static void earlier_judge(struct gate_state *judgement)
{
    const struct gate_input *input = judgement->input;
    const struct verdict *verdict = judgement->verdict;
    const struct string_list *failed = &verdict->candidate.earlier_failed;
    enum policy_outcome outcome = judgement->policy->on_earlier_fail;
    if (!attempts_may_stand(input) || outcome == OUTCOME_KEEP || earlier_is_refuted(judgement) ||
        !is_worse(statuses[outcome], verdict->status))
        return;
    enum verdict_status of_pairs;
    const char *pairs = attempts_pairs(input, &of_pairs), *seen = attempts_seen(input);
    const char *first = input->first_failed != NULL ? input->first_failed : failed->items[0];
    const char *baseline, *elsewhere = attempts_elsewhere(input, &baseline);
    if (elsewhere != NULL)
        elsewhere_say(judgement, name_of(judgement, elsewhere), baseline);
    else if (pairs != NULL && input->paired)
        stands_say(judgement, name_of(judgement, pairs),
                   "of pairs of this change that cannot be judged together with these: they share "
                   "a run with others, or their baseline is another commit, or none that is "
                   "known. " VERDICT_LIFTED_BY
                   "more pairs with the baseline that those had (`interleave --baseline-commit` "
                   "with it), or one `gate --paired` that names all of them, once it is known "
                   "which code those ran against (`stepledger amend`)");
    else if (pairs != NULL)
        stands_say(judgement, name_of(judgement, pairs),
                   "of runs of this change that took turns with a baseline: runs that did not do "
                   "not refute it. " VERDICT_LIFTED_BY "more pairs with the baseline that those "
                   "had, when all of them together pass (`interleave --baseline-commit` with it)");
    else if (seen != NULL)
        stands_say(judgement, name_of(judgement, seen),
                   judgement->paired
                       ? "of these very pairs or more: judged again they refute nothing, whichever "
                         "are picked. That stands until all pairs together, and some that it had "
                         "not seen among them, rule out a loss that matters"
                       : "of these very runs or more: judged again they refute nothing, whichever "
                         "are picked. That stands until all runs together, and some that it had "
                         "not seen among them, rule out a loss that matters");
    else
        stands_say(judgement, first,
                   judgement->paired
                       ? "and all pairs of the change together do not rule out a loss that "
                         "matters: that stands until they do"
                       : "and all runs of the change together do not rule out a loss that "
                         "matters: that stands until they do");
    status_decide(judgement, statuses[outcome], rule);
}

/* ---- runs that were left out ----------------------------------------------------------------- */

/* Some pairs of eight pass by chance, or by choice. */
static void left_out_judge(struct gate_state *judgement)
{
    enum { NAMED = 5 };
    const struct string_list *left = &judgement->input->left_out;
    size_t named = left->count < NAMED ? left->count : NAMED;
    if (left->count == 0)
        return;
    scoped_text names;
    text_init(&names, 1 << 10);
    for (size_t i = 0; i < named; i++)
        text_addf(&names, "%s%.20s", i == 0 ? "" : ", ", left->items[i]);
    if (left->count > named)
        text_addf(&names, " and %zu more", left->count - named);
    bool is_one = left->count == 1;
    reason_add(judgement, "runs_left_out",
               "%s of this change %s no part here, and no verdict has judged %s: nothing passes by "
               "pairs that were chosen. Name %s too, beside %s of the baseline, or judge %s "
               "without --paired.",
               text_shown(&names), is_one ? "takes" : "take", is_one ? "it" : "them",
               is_one ? "it" : "them", is_one ? "its run" : "their runs", is_one ? "it" : "them");
    if (judgement->verdict->status == VERDICT_PASS)
        status_decide(judgement, VERDICT_INCONCLUSIVE, rule);
}

void policy_actions_apply(struct gate_state *judgement)
{
    left_out_judge(judgement);
    untold_judge(judgement);
    inconclusive_judge(judgement);
    confirmation_judge(judgement);
    pairs_judge(judgement);
    earlier_judge(judgement);
    /* The other way round, runs of another hour that failed are outweighed by these pairs; a later
     * green does not hide them. */
    const char *failed = attempts_outweighed(judgement->input);
    if (failed == NULL || judgement->verdict->status == VERDICT_FAIL)
        return;
    int name = (int)strcspn(failed, " ");
    reason_add(judgement, "failed_without_turns",
               "%.*s failed, of runs of this change that took no turns with the baseline: these "
               "pairs are stronger than that, and it does not stand against them; what it failed "
               "by may be the machine or the hour (`stepledger show %.*s`).",
               name, failed, name, failed);
}
