/* Numbers in text: strict parsing, hex, the shortest form of a double. */
#include "ops/runtime/text.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *text_digits_before(char *end, uint64_t value)
{
    do
        *--end = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return end;
}

void text_hex(const uint8_t *bytes, size_t count, char *out)
{
    static const char alphabet[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = alphabet[bytes[i] >> 4];
        out[2 * i + 1] = alphabet[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

bool text_parse_i64(const char *string, int64_t *ret_value)
{
    const char *digits = string + (*string == '-' || *string == '+');
    if (*digits < '0' || *digits > '9')
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(string, &end, 10);
    if (errno != 0 || *end != '\0')
        return false;
    *ret_value = value;
    return true;
}

bool text_parse_double(const char *string, double *ret_value)
{
    if (*string == '\0' || strspn(string, "0123456789+-.eE") != strlen(string))
        return false;
    char *end;
    double value = strtod(string, &end);
    if (*end != '\0' || !isfinite(value))
        return false;
    *ret_value = value;
    return true;
}

/* The shortest decimal form of a double that reads back as the same double.
 *
 * A double stands for all numbers that are nearer to it than to its neighbours. Of the decimals in
 * that interval those with the fewest digits are looked for, and of these the nearest one. For
 * magnitudes that documents are full of (times, counts, shares) the ends of the interval times a
 * power of ten fit 128 bits, so plain integers answer exactly; for the others the C library prints
 * and reads until it fits.
 */

/* The number `digits` * 10^scale; digits has no zero at its end. */
struct decimal {
    uint64_t digits;
    int scale;
};

/* Doubles of 2^EXPONENT_MIN and more and less than 2^(EXPONENT_MAX + 1) take the exact way. At 18
 * digits 4 * mantissa * 5^POWER_MAX is below 2^119, and no shift goes left. */
enum { EXPONENT_MIN = -33, EXPONENT_MAX = 52, POWER_MAX = 27, MANTISSA_BITS = 52 };

/* The whole numbers of an interval, and the place of the double in it, rounded down. */
struct span {
    uint64_t low, high, middle;
    bool middle_inexact;
};

/* The interval around mantissa * 2^exponent, times 10^power. Its ends read back as this double only
 * when its mantissa is even: reading rounds to even. */
static struct span span_of(uint64_t mantissa, int exponent, int power)
{
    static const uint64_t smallest = UINT64_C(1) << MANTISSA_BITS;
    int shift = 2 - exponent - power;
    unsigned __int128 scale = 1;
    for (int i = 0; i < power; i++)
        scale *= 5;
    unsigned __int128 middle = 4 * mantissa * scale;
    unsigned __int128 rest = ((unsigned __int128)1 << shift) - 1, ends_out = mantissa & 1;
    /* Below a power of two the neighbour is only half as far away. */
    unsigned __int128 low = middle - (mantissa == smallest ? 1 : 2) * scale + ends_out;
    unsigned __int128 high = middle + 2 * scale - ends_out;
    return (struct span){
        .low = (uint64_t)((low + rest) >> shift),
        .high = (uint64_t)(high >> shift),
        .middle = (uint64_t)(middle >> shift),
        .middle_inexact = (middle & rest) != 0,
    };
}

/* The shortest whole number times a power of ten in the span, nearest to its middle; of two that
 * are equally near the even one. */
static struct decimal span_shortest(struct span span)
{
    uint64_t unit = 1;
    struct decimal shortest = {0};
    while (span.high / 10 >= (span.low + 9) / 10) {
        span.low = (span.low + 9) / 10;
        span.high /= 10;
        unit *= 10;
        shortest.scale++;
    }
    assert(unit > 1); /* 18 digits are more than any double needs */
    uint64_t digits = span.middle / unit, twice_rest = span.middle % unit * 2;
    bool above_tie = span.middle_inexact || digits % 2 == 1;
    digits += twice_rest > unit || (twice_rest == unit && above_tie);
    shortest.digits = digits < span.low ? span.low : digits > span.high ? span.high : digits;
    return shortest;
}

/* false: the double is out of the range of this way. */
static bool decimal_exact(double value, struct decimal *ret_decimal)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), MANTISSA_BITS + 1);
    exponent--; /* frexp's fraction is below 1 */
    if (exponent < EXPONENT_MIN || exponent > EXPONENT_MAX)
        return false;
    int power = 17 - (int)floor(exponent * 0.30103); /* log10 2: 10^17 and more, below 2^61 */
    assert(power >= 0 && power <= POWER_MAX);
    *ret_decimal = span_shortest(span_of(mantissa, exponent - MANTISSA_BITS, power));
    ret_decimal->scale -= power;
    return true;
}

