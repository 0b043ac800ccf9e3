/* A gate's input built run by run, for tests of verdicts. Limits are far above what tests need. */
#ifndef TESTS_SUPPORT_GATE_FIXTURE_H
#define TESTS_SUPPORT_GATE_FIXTURE_H

#include "compare/gate/gate.h"
#include "tests/support/summary_fixture.h"

enum { SCENE_MAX_PROFILES = 64 };

struct scene_side {
    struct gate_profile profiles[SCENE_MAX_PROFILES];
    size_t count;
};

/* Everything that one judgement needs; the arena holds summaries and verdict. */
struct scene {
    struct arena arena;
    struct scene_side baseline, candidate, history;
    struct gate_policy policy;
    bool strict_provenance, paired;
    int next_id;
};

/* An empty scene with the default policy; scene_done frees it. */
void scene_init(struct scene *scene);
void scene_done(struct scene *scene);

/* Adds a profile, as a run of its own when run is NULL; ids count up from p1. */
void scene_add(struct scene *scene, struct scene_side *side, const struct summary_plan *plan,
               const char *run);

/* Adds count runs of the plan with step times step_us * (1 + changes[i]). */
void scene_add_runs(struct scene *scene, struct scene_side *side, const struct summary_plan *plan,
                    const double *changes, size_t count);

/* Adds history enough to pass by: six runs of the plan, alike to .1 %, without its trace. */
void scene_add_history(struct scene *scene, const struct summary_plan *plan);

/* Starts a scene of 11 baseline and 3 candidate runs with noisy steps and five ops; the candidate
 * is slower by `change`. The same seed gives the same scene. fingerprint: of the program, may be
 * NULL. */
void scene_fill_noisy(struct scene *scene, uint64_t seed, double change, const char *fingerprint);

/* Judges; ends the program, with the reason on stderr, when the gate cannot, or fails and
 * contradicts itself. The verdict lies in the arena. */
struct verdict input_judge(const struct gate_input *input, struct arena *arena);

/* The same of a scene. */
struct verdict scene_judge(struct scene *scene);

/* The text of the reason with this code, NULL when there is none. */
const char *verdict_reason_text(const struct verdict *verdict, const char *code);

/* The measure of that name; fails the test when there is none. */
const struct verdict_measure *verdict_measure_named(const struct verdict *verdict,
                                                    const char *name);

#endif
