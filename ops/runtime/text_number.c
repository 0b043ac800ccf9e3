/* Numbers in text: strict parsing, hex. */
#include "ops/runtime/text.h"

#include <errno.h>
#include <math.h>
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