/* Below a power of two the interval is lopsided: the nearest decimal may lie outside of it where
 * the next one above lies inside. */
static bool form_step_up(char *form, double value)
{
    char *last = strchr(form, 'e') - 1;
    while (*last == '9')
        *last-- = '0';
    if (*last == '.')
        return false;
    ++*last;
    return strtod(form, NULL) == value;
}

/* Digits as printf writes them, without zeros at their end. */
static struct decimal form_read(const char *form)
{
    struct decimal decimal = {0};
    const char *p = form;
    for (bool fraction = false; *p != 'e'; p++) {
        if (*p != '.')
            decimal.digits = decimal.digits * 10 + (uint64_t)(*p - '0');
        decimal.scale -= fraction;
        fraction |= *p == '.';
    }
    decimal.scale += (int)strtol(p + 1, NULL, 10);
    for (; decimal.digits > 9 && decimal.digits % 10 == 0; decimal.scale++)
        decimal.digits /= 10;
    return decimal;
}

static struct decimal decimal_tried(double value)
{
    char form[TEXT_DOUBLE_BYTES];
    /* 15 digits are enough to find any shorter form of a normal number: what follows is zeros. */
    int first = value < DBL_MIN ? 0 : 14;
    for (int precision = first; precision < 17; precision++) {
        (void)snprintf(form, sizeof form, "%.*e", precision, value);
        if (precision == 16 || strtod(form, NULL) == value)
            break;
        if (precision == 15 && form_step_up(form, value))
            break;
    }
    return form_read(form);
}

/* Python switches to the exponent form below 1e-4 and from 1e16 on. */
enum { REPR_MIN_EXPONENT = -4, REPR_MAX_EXPONENT = 16 };

static void print_plain_form(char *out, const char *digits, int count, int exponent)
{
    char *p = out;
    if (exponent < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = -1; i > exponent; i--)
            *p++ = '0';
        memcpy(p, digits, (size_t)count);
        p[count] = '\0';
        return;
    }
    for (int i = 0; i <= exponent || i < count; i++) {
        if (i == exponent + 1)
            *p++ = '.';
        *p++ = i < count ? digits[i] : '0';
    }
    if (count <= exponent + 1) {
        *p++ = '.';
        *p++ = '0';
    }
    *p = '\0';
}

const char *text_double(double value, char *buffer)
{
    if (isnan(value) || isinf(value)) {
        (void)snprintf(buffer, TEXT_DOUBLE_BYTES, "%s",
                       isnan(value) ? "nan"
                       : value < 0  ? "-inf"
                                    : "inf");
        return buffer;
    }
    char *out = buffer;
    if (signbit(value)) {
        *out++ = '-';
        value = -value;
    }
    char room[TEXT_DIGITS_MAX + 1] = "", *end = room + TEXT_DIGITS_MAX;
    struct decimal decimal = {0};
    if (value != 0 && !decimal_exact(value, &decimal))
        decimal = decimal_tried(value);
    const char *digits = text_digits_before(end, decimal.digits);
    int count = (int)(end - digits);
    int exponent = decimal.scale + count - 1;
    if (value != 0 && (exponent < REPR_MIN_EXPONENT || exponent >= REPR_MAX_EXPONENT))
        (void)snprintf(out, TEXT_DOUBLE_BYTES - 1, "%c%s%.17se%c%02u", digits[0],
                       count > 1 ? "." : "", digits + 1, exponent < 0 ? '-' : '+',
                       (unsigned)abs(exponent) % 1000);
    else
        print_plain_form(out, digits, count, exponent);
    return buffer;
}
