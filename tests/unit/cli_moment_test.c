/* Times that people write: dates and times as ISO 8601 has them, and how long ago. */
#include "ops/cli/operand/moment.h"
#include "ops/runtime/clock.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void reads_dates_and_times_of_any_zone(void **state)
{
    (void)state;
    static const struct {
        const char *text, *utc;
    } cases[] = {
        {"2026-11-30", "2026-11-30T00:00:00.000000Z"},
        {"2026-11-30T08:00", "2026-11-30T08:00:00.000000Z"},
        {"2026-11-30 08:00", "2026-11-30T08:00:00.000000Z"},
        {"2026-11-30T08:00Z", "2026-11-30T08:00:00.000000Z"},
        {"2026-11-30T08:00:07", "2026-11-30T08:00:07.000000Z"},
        {"2026-11-30T08:00:07.5Z", "2026-11-30T08:00:07.500000Z"},
        {"2026-11-30T08:00:07.123456Z", "2026-11-30T08:00:07.123456Z"},
        {"2026-11-30T08:00:07.1234569Z", "2026-11-30T08:00:07.123456Z"},
        {"2026-11-30T08:00:07+01:00", "2026-11-30T07:00:07.000000Z"},
        {"2026-11-30T08:00-0530", "2026-11-30T13:30:00.000000Z"},
        {"2026-11-30T00:30:00.25+14:00", "2026-11-29T10:30:00.250000Z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t us = 0;
        char utc[CLOCK_ISO_BYTES];
        if (!moment_read(cases[i].text, &us))
            fail_msg("%s is refused", cases[i].text);
        assert_string_equal(clock_iso(us, utc), cases[i].utc);
    }
}

static void refuses_what_is_no_time(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "tomorrow",
        "2026-11",
        "2026-11-31",
        "2026-02-29",
        "2026-11-30T",
        "2026-11-30T8",
        "2026-11-30T25:00",
        "2026-11-30T08:00:07.Z",
        "2026-11-30T08:00:07x",
        "2026-11-30T08:00+1",
        "2026-11-30T08:00+15:00",
        "2026-11-30T08:00+01:60",
        "2026-11-30T08:00+01:00Z",
        "2026-11-30Z",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t us = 0;
        struct err err = {0};
        if (moment_read(cases[i], &us))
            fail_msg("'%s' is taken for a time", cases[i]);
        assert_false(moment_read_past(cases[i], "until", &us, &err));
        assert_int_equal(err.kind, ERR_USAGE);
        assert_non_null(strstr(err.text, "option --until: "));
        assert_non_null(strstr(err.text, "2026-11-30T08:00:00+01:00"));
    }
}

static void reads_how_long_ago(void **state)
{
    (void)state;
    struct err err = {0};
    int64_t us = 0, before = clock_wall_us();
    assert_true(moment_read_past("90m", "since", &us, &err));
    int64_t ago = INT64_C(90) * 60 * 1000000;
    assert_true(us >= before - ago && us <= clock_wall_us() - ago);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_dates_and_times_of_any_zone),
        cmocka_unit_test(refuses_what_is_no_time),
        cmocka_unit_test(reads_how_long_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
