/* Optimization candidates: fixed texts and the numbers that call for them
 * (profile_summary.v1 §14).
 */
#include "ingest/reference/reference.h"

#include <string.h>

enum { CANDIDATES_MOST = 6, EVIDENCE_MOST = 5 };

static const double communication_share_least = 0.15;
static const double stall_share_least = 0.20;
static const double hot_op_share_least = 0.08;
static const double gap_share_least = 0.05;
static const double long_gap_us = 1000;
static const double jitter_ratio_least = 1.4;
enum { JITTER_STEPS_LEAST = 4 };

struct writer {
    struct arena *arena;
    struct optimization_candidate *rows;
    size_t count;
};

/* A formatted text in the arena. */
#define PRINT(writer, ...) arena_printf((writer)->arena, __VA_ARGS__)

static const char *percent(struct writer *writer, double share)
{
    return PRINT(writer, "%.1f%%", share * 100);
}

struct texts {
    const char *id, *title, *rationale;
    const char *evidence[EVIDENCE_MOST], *suggestions[3];
};

/* Copies texts up to the first NULL. */
static struct string_list list_of(struct arena *arena, const char *const *texts, size_t most)
{
    size_t count = 0;
    while (count < most && texts[count] != NULL)
        count++;
    const char **items = arena_array(arena, const char *, count);
    memcpy(items, texts, count * sizeof *items);
    return (struct string_list){items, count};
}

static void candidate_add(struct writer *writer, const struct texts *texts)
{
    writer->rows[writer->count++] =
        (struct optimization_candidate){texts->id, texts->title, texts->rationale,
                                        list_of(writer->arena, texts->evidence, EVIDENCE_MOST),
                                        list_of(writer->arena, texts->suggestions, 3)};
}

static void communication_consider(struct writer *writer, const struct summary *summary)
{
    double share = summary->time_breakdown.part[PART_COMMUNICATION].share_of_total;
    if (share < communication_share_least)
        return;
    const char *top = summary->communication_op_count > 0 ? summary->communication_ops[0].collective
                                                          : "collectives";
    const char *shown = percent(writer, share);
    candidate_add(
        writer,
        &(struct texts){
            "communication-heavy",
            "Communication appears dominant",
            PRINT(writer, "Communication accounts for %s of exclusive profiled duration.", shown),
            {PRINT(writer, "Communication share: %s", shown),
             PRINT(writer, "Top collective: %s", top)},
            {"Evaluate sharding/layout choices to reduce collective volume.",
             "Try overlapping collectives with compute where possible.",
             "Inspect all-reduce/all-gather callsites for avoidable synchronization."}});
}

static void stall_consider(struct writer *writer, const struct summary *summary)
{
    double share = summary->time_breakdown.part[PART_STALL].share_of_total;
    if (share < stall_share_least)
        return;
    const char *shown = percent(writer, share);
    candidate_add(
        writer, &(struct texts){
                    "stall-heavy",
                    "Stall/wait time is significant",
                    PRINT(writer, "Stall-like events account for %s of profiled duration.", shown),
                    {PRINT(writer, "Stall share: %s", shown)},
                    {"Investigate dependency waits and synchronization barriers.",
                     "Check host input pipeline and device dispatch overlap.",
                     "Reduce unnecessary host-side blocking calls around step execution."}});
}

static void hot_op_consider(struct writer *writer, const struct summary *summary, double total)
{
    const struct hot_op *top = summary->hot_ops;
    if (summary->hot_op_count == 0 || top->exclusive_duration / total < hot_op_share_least)
        return;
    const char *shown = percent(writer, top->exclusive_duration / total);
    candidate_add(writer,
                  &(struct texts){
                      "single-hot-op",
                      "Single op has outsized exclusive time",
                      PRINT(writer, "Top op '%s' contributes %s of profiled exclusive duration.",
                            top->name, shown),
                      {PRINT(writer, "Top op: %s", top->name),
                       PRINT(writer, "Top op exclusive duration: %.3f", top->exclusive_duration),
                       PRINT(writer, "Top op share: %s", shown)},
                      {"Inspect kernel implementation and tiling/fusion opportunities for this op.",
                       "Try alternative algorithmic variants or precision/layout adjustments.",
                       "Run a focused microbenchmark on this op before/after tuning changes."}});
}

