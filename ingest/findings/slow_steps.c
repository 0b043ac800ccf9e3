/* Steps that take much longer than the others. Thresholds are those of ingest/README.md. */
#include "ingest/findings/rules.h"

static const double MORE_LEAST = .05;

static const char *const more_of[STEP_PART_COUNT] = {
    [STEP_COMPUTE] = "the device computes longer",
    [STEP_COLLECTIVES] = "collectives last longer",
    [STEP_DEVICE_TO_DEVICE] = "the device copies longer",
    [STEP_HOST_TO_DEVICE] = "copies to the device last longer",
    [STEP_DEVICE_TO_HOST] = "copies to the host last longer",
    [STEP_INPUT_WAIT] = "it waits for input",
    [STEP_KERNEL_LAUNCH] = "it waits for launches",
    [STEP_HOST_COMPUTE] = "the host computes longer",
    [STEP_IDLE] = "nothing says for what the device waits",
};

/* "step 3", "3 of 40 steps (7, 15, 22)". */
static const char *outliers_name(const struct step_outliers *outliers, struct arena *arena)
{
    const int64_t *first = outliers->first;
    if (outliers->count == 1)
        return arena_printf(arena, "step %lld takes", (long long)first[0]);
    if (outliers->count == 2)
        return arena_printf(arena, "2 of %zu steps (%lld, %lld) take on average", outliers->of,
                            (long long)first[0], (long long)first[1]);
    return arena_printf(arena, "%zu of %zu steps (%lld, %lld, %lld%s) take on average",
                        outliers->count, outliers->of, (long long)first[0], (long long)first[1],
                        (long long)first[2], outliers->count > OUTLIERS_NAMED ? " …" : "");
}

/* What the host compiled or saved is another finding, with that time. */
static struct step_outliers told_outliers(const struct examined *all)
{
    const struct step_outliers outliers = step_list_outliers(all->steps);
    const bool told = outliers.count > 0 && outliers.part != STEP_COMPILE && !outliers.saves &&
                      finding_share(all, outliers.more_us) >= MORE_LEAST;
    return told ? outliers : (struct step_outliers){0};
}

static bool is_wait(enum step_part part)
{
    return part == STEP_INPUT_WAIT || part == STEP_KERNEL_LAUNCH || part == STEP_HOST_COMPUTE ||
           part == STEP_IDLE;
}

struct step_outliers slow_steps_that_wait(const struct examined *all)
{
    const struct step_outliers outliers = told_outliers(all);
    return is_wait(outliers.part) ? outliers : (struct step_outliers){0};
}

/* What devices exchange, with each other and with the host, other findings count. */
bool slow_steps(const struct examined *all, struct finding *finding)
{
    const struct step_outliers outliers = told_outliers(all);
    char takes[FORMAT_BYTES], middle[FORMAT_BYTES], more[FORMAT_BYTES];
    if (outliers.count == 0)
        return false;
    finding->count = some_i64((int64_t)outliers.count);
    if (outliers.part == STEP_COMPUTE || outliers.part == STEP_DEVICE_TO_DEVICE ||
        is_wait(outliers.part))
        finding_time(all, outliers.more_us, finding);
    finding->evidence = arena_printf(
        all->arena,
        "%s %s, the middle one of %zu %s: %s of the average is that; most of it because %s",
        outliers_name(&outliers, all->arena),
        format_duration(outliers.average_us, FINDING_DIGITS, takes), outliers.of,
        format_duration(outliers.middle_us, FINDING_DIGITS, middle),
        format_duration(outliers.more_us, FINDING_DIGITS, more), more_of[outliers.part]);
    finding->remedy = "look at what these steps do that others do not (evaluation, longer batches, "
                      "collecting garbage), and at clocks and neighbours of the device then; go by "
                      "the median, which hardly minds them";
    return true;
}
