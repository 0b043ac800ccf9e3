/* Tests of what a verdict advises: whoever follows one sentence must find no other one beside it
 * that says the opposite, or another number.
 *
 * Phrases of advice are looked for in all that a verdict says, wherever it comes from; a phrase
 * that is not in the table is not seen, so each kind of inconclusive verdict has to show one.
 */
#include "schema/documents/verdict_next.h"
#include "schema/documents/verdict_reasons.h"
#include "schema/documents/verdict_words.h"

#include "tests/support/gate_fixture.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAID_BYTES = 16384 };

/* What a phrase asks for, as bits. */
enum {
    AGAIN = 1,          /* the same once more */
    NOT_AGAIN = 2,      /* that would tell nothing */
    MORE_PAIRS = 4,     /* or of each side */
    NOT_PAIRS = 8,      /* they would tell nothing */
    MORE_PAST = 16,     /* baseline runs */
    ONE_MACHINE = 32,   /* both sides in turns */
    OTHER_MACHINE = 64, /* another host */
    NUMBERED = 128,     /* "5 more runs" */
    MORE_RUNS = 256,    /* of the candidate */
    NOT_RUNS = 512,
};

static const struct {
    const char *phrase;
    unsigned asks;
} phrases[] = {
    {"a repeat would tell", AGAIN},
    {"run it again", AGAIN},
    {"a second would tell", AGAIN},
    {"another would too", NOT_AGAIN | NOT_RUNS},
    {"More pairs, judged together", MORE_PAIRS},
    {"more pairs are needed", MORE_PAIRS | NUMBERED},
    {"more pair is needed", MORE_PAIRS | NUMBERED},
    {"of each side would show", MORE_PAIRS | NUMBERED},
    {VERDICT_PAIRS_TELL_NOTHING, NOT_PAIRS | NOT_AGAIN},
    {VERDICT_RUNS_TELL_NOTHING, NOT_RUNS | NOT_AGAIN | ONE_MACHINE},
    {"of the candidate would show", MORE_RUNS | NUMBERED},
    {"of the candidate, or num_steps", MORE_RUNS | NUMBERED},
    {"of each side, or num_steps", MORE_PAIRS | NUMBERED},
    {"more pairs would show", MORE_PAIRS | NUMBERED},
    {"more pair would show", MORE_PAIRS | NUMBERED},
    {"more pairs, or num_steps", MORE_PAIRS | NUMBERED},
    {"more pair, or num_steps", MORE_PAIRS | NUMBERED},
    {"; num_steps >=", MORE_RUNS},
    {"more past runs are needed", MORE_PAST | NUMBERED},
    {"more past run is needed", MORE_PAST | NUMBERED},
    {"run the baseline branch again", MORE_PAST},
    {"on one machine", ONE_MACHINE},
    {"on another host", OTHER_MACHINE},
    {"profile again", AGAIN},
};

static const unsigned contradictions[][2] = {
    {AGAIN, NOT_AGAIN},           {MORE_PAIRS, NOT_PAIRS}, {MORE_RUNS, NOT_RUNS},
    {ONE_MACHINE, OTHER_MACHINE}, {MORE_PAIRS, MORE_PAST},
};

static unsigned asked(const char *said)
{
    unsigned asks = 0;
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (strstr(said, phrases[i].phrase) != NULL)
            asks |= phrases[i].asks;
    }
    return asks;
}

/* Two numbers of runs, pairs or past runs that are asked for and differ. */
static bool numbers_differ(const char *said)
{
    static const char *const things[] = {"run", "pair", "past run", "round"};
    long first = -1;
    for (const char *p = strstr(said, " more "); p != NULL; p = strstr(p + 1, " more ")) {
        const char *digits = p;
        bool of_runs = false;
        while (digits > said && isdigit((unsigned char)digits[-1]))
            digits--;
        for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
            of_runs |= strncmp(p + 6, things[i], strlen(things[i])) == 0;
        if (digits == p || !of_runs)
            continue;
        long number = strtol(digits, NULL, 10);
        if (first >= 0 && number != first)
            return true;
        first = number;
    }
    return false;
}

/* NULL: no two pieces of advice contradict each other. */
static const char *contradiction_of(const char *said)
{
    unsigned asks = asked(said);
    for (size_t i = 0; i < sizeof contradictions / sizeof contradictions[0]; i++) {
        if ((asks & contradictions[i][0]) != 0 && (asks & contradictions[i][1]) != 0)
            return "two pieces of advice contradict each other";
    }
    return numbers_differ(said) ? "two numbers of runs are asked for" : NULL;
}

