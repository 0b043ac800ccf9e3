/* Tests of mail without a server: addresses, heads that no name can break, bodies, ids, and what
 * replies mean. `make golden` rewrites tests/golden/alerts/mail.*.eml. */
#include "alerts/mail/mail_encode.h"
#include "alerts/mail/mail.h"
#include "alerts/mail/mail_reply.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 4 << 20 };

static const int64_t wall_us = INT64_C(1795252589) * 1000000;

/* ---- addresses ---- */

static void takes_addresses_and_nothing_that_could_be_a_command(void **state)
{
    (void)state;
    static const struct {
        const char *to;
        size_t count; /* 0 = refused */
    } cases[] = {
        {"team@example.com", 1},
        {" a@b.example , c+d_e.f@xn--bcher-kva.example,", 2},
        {"root@localhost", 1},
        {"", 0},
        {" , ", 0},
        {"team", 0},
        {"team@", 0},
        {"@example.com", 0},
        {"a@b@c", 0},
        {"a b@example.com", 0},
        {"a@exa mple.com", 0},
        {"<a@example.com>", 0},
        {"Team <a@example.com>", 0},
        {"a@example.com\r\nBcc: b@example.com", 0},
        {"a@example.com\n", 1}, /* white space around a name is none of it */
        {"a@ex\xc3\xa4mple.com", 0},
        {"a..b@example.com", 0},
        {".a@example.com", 0},
        {"a@example..com", 0},
        {"-a@-example.com", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scoped_arena arena;
        arena_init(&arena, MEMORY_BYTES);
        struct smtp_envelope envelope;
        struct err err = {0};
        bool taken = mail_envelope_read("me@example.com", cases[i].to, &arena, &envelope, &err);
        if (taken != (cases[i].count > 0) || (taken && envelope.to_count != cases[i].count))
            fail_msg("'%s': %s", cases[i].to, taken ? "taken" : err.text);
        if (!taken)
            assert_int_equal(err.kind, ERR_USAGE);
    }
}

static void takes_fifty_recipients_and_no_more(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    scoped_text list;
    text_init(&list, MEMORY_BYTES);
    struct smtp_envelope envelope;
    struct err err = {0};
    for (int i = 0; i < SMTP_RECIPIENTS_MAX; i++)
        text_addf(&list, "r%d@example.com,", i);
    assert_true(mail_envelope_read("a@b.c", text_string(&list), &arena, &envelope, &err));
    assert_string_equal(envelope.to[SMTP_RECIPIENTS_MAX - 1], "r49@example.com");
    text_add(&list, "one@too.many");
    assert_false(mail_envelope_read("a@b.c", text_string(&list), &arena, &envelope, &err));
    assert_non_null(strstr(err.text, "mailing list"));
}

/* ---- the head ---- */

static void field_is(const char *value, const char *expected)
{
    scoped_text out;
    text_init(&out, MEMORY_BYTES);
    mail_text_field_add(&out, "Subject", value);
    assert_string_equal(text_string(&out), expected);
}

static void writes_subjects_as_ascii_in_short_lines(void **state)
{
    (void)state;
    field_is("FAIL: llm/pretrain", "Subject: FAIL: llm/pretrain\r\n");
    field_is("", "Subject:\r\n");
    field_is("step 412 \xe2\x86\x92 431", "Subject: =?utf-8?Q?step_412_=E2=86=92_431?=\r\n");
    field_is("a=?utf-8?Q?b?=", "Subject: =?utf-8?Q?a=3D=3Futf-8=3FQ=3Fb=3F=3D?=\r\n");
    field_is("a\r\nBcc: b", "Subject: =?utf-8?Q?a__Bcc=3A_b?=\r\n");
    field_is("two  blanks", "Subject: =?utf-8?Q?two__blanks?=\r\n");
    field_is("one word here and another there, so that this line is full by now and has to be cut",
             "Subject: one word here and another there, so that this line is full by now and\r\n"
             " has to be cut\r\n");
}

/* Lines of the head that begin neither our field nor a continuation; the longest line. */
static void head_check(const char *head)
{
    for (const char *p = head; *p != '\0';) {
        const char *end = strstr(p, "\r\n");
        assert_non_null(end);
        if (end - p > 78)
            fail_msg("a line of %td bytes", end - p);
        assert_true(p[0] == ' ' || strncmp(p, "Subject:", 8) == 0);
        for (const char *c = p; c < end; c++)
            assert_true(*c >= ' ' && *c <= '~');
        p = end + 2;
    }
}

static void no_name_breaks_out_of_its_field(void **state)
{
    (void)state;
    static const char *const units[] = {
        "a",  " ",        "\r\nBcc: x@y.z\r\n\r\n", "\n",   "\r", "=",
        "?=", "\xc3\xa4", "\xf0\x9f\x98\x80",       "\x7f", "\t"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (size_t repeat = 1; repeat < 120; repeat++) {
            scoped_text value, out;
            text_init(&value, MEMORY_BYTES);
            text_init(&out, MEMORY_BYTES);
            for (size_t j = 0; j < repeat; j++)
                text_add(&value, units[i]);
            mail_text_field_add(&out, "Subject", text_string(&value));
            head_check(text_string(&out));
        }
}

static void writes_dates_as_mail_does(void **state)
{
    (void)state;
    char buffer[MAIL_DATE_BYTES];
    assert_string_equal(mail_date(wall_us, buffer), "Sat, 21 Nov 2026 09:16:29 +0000");
    assert_string_equal(mail_date(0, buffer), "Thu, 01 Jan 1970 00:00:00 +0000");
    assert_string_equal(mail_date(INT64_C(951827696) * 1000000 + 999999, buffer),
                        "Tue, 29 Feb 2000 12:34:56 +0000");
}

/* ---- bodies ---- */

static void quoted_is(const char *text, const char *expected)
{
    scoped_text out;
    text_init(&out, MEMORY_BYTES);
    mail_quoted_add(&out, text);
    assert_string_equal(text_string(&out), expected);
}

static void quotes_bodies_so_that_no_line_means_something_else(void **state)
{
    (void)state;
    quoted_is("a = b\n", "a =3D b\r\n");
    quoted_is("- FAIL\n-\nFrom", "- FAIL\r\n-\r\nFrom\r\n");
    quoted_is("\xc3\xa4", "=C3=A4\r\n");
    quoted_is("blank at the end \nmore\t\n", "blank at the end=20\r\nmore=09\r\n");
    quoted_is(".\n--=_stepledger--\nFrom me\n", "=2E\r\n=2D-=3D_stepledger--\r\n=46rom me\r\n");
    quoted_is("a\r\nb", "a=0D\r\nb\r\n");
    quoted_is("0123456789012345678901234567890123456789012345678901234567890123456789012345\n",
              "012345678901234567890123456789012345678901234567890123456789012345678901234=\r\n"
              "5\r\n");
    quoted_is("012345678901234567890123456789012345678901234567890123456789012345678901234.\n",
              "012345678901234567890123456789012345678901234567890123456789012345678901234=\r\n"
              "=2E\r\n");
}

/* ---- letters ---- */

/* The golden file has plain line breaks. */
static void letter_golden(const char *name, const struct mail_letter *letter)
{
    scoped_text out, shown;
    text_init(&shown, MEMORY_BYTES);
    text_init(&out, MEMORY_BYTES);
    mail_letter_add(letter, &out);
    assert_false(out.failed);
    for (const char *p = text_string(&out); *p != '\0';) {
        size_t length = strcspn(p, "\r\n");
        assert_true(length <= 998 && strncmp(p + length, "\r\n", 2) == 0);
        text_addn(&shown, p, length);
        text_addc(&shown, '\n');
        p += length + 2;
    }
    golden_check(name, text_string(&shown));
}

static void writes_the_same_letter_each_time(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct smtp_envelope envelope;
    struct mail_letter letter = {
        .envelope = &envelope,
        .subject = "FAIL: llm/pretrain: step time 412 ms \xe2\x86\x92 431 ms",
        .text = "FAIL: llm/pretrain\n\n.a line with a dot\n",
        .html = "<p>FAIL: llm/pretrain &amp; more</p>\n",
        .wall_us = wall_us,
    };
    assert_true(mail_envelope_read("ledger@example.com", "team@example.com, ops@example.com",
                                   &arena, &envelope, NULL));
    letter.id = mail_id_make("e0", "team", envelope.from, &arena);
    letter_golden("alerts/mail.firing.eml", &letter);
    letter.thread = letter.id;
    letter.id = mail_id_make("e1", "team", envelope.from, &arena);
    letter.subject = "RESOLVED: llm/pretrain";
    letter_golden("alerts/mail.resolved.eml", &letter);
}

static void gives_each_row_of_each_destination_its_own_id(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    const char *id, *again, *row, *destination;
    id = mail_id_make("r1", "team", "a@example.com", &arena);
    again = mail_id_make("r1", "team", "a@example.com", &arena);
    row = mail_id_make("r2", "team", "a@example.com", &arena);
    destination = mail_id_make("r1", "ops", "a@example.com", &arena);
    assert_string_equal(id, again);
    assert_string_not_equal(id, row);
    assert_string_not_equal(id, destination);
    assert_true(mail_id_fits(id));
}

static void takes_only_a_message_id_as_a_thread(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",        "<>",        "1763.0001",  "<a>",    "<a@b> ",  "a@b", "<a@b",
        "<a b@c>", "<a@b\r\n>", "<a@b><c@d>", "<@b.c>", "<a@b c>", "<a@>"};
    assert_true(mail_id_fits("<a.b@c.d>"));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (mail_id_fits(others[i]))
            fail_msg("'%s' was taken", others[i]);
    char longer[600] = "<a@";
    memset(longer + 3, 'b', sizeof longer - 5);
    longer[sizeof longer - 2] = '>';
    assert_false(mail_id_fits(longer));
}

/* ---- replies ---- */

static void says_for_each_reply_what_becomes_of_the_message(void **state)
{
    (void)state;
    static const struct {
        int code;
        enum delivery_class class;
        bool pause;
    } cases[] = {
        {250, DELIVERY_DONE, false},      {421, DELIVERY_RETRY, true},
        {450, DELIVERY_RETRY, false},     {451, DELIVERY_RETRY, false},
        {452, DELIVERY_RETRY, false},     {454, DELIVERY_RETRY, false},
        {499, DELIVERY_RETRY, false},     {500, DELIVERY_PERMANENT, false},
        {530, DELIVERY_PERMANENT, false}, {535, DELIVERY_PERMANENT, false},
        {550, DELIVERY_PERMANENT, false}, {552, DELIVERY_PERMANENT, false},
        {554, DELIVERY_PERMANENT, false}, {599, DELIVERY_PERMANENT, false},
        {354, DELIVERY_AMBIGUOUS, false}, {999, DELIVERY_AMBIGUOUS, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct smtp_reply reply = {.outcome = HTTP_ANSWERED, .code = cases[i].code};
        const struct mail_meaning meaning = mail_reply_meaning(&reply);
        if (meaning.class != cases[i].class || meaning.pause != cases[i].pause ||
            (meaning.why == NULL) != (meaning.class == DELIVERY_DONE))
            fail_msg("%d: %s", cases[i].code, delivery_class_names[meaning.class]);
    }
    static const enum delivery_class silent[] = {[HTTP_LOST] = DELIVERY_AMBIGUOUS,
                                                 [HTTP_NOT_SENT] = DELIVERY_RETRY,
                                                 [HTTP_FORBIDDEN] = DELIVERY_PERMANENT,
                                                 [HTTP_UNFIT] = DELIVERY_PERMANENT};
    for (enum http_outcome outcome = HTTP_LOST; outcome <= HTTP_UNFIT; outcome++) {
        const struct smtp_reply reply = {.outcome = outcome, .why = "w"};
        assert_int_equal(mail_reply_meaning(&reply).class, silent[outcome]);
    }
}

static void blames_the_destination_for_logins_and_addresses_alone(void **state)
{
    (void)state;
    static const struct {
        int code;
        enum delivery_refusal refusal;
    } cases[] = {{535, REFUSAL_DESTINATION}, {530, REFUSAL_DESTINATION}, {550, REFUSAL_DESTINATION},
                 {552, REFUSAL_NONE},        {554, REFUSAL_NONE},        {451, REFUSAL_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct smtp_reply reply = {.outcome = HTTP_ANSWERED, .code = cases[i].code};
        assert_int_equal(mail_reply_meaning(&reply).refusal, cases[i].refusal);
    }
}

static void comes_again_when_one_recipient_may_go_better(void **state)
{
    (void)state;
    assert_int_equal(smtp_reply_decisive((const int[]){550}, 1), 550);
    assert_int_equal(smtp_reply_decisive((const int[]){450, 550}, 2), 450);
    assert_int_equal(smtp_reply_decisive((const int[]){550, 452, 550}, 3), 452);
    assert_int_equal(smtp_reply_decisive((const int[]){550, 553}, 2), 553);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_addresses_and_nothing_that_could_be_a_command),
        cmocka_unit_test(takes_fifty_recipients_and_no_more),
        cmocka_unit_test(writes_subjects_as_ascii_in_short_lines),
        cmocka_unit_test(no_name_breaks_out_of_its_field),
        cmocka_unit_test(writes_dates_as_mail_does),
        cmocka_unit_test(quotes_bodies_so_that_no_line_means_something_else),
        cmocka_unit_test(writes_the_same_letter_each_time),
        cmocka_unit_test(gives_each_row_of_each_destination_its_own_id),
        cmocka_unit_test(takes_only_a_message_id_as_a_thread),
        cmocka_unit_test(says_for_each_reply_what_becomes_of_the_message),
        cmocka_unit_test(blames_the_destination_for_logins_and_addresses_alone),
        cmocka_unit_test(comes_again_when_one_recipient_may_go_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
