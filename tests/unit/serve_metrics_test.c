/* Tests of ops/serve/metrics: what the page says of destinations, and that no name breaks it. */
#include "ops/serve/metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE_BYTES = 1 << 20 };

static void page_says(const struct text *page, const char *line)
{
    if (strstr(text_string(page), line) == NULL)
        fail_msg("'%s' is not in:\n%s", line, text_string(page));
}

static void shows_what_is_owed_to_each_destination(void **state)
{
    (void)state;
    static struct destination_state owed[] = {
        {.name = "team",
         .waiting = 3,
         .oldest_ms = 90500,
         .dead = 2,
         .attempts = {[RECEIPT_DONE] = 7, [RECEIPT_LEASE_EXPIRED] = 1}},
        {.name = "a\"b\\c\n", .disabled = true},
    };
    const struct service_status status = {.destinations = {owed, 2}};
    scoped_text page;
    text_init(&page, PAGE_BYTES);
    metrics_write(&status, true, &page);
    page_says(&page, "# TYPE stepledger_destination_waiting gauge\n");
    page_says(&page, "\nstepledger_destination_waiting{destination=\"team\"} 3");
    page_says(&page, "\nstepledger_destination_oldest_seconds{destination=\"team\"} 90.5\n");
    page_says(&page, "\nstepledger_destination_dead_1d{destination=\"team\"} 2");
    page_says(&page, "\nstepledger_destination_disabled{destination=\"team\"} 0");
    page_says(&page,
              "\nstepledger_deliveries_5m{destination=\"team\",outcome=\"lease_expired\"} 1\n");
    page_says(&page, "\nstepledger_deliveries_5m{destination=\"team\",outcome=\"done\"} 7\n");
    page_says(&page, "\nstepledger_destination_disabled{destination=\"a\\\"b\\\\c\"} 1");
}

static void says_only_that_the_database_is_away(void **state)
{
    (void)state;
    const struct service_status status = {0};
    scoped_text page;
    text_init(&page, PAGE_BYTES);
    metrics_write(&status, false, &page);
    page_says(&page, "stepledger_database_up 0");
    assert_null(strstr(text_string(&page), "destination"));
}

static void tells_when_the_ledger_was_verified(void **state)
{
    (void)state;
    struct service_status status = {.verified_all_ms = {true, 90500},
                                    .verified_new_ms = {true, 1500}};
    scoped_text page, none;
    text_init(&page, PAGE_BYTES);
    text_init(&none, PAGE_BYTES);
    metrics_write(&status, true, &page);
    page_says(&page, "# TYPE stepledger_verified_all_seconds gauge\n");
    page_says(&page, "\nstepledger_verified_all_seconds 90.5\n");
    page_says(&page, "\nstepledger_verified_new_seconds 1.5\n");
    page_says(&page, "\nstepledger_verified_with_findings 0.0\n");
    status.new_found = true;
    status.verified_all_ms.set = status.verified_new_ms.set = false;
    metrics_write(&status, true, &none);
    assert_null(strstr(text_string(&none), "_seconds 90.5"));
    page_says(&none, "\nstepledger_verified_with_findings 1.0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_what_is_owed_to_each_destination),
        cmocka_unit_test(tells_when_the_ledger_was_verified),
        cmocka_unit_test(says_only_that_the_database_is_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