/* All that a verdict says to people. */
static void said_fill(const struct verdict *verdict, struct arena *arena, char *said)
{
    struct verdict_next next;
    verdict_next_find(verdict, arena, &next);
    int length = snprintf(said, SAID_BYTES, "%s\n", verdict_sentence(verdict, arena));
    for (size_t i = 0; i < verdict->reason_count && length < SAID_BYTES; i++)
        length += snprintf(said + length, (size_t)(SAID_BYTES - length), "%s: %s\n",
                           verdict->reasons[i].code, verdict->reasons[i].text);
    if (next.why != NULL && length < SAID_BYTES)
        length += snprintf(said + length, (size_t)(SAID_BYTES - length), "%s: %s\n", next.why,
                           next.command);
    assert_in_range(length, 0, SAID_BYTES - 1);
}

/* ---- real verdicts --------------------------------------------------------------------------- */

struct course {
    size_t past, runs;
    double sd, change, newest; /* of runs, of the candidate, of the newest past run */
    double drift;              /* inside each candidate capture */
    size_t unfit;              /* candidate runs that drift, from the first on */
    bool paired, confirmed;
    int64_t attempts;
};

static struct verdict course_judge(struct scene *scene, const struct course *course, uint64_t seed)
{
    static const char *earlier[] = {"v1 (fail)", "v2 (warn)"};
    uint64_t noise = 7919 * seed + 1;
    scene_init(scene);
    for (size_t i = 0; i < course->past + course->runs; i++) {
        bool after = i >= course->past;
        double own = course->sd * fixture_normal(&noise);
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1;
        plan.step_sd = 0.01;
        own += after ? course->change : i + 1 == course->past ? course->newest : 0;
        plan.drift = after && i - course->past < course->unfit ? course->drift : 0;
        scene_add_runs(scene, after ? &scene->candidate : &scene->baseline, &plan, &own, 1);
    }
    scene->policy.confirm_hosts = course->confirmed ? 2 : scene->policy.confirm_hosts;
    const struct gate_input input = {
        .project = "demo",
        .workload = "train",
        .series = "s1",
        .baseline = {scene->baseline.profiles, scene->baseline.count, NULL},
        .candidate = {scene->candidate.profiles, scene->candidate.count, NULL},
        .attempts = course->attempts,
        .earlier_verdicts = {earlier, course->attempts > 1 ? 2 : 0},
        .policy = &scene->policy,
        .paired = course->paired,
        .created_at_utc = "2026-01-02T03:04:05.000000Z",
    };
    return input_judge(&input, &scene->arena);
}

static struct course course_of(size_t number)
{
    static const size_t pasts[] = {1, 2, 5, 7, 12, 20}, runs[] = {1, 3};
    static const double sds[] = {0.002, 0.01, 0.04}, changes[] = {0, 0.015, 0.04, -0.05};
    struct course course = {.past = pasts[number % 6], .runs = runs[number / 6 % 2]};
    course.sd = sds[number / 12 % 3];
    course.change = changes[number / 36 % 4];
    course.attempts = number / 144 % 2 == 0 ? 0 : 3;
    size_t kind = number / 288;
    course.paired = kind == 1 || kind == 2;
    if (course.paired)
        course.past = course.runs = pasts[number % 6];
    course.drift = kind == 2 || kind == 3 ? 0.2 : 0;
    course.unfit = kind == 2 ? course.runs / 2 + (course.runs == 1) : kind == 3 ? course.runs : 0;
    course.newest = kind == 4 ? course.change : 0;
    course.confirmed = kind == 5;
    return course;
}

static void advises_one_thing(void **state)
{
    enum { COURSES = 6 * 2 * 3 * 4 * 2 * 6, EACH = 5, LEAST_UNTOLD = 100 };
    (void)state;
    static char said[SAID_BYTES];
    size_t untold = 0;
    for (size_t i = 0; i < COURSES; i += EACH) {
        struct scene scene;
        struct course course = course_of(i);
        struct verdict verdict = course_judge(&scene, &course, i);
        said_fill(&verdict, &scene.arena, said);
        const char *why = contradiction_of(said);
        bool open = verdict.status == VERDICT_INCONCLUSIVE;
        if (why == NULL && open && asked(said) == 0)
            why = "nothing is advised";
        if (why == NULL && verdict.status == VERDICT_PASS &&
            (asked(said) & ~(unsigned)MORE_PAST) != 0)
            why = "a pass asks for more";
        if (why != NULL)
            fail_msg("course %zu, %s: %s\n%s", i, verdict_status_names[verdict.status], why, said);
        untold += open;
        scene_done(&scene);
    }
    assert_true(untold > LEAST_UNTOLD);
}

