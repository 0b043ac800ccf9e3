/* Candidates of a topic branch in tests, judged against main's runs of a plan (year_fixture.h). */
#ifndef TESTS_SUPPORT_TOPIC_FIXTURE_H
#define TESTS_SUPPORT_TOPIC_FIXTURE_H

#include "ops/flow/judge/judge.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/year_fixture.h"

/* Appends the plan's runs as those of branch topic and judges them, together, by the last `last`
 * runs of main at most. *newest_id: of the profile that was recorded last, before and behind them.
 * Fails where they are not judged. */
struct gate_outcome topic_judge(struct scene *scene, const struct conf *conf,
                                const struct year_plan *plan, int64_t last, int64_t *newest_id);

/* The verdict made again is what was recorded, to the byte. */
bool topic_is_same_again(struct scene *scene, const struct conf *conf, int64_t verdict);

#endif