static void gap_consider(struct writer *writer, const struct summary *summary, double total)
{
    const struct gap_before_op *top = summary->gap_before_ops;
    if (summary->gap_before_op_count == 0 || !(top->total_gap_duration > 0) ||
        (top->total_gap_duration / total < gap_share_least && top->max_gap_duration < long_gap_us))
        return;
    candidate_add(
        writer,
        &(struct texts){
            "pre-op-gap",
            "Large idle gaps appear before specific ops",
            PRINT(writer,
                  "Op '%s' accumulates significant pre-op idle gap (%s of total profiled exclusive "
                  "duration).",
                  top->payload_op, percent(writer, top->total_gap_duration / total)),
            {PRINT(writer, "Payload op with largest pre-gap: %s", top->payload_op),
             PRINT(writer, "Observed first op after gap (marker): %s", top->marker_op),
             PRINT(writer, "Total pre-gap: %.3f", top->total_gap_duration),
             PRINT(writer, "Max pre-gap: %.3f", top->max_gap_duration),
             PRINT(writer, "Occurrences: %lld", (long long)top->count)},
            {"Inspect upstream dependencies immediately before this op.",
             "Look for host dispatch or synchronization barriers causing the gap.",
             "Use hierarchical region totals to localize where the waiting accumulates."}});
}

static void jitter_consider(struct writer *writer, const struct summary *summary)
{
    const struct duration_stats *steady = &summary->step_time.steady_state_steps;
    double median = steady->median.value, p90 = steady->p90.value;
    if (steady->count < JITTER_STEPS_LEAST || !(median > 0) || p90 / median < jitter_ratio_least)
        return;
    candidate_add(
        writer,
        &(struct texts){
            "step-jitter",
            "Steady-state step time has high jitter",
            PRINT(writer,
                  "Steady-state p90/median ratio is %.2f, indicating intermittent slow steps.",
                  p90 / median),
            {PRINT(writer, "Steady median: %.3f", median), PRINT(writer, "Steady p90: %.3f", p90),
             PRINT(writer, "p90/median: %.2f", p90 / median)},
            {"Correlate slow steps with collective spikes and host wait events.",
             "Check for periodic checkpoint/eval/input stalls during profiled range.",
             "Compare traces before/after disabling optional callbacks or host work."}});
}

static void nothing_found(struct writer *writer, const struct summary *summary)
{
    static const struct {
        const char *label;
        enum breakdown_part part;
    } shares[] = {{"Compute", PART_COMPUTE},
                  {"Communication", PART_COMMUNICATION},
                  {"Host", PART_HOST},
                  {"Stall", PART_STALL}};
    struct texts texts = {"no-dominant-bottleneck",
                          "No single dominant bottleneck found",
                          "Compute, communication, host, and stall shares are relatively balanced.",
                          {NULL},
                          {"Prioritize low-risk wins on top 3 hot ops and re-profile.",
                           "Use before/after summary comparison to confirm throughput impact."}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        double share = summary->time_breakdown.part[shares[i].part].share_of_total;
        texts.evidence[i] = PRINT(writer, "%s: %s", shares[i].label, percent(writer, share));
    }
    candidate_add(writer, &texts);
}

void candidates_build(struct arena *arena, struct summary *summary)
{
    struct writer writer = {
        .arena = arena, .rows = arena_array(arena, struct optimization_candidate, CANDIDATES_MOST)};
    double total = summary->time_breakdown.total_duration;
    total = total != 0 ? total : 1;
    communication_consider(&writer, summary);
    stall_consider(&writer, summary);
    hot_op_consider(&writer, summary, total);
    gap_consider(&writer, summary, total);
    jitter_consider(&writer, summary);
    if (writer.count == 0)
        nothing_found(&writer, summary);
    summary->optimization_candidates = writer.rows;
    summary->optimization_candidate_count = writer.count;
}