/* ---- every reason ---------------------------------------------------------------------------- */

static void offers_no_command_against_a_reason(void **state)
{
#define CODE(code, meaning) #code,
    static const char *const codes[] = {VERDICT_REASONS(CODE)};
#undef CODE
    static const char *const texts[] = {
        "Step time: " VERDICT_PAIRS_TELL_NOTHING ".", "Step time: " VERDICT_RUNS_TELL_NOTHING ".",
        "It drifts: so does each of its runs, and another would too.",
        "It ran on one host: run it again on another host and judge both together.",
        "Run the machine: run the baseline branch again."};
    (void)state;
    static char said[SAID_BYTES];
    size_t walked = 0;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0] * VERDICT_STATUS_COUNT * 2 * 2 * 5; i++) {
        size_t code = i / 20 / VERDICT_STATUS_COUNT;
        struct verdict_reason reasons[] = {{codes[code], texts[i % 5]},
                                           {"earlier_fail_stands", "v1 failed."},
                                           {"baseline_newest_moved", "It moved."}};
        bool stands = i / 5 % 2 == 1, moved = i % 5 == 4;
        if (moved)
            reasons[1] = reasons[2];
        struct verdict verdict = {.status = (enum verdict_status)(i / 20 % VERDICT_STATUS_COUNT),
                                  .paired = i / 10 % 2 == 1,
                                  .reasons = reasons,
                                  .reason_count = stands || moved ? 2 : 1,
                                  .baseline.run_count = 9,
                                  .candidate.run_count = 3};
        if (verdict.paired && (i % 5 == 1 || moved)) /* said of runs that took no turns */
            continue;
        scoped_arena arena;
        arena_init(&arena, 1 << 20);
        said_fill(&verdict, &arena, said);
        const char *why = contradiction_of(said);
        if (why == NULL && strstr(said, "baseline branch again") != NULL &&
            strstr(said, "interleave") != NULL && verdict.status == VERDICT_INCONCLUSIVE)
            why = "two ways are offered";
        if (why != NULL && strcmp(codes[code], "confirmation_needed") != 0 && i % 5 == 3)
            why = NULL; /* said by that reason alone */
        if (why != NULL)
            fail_msg("%s, %s: %s\n%s", codes[code], verdict_status_names[verdict.status], why,
                     said);
        walked++;
    }
    assert_true(walked > 1000);
}

/* Old code that is faster than its past is no gain with which a baseline of today could begin. */
static void begins_no_baseline_with_a_candidate_that_newer_levels_follow(void **state)
{
    (void)state;
    struct verdict_reason reason = {"step_median_improved", "It is faster."};
    struct verdict verdict = {.status = VERDICT_PASS,
                              .project = "p",
                              .workload = "w",
                              .series = "s3",
                              .reasons = &reason,
                              .reason_count = 1,
                              .candidate.run_count = 3};
    struct verdict_next next;
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    verdict_next_find(&verdict, &arena, &next);
    assert_string_equal(next.command, "stepledger rebaseline s3 --reason WHY");
    verdict.statistics.level_end_pct = some_f64(6);
    verdict_next_find(&verdict, &arena, &next);
    assert_true(next.command == NULL || strstr(next.command, "rebaseline") == NULL);
}

static void sees_what_contradicts(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "more pairs like these would not show it. More pairs, judged together with these, may",
        "so does each of its runs, and another would too. Candidate p3 drifts: run it again.",
        "3 more runs of each side would show a loss of 2 %. 5 more past runs would tell.",
        "6 more runs of the candidate would show a loss. 43 more runs of each side would show",
        "run it again on another host. Fewest when both sides take turns on one machine"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_non_null(contradiction_of(cases[i]));
    assert_null(contradiction_of("3 more runs of the candidate would show a loss of 2 %. 3 more "
                                 "runs of the candidate would show it on one machine"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advises_one_thing),
        cmocka_unit_test(offers_no_command_against_a_reason),
        cmocka_unit_test(begins_no_baseline_with_a_candidate_that_newer_levels_follow),
        cmocka_unit_test(sees_what_contradicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
