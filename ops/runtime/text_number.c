/* Numbers in text: the shortest form of a double, strict parsing, hex. */
#include "ops/runtime/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits and exponent of the shortest form that reads back: digits "12345", point after
 * `*exponent` + 1 of them. */
static int shortest_digits(double value, char *digits, int *exponent)
{
    char form[TEXT_DOUBLE_BYTES];
    /* 15 digits are enough to find any shorter form of a normal number: what follows is zeros. */
    int first = value < DBL_MIN ? 0 : 14;
    for (int precision = first; precision < 17; precision++) {
        (void)snprintf(form, sizeof form, "%.*e", precision, value);
        if (precision == 16 || strtod(form, NULL) == value)
            break;
    }
    int count = 0;
    const char *p = form;
    for (; *p != 'e'; p++) {
        if (*p != '.')
            digits[count++] = *p;
    }
    *exponent = (int)strtol(p + 1, NULL, 10);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    return count;
}

/* Python switches to the exponent form below 1e-4 and from 1e16 on. */
enum { REPR_MIN_EXPONENT = -4, REPR_MAX_EXPONENT = 16 };

static void print_exponent_form(char *out, size_t size, const char *digits, int count, int exponent)
{
    (void)snprintf(out, size, "%c%s%.17se%c%02u", digits[0], count > 1 ? "." : "", digits + 1,
                   exponent < 0 ? '-' : '+', (unsigned)abs(exponent) % 1000);
}

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
    char digits[TEXT_DOUBLE_BYTES];
    int exponent;
    int count = shortest_digits(value, digits, &exponent);
    if (value != 0 && (exponent < REPR_MIN_EXPONENT || exponent >= REPR_MAX_EXPONENT))
        print_exponent_form(out, TEXT_DOUBLE_BYTES - 1, digits, count, exponent);
    else
        print_plain_form(out, digits, count, exponent);
    return buffer;
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
