/* The reasons that a verdict may give: stable codes, which machines may act on, and what each
 * means.
 *
 * The list is closed: a verdict with another code is a mistake of ours. A code, once given, keeps
 * its meaning; a new reason is one line here.
 */
#ifndef SCHEMA_DOCUMENTS_VERDICT_REASONS_H
#define SCHEMA_DOCUMENTS_VERDICT_REASONS_H

#include <stdbool.h>

/* X(code, what it says), by what it is about. */
#define VERDICT_REASONS(X) \
    X(step_median_regressed, "the step time is longer, surely and by what matters, or its limit") \
    X(step_median_suspected, "the step time is probably longer; too little or unsure to fail") \
    X(step_median_improved, "the step time is shorter, surely and by what matters") \
    X(step_median_equivalent, "the step time is not longer by what matters: shown, not assumed") \
    X(step_median_uncertain, "too few or too noisy runs to tell; says how many more would") \
    X(step_median_within_limit, "of older rules: within the fixed limit, where runs were few") \
    X(few_runs, "too few past runs to know the noise: nothing passes") \
    X(spread_assumed, "one run: its spread is assumed, from past runs and its own steps") \
    X(candidate_noisier, \
      "the candidate's runs, or its steps, differ more than past ones; allowed for") \
    X(candidate_mixed, "some of the candidate's runs are much slower than its others; names them") \
    X(baseline_outlier, "a past run that is far from its neighbours is set aside") \
    X(baseline_newest_moved, "the newest past runs stand apart: an accident or a new level") \
    X(baseline_level_changed, "past runs before a change of level are no baseline") \
    X(baseline_drifts, "the past drifts: the candidate is compared with where it would be") \
    X(baseline_drift_apart, "past runs beyond where a drift began or ended are no baseline") \
    X(runs_correlated, "runs resemble those before them: counted for less") \
    X(hosts_matter, "runs of the same hosts resemble each other: counted for less") \
    X(attempts_pooled, \
      "the change was judged before: all its runs count, the limits are stricter") \
    X(step_period_regressed, "steps follow each other later: input, host or dispatch wait") \
    X(step_period_suspected, "the same, probably, or as far as the policy lets it") \
    X(step_period_uncertain, \
      "the job waits between steps for times too unsure to rule out a loss: no pass") \
    X(step_hidden_by_waits, "a longer step takes the place of waits: steps follow no later") \
    X(steps_slow, "some steps are slow: the mean grew by what matters, the median by less") \
    X(steps_mean_uncertain, \
      "the mean of all steps grew by what matters, too unsure to tell: no pass") \
    X(warmup_unlike_past, "first steps are left out as warm-up that past captures do not have") \
    X(waits_unseen, "captures of one step do not hold what lies between steps: not judged") \
    X(times_implausible, "times differ a thousandfold: other work or another unit, not judged") \
    X(step_may_be_cut, "captures of one or two steps with fewer ops: perhaps cut off, not judged") \
    X(steps_may_be_several, "numbers further apart and more ops: steps lack marks, not judged") \
    X(work_in_no_step, \
      "much of what devices did belongs to no annotated step: more on one side, or most") \
    X(steps_regressed_throughout, \
      "the steps differ too much for a median, and even the faster ones are slower") \
    X(no_steps, "a side has no steady steps to judge") \
    X(memory_judged, "the candidate is device memory profiles alone: device_memory decides") \
    X(memory_unknown, "the same, and the baseline or the policy says nothing of device memory") \
    X(memory_alone, "a device memory profile tells no times: not compared with those that do") \
    X(figure_sources_differ, "a figure of a step is made of different things: not compared") \
    X(rerun_needed, "no profile of a side is fit to be judged; says whether a run would help") \
    X(same_program, "equal HLO fingerprints: device time is environment and fails nothing") \
    X(device_not_slower, "the step is longer, and hardly because devices are busy longer") \
    X(devices_differ, "half of the devices or fewer are slower: not what the change does to all") \
    X(same_trace, "the same bytes stand on both sides") \
    X(known_trace, "the candidate's bytes are in the ledger under another name") \
    X(candidate_profiles_differ, "the candidate's profiles are not of one kind") \
    X(device_throttled, "a profile was taken on a throttled device: not compared") \
    X(steps_too_few, "a profile has fewer steady steps than min_steps: not compared") \
    X(devices_cut_off, "a truncated profile lacks the steps of some devices: not compared") \
    X(steps_drift, "its steps become longer or shorter as it goes on: not compared") \
    X(steps_correlated, "its steps follow each other too closely: not compared") \
    X(steps_bimodal, "its steps are of two kinds, unlike the others': not compared") \
    X(hosts_missing, "hosts of the job left no file here: the slowest may be one of them") \
    X(profile_truncated, "a profile does not hold the whole capture") \
    X(profile_unproven, "the checksum of a profile's file is wrong or missing") \
    X(warmup_only, "a profile holds warm-up steps alone") \
    X(recompiled, "the host compiles in steps after the first ones: the program changes") \
    X(command_buffers_off, "a profile was taken with a setting that slows the run") \
    X(op_regressed, "an op takes longer (several runs; false discoveries are bounded)") \
    X(op_suspected, "an op takes longer, by one run or without a past") \
    X(op_outweighs, "an op alone takes longer by what matters; the step does not show it") \
    X(watched_op_regressed, "an op that [watch ...] names takes longer than that allows") \
    X(required_data_missing, "a measure that the policy requires is not known") \
    X(measure_not_judged, \
      "a measure that the policy limits by itself is not known: decides nothing") \
    X(measure_partly_told, "a measure that the policy limits or requires: some runs lack it") \
    X(inconclusive_by_policy, "what on_inconclusive made of the verdict") \
    X(warned_beside, "step time cannot be told, and something that is sure by itself warns") \
    X(pairs_contradict, "slower, but runs of the change in turns with a baseline passed: warns") \
    X(failed_without_turns, \
      "runs of the change that took no turns failed: these pairs outweigh it") \
    X(earlier_fail_stands, "the change failed before, and all its runs do not refute it") \
    X(same_commit, "both sides are of one commit: nothing is compared") \
    X(same_commit_past, "the past has no other commit than the candidate's: machine, not code") \
    X(runs_left_out, "runs of the change take no part in pairs, and nobody judged them: no pass") \
    X(confirmation_needed, "a fail waits for runs on more hosts (confirm_hosts)") \
    X(confirmation_contradicted, "runs on another host do not agree")

/* How a sentence ends that asks for no more runs, because none of a number that may be asked for
 * would tell: what is offered beside it must not ask for them. */
#define VERDICT_RUNS_TELL_NOTHING "more runs like these would not show it, runs in turns may"
#define VERDICT_PAIRS_TELL_NOTHING "more pairs like these would not show it"

/* How the sentence of earlier_fail_stands begins on a fail against another baseline, and what
 * introduces in it what would lift the fail, where that is not more runs like these. */
#define VERDICT_FAILED_AGAINST "Against "
#define VERDICT_LIFTED_BY "What lifts it: "

/* What stands in any of them before the sentence that the first fail failed by, at its end. */
#define VERDICT_FAILED_BY " What it failed by: "

/* Is it one of these, `<measure>_increased`, `<measure>_decreased` (beyond the limit of the
 * policy), `<fact>_differs` or `<fact>_unknown` (provenance)? */
bool verdict_reason_is_known(const char *code);

#endif
