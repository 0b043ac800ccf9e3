/* Tests of what an attempt means: ops/net/pace and alerts/classify. */
#include "alerts/classify.h"
#include "ops/net/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* 1994-11-06 08:49:00 UTC, half a minute before the date that RFC 9110 uses as its example. */
static const int64_t now_us = INT64_C(784111740) * 1000000;
enum { DAY_MS = 24 * 60 * 60 * 1000 };

static void reads_seconds_fractions_and_all_spellings_of_a_date(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"0", 0},
        {"1", 1000},
        {"120", 120000},
        {"0.5", 500},
        {"0.0001", 1},
        {"86400", DAY_MS},
        {"86401", DAY_MS},
        {"99999999999999999999999", DAY_MS},
        {"1e300", DAY_MS},
        {"Sun, 06 Nov 1994 08:49:37 GMT", 37000},
        {"Sunday, 06-Nov-94 08:49:37 GMT", 37000},
        {"Sun Nov  6 08:49:37 1994", 37000},
        {"06 Nov 1994 08:49:37 GMT", 37000},
        {"Sun, 06 Nov 1994 08:48:00 GMT", 0},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Sun, 06 Nov 2094 08:49:37 GMT", DAY_MS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ms = retry_after_ms(cases[i].text, now_us);
        if (ms != cases[i].ms)
            fail_msg("'%s': %lld ms", cases[i].text, (long long)ms);
    }
}

static void ignores_what_is_neither_seconds_nor_a_date(void **state)
{
    (void)state;
    static const char *const cases[] = {"",       "-1",   "+5",    "soon",      "12:30",
                                        "1 hour", "0x10", "nan",   "inf",       "1,5",
                                        "5;",     "..",   "Sun, ", "1e999999x", "\xff\xfe"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (retry_after_ms(cases[i], now_us) != -1)
            fail_msg("'%s' was taken", cases[i]);
    }
}

static enum delivery_class class_of(int status, const char **ret_why)
{
    struct http_reply reply = {.outcome = HTTP_ANSWERED, .status = status};
    return reply_classify(&reply, ret_why);
}

static void classifies_every_status(void **state)
{
    (void)state;
    static const struct {
        int from, to;
        enum delivery_class class;
    } cases[] = {
        {200, 299, DELIVERY_DONE},      {300, 399, DELIVERY_PERMANENT},
        {400, 407, DELIVERY_PERMANENT}, {408, 408, DELIVERY_RETRY},
        {409, 424, DELIVERY_PERMANENT}, {425, 425, DELIVERY_RETRY},
        {426, 428, DELIVERY_PERMANENT}, {429, 429, DELIVERY_RETRY},
        {430, 499, DELIVERY_PERMANENT}, {500, 500, DELIVERY_AMBIGUOUS},
        {501, 501, DELIVERY_PERMANENT}, {502, 502, DELIVERY_AMBIGUOUS},
        {503, 503, DELIVERY_RETRY},     {504, 599, DELIVERY_AMBIGUOUS},
        {600, 999, DELIVERY_AMBIGUOUS}, {-1, 199, DELIVERY_AMBIGUOUS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int status = cases[i].from; status <= cases[i].to; status++) {
            const char *why = "";
            if (class_of(status, &why) != cases[i].class)
                fail_msg("HTTP %d: %s", status, delivery_class_names[class_of(status, &why)]);
            assert_int_equal(why == NULL, cases[i].class == DELIVERY_DONE);
        }
    }
}

static void tells_sent_from_not_sent(void **state)
{
    (void)state;
    static const struct {
        enum http_outcome outcome;
        enum delivery_class class;
        const char *says;
    } cases[] = {
        {HTTP_LOST, DELIVERY_AMBIGUOUS, "may have taken"},
        {HTTP_NOT_SENT, DELIVERY_RETRY, "nothing was sent"},
        {HTTP_FORBIDDEN, DELIVERY_PERMANENT, "nothing was sent"},
        {HTTP_UNFIT, DELIVERY_PERMANENT, "nothing was sent"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct http_reply reply = {.outcome = cases[i].outcome};
        const char *why = NULL;
        assert_int_equal(reply_classify(&reply, &why), cases[i].class);
        assert_non_null(strstr(why, cases[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_seconds_fractions_and_all_spellings_of_a_date),
        cmocka_unit_test(ignores_what_is_neither_seconds_nor_a_date),
        cmocka_unit_test(classifies_every_status),
        cmocka_unit_test(tells_sent_from_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
