/* Tests of text_double: the shortest form of half a million doubles against what the C library can
 * be made to find, and forms that Python prints. */
#include "ops/runtime/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FORMS = 60000, FORM_BYTES = 64 };

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The digits of the shortest rounded form that reads back, and its exponent; nothing is said about
 * a power of two, where rounding is not enough. */
static void shortest_by_trying(double value, char *digits, int *exponent)
{
    char form[FORM_BYTES];
    /* Below 15 digits a normal number's form only loses zeros. */
    for (int precision = fabs(value) < DBL_MIN ? 0 : 14; precision <= 16; precision++) {
        (void)snprintf(form, sizeof form, "%.*e", precision, value);
        if (strtod(form, NULL) == value)
            break;
    }
    size_t count = 0;
    const char *p = form + (*form == '-');
    for (; *p != 'e'; p++)
        if (*p != '.')
            digits[count++] = *p;
    *exponent = (int)strtol(p + 1, NULL, 10);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
}

/* The same of a form that text_double printed. */
static void form_read(const char *form, char *digits, int *exponent)
{
    const char *p = form + (*form == '-'), *mark = strchr(p, 'e');
    size_t length = mark == NULL ? strlen(p) : (size_t)(mark - p), count = 0;
    const char *point = memchr(p, '.', length);
    size_t whole = point == NULL ? length : (size_t)(point - p), zeros = 0;
    for (size_t i = 0; i < length; i++) {
        if (p[i] == '.' || (p[i] == '0' && count == 0 && ++zeros > 0))
            continue;
        digits[count++] = p[i];
    }
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    *exponent = (int)whole - 1 - (int)zeros + (mark == NULL ? 0 : (int)strtol(mark + 1, NULL, 10));
}

static void check(double value)
{
    char form[TEXT_DOUBLE_BYTES], wanted[FORM_BYTES], found[FORM_BYTES];
    int wanted_exponent, found_exponent, binary;
    (void)text_double(value, form);
    if (strtod(form, NULL) != value)
        fail_msg("%a is printed as %s, which is another number", value, form);
    if (frexp(fabs(value), &binary) == 0.5 || value == 0)
        return;
    shortest_by_trying(value, wanted, &wanted_exponent);
    form_read(form, found, &found_exponent);
    if (strcmp(found, wanted) != 0 || found_exponent != wanted_exponent)
        fail_msg("%a is printed as %s, the shortest form has the digits %s e%d", value, form,
                 wanted, wanted_exponent);
}

static void prints_any_double_in_its_shortest_form(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < FORMS; i++) {
        double value = double_of(random_bits(&random));
        if (isfinite(value))
            check(value);
    }
}

/* What documents hold: picoseconds as microseconds, shares, sums of rounded numbers, counts. */
static void prints_what_documents_hold_in_its_shortest_form(void **state)
{
    (void)state;
    static const double divisors[] = {1, 3, 7, 10, 1e3, 1e6, 1e9};
    uint64_t random = 2;
    for (int i = 0; i < FORMS; i++) {
        uint64_t bits = random_bits(&random);
        check((double)(int64_t)(bits >> (11 + bits % 50)) / 1e6);
        check((double)(bits >> 11) * 0x1p-53);
        check((double)(bits >> (bits % 64)) / divisors[bits % 7]);
        check(round((double)(bits >> 30)) / 1e3 + (double)(bits & 1023) / 1e3);
    }
}

/* Every magnitude, with the mantissas where intervals are lopsided or rounding meets a tie. */
static void prints_the_edges_of_every_magnitude_in_their_shortest_form(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (uint64_t exponent = 0; exponent < 2047; exponent++) {
        uint64_t base = exponent << 52;
        for (uint64_t near = 1; near < 12; near++) {
            check(double_of(base + near));
            check(double_of(base + (UINT64_C(1) << 52) - near));
            check(double_of(base + (random_bits(&random) >> 12)));
            check(double_of(base + ((random_bits(&random) >> 12) & ~UINT64_C(0xffffffff))));
        }
    }
}

static void prints_powers_of_two_as_python_does(void **state)
{
    (void)state;
    /* Python 3.11: repr(2.0**k). The nearest decimal of so few digits is another number for the
     * first five. */
    static const struct {
        int power;
        const char *form;
    } cases[] = {
        {-24, "5.960464477539063e-08"},
        {-44, "5.684341886080802e-14"},
        {-1007, "7.291122019556398e-304"},
        {-957, "8.209073602596753e-289"},
        {-921, "5.641232424577593e-278"},
        {-20, "9.5367431640625e-07"},
        {-1, "0.5"},
        {52, "4503599627370496.0"},
        {53, "9007199254740992.0"},
        {54, "1.8014398509481984e+16"},
        {-1022, "2.2250738585072014e-308"},
        {-1074, "5e-324"},
        {1023, "8.98846567431158e+307"},
    };
    char form[TEXT_DOUBLE_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(text_double(ldexp(1, cases[i].power), form), cases[i].form);
    for (int power = -1074; power <= 1023; power++)
        check(ldexp(1, power));
}

static void rounds_ties_to_even_as_python_does(void **state)
{
    (void)state;
    char form[TEXT_DOUBLE_BYTES];
    assert_string_equal(text_double(1125899906842624.25, form), "1125899906842624.2");
    assert_string_equal(text_double(1125899906842624.75, form), "1125899906842624.8");
    assert_string_equal(text_double(-1125899906842624.75, form), "-1125899906842624.8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_any_double_in_its_shortest_form),
        cmocka_unit_test(prints_what_documents_hold_in_its_shortest_form),
        cmocka_unit_test(prints_the_edges_of_every_magnitude_in_their_shortest_form),
        cmocka_unit_test(prints_powers_of_two_as_python_does),
        cmocka_unit_test(rounds_ties_to_even_as_python_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
