/* See json_scan.h. Texts are searched for quotes eight bytes at once. */
#include "ingest/trace/json_scan.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens ---------------------------------------------------------------------------------- */

bool scan_blanks(struct json_scan *scan)
{
    const char *p = scan->p;
    while (p < scan->end && (unsigned char)*p <= ' ')
        p++;
    scan->p = p;
    scan->broken = false;
    return p < scan->end;
}

static bool broken(struct json_scan *scan)
{
    scan->broken = true;
    return false;
}

/* Takes a byte that has to stand here, behind blanks. */
static bool scan_byte(struct json_scan *scan, char c)
{
    if (!scan_blanks(scan))
        return false;
    if (*scan->p != c)
        return broken(scan);
    scan->p++;
    return true;
}

/* The bytes of a word that are c: their top bits, the first one right, those above it maybe not. */
static inline uint64_t bytes_equal(uint64_t word, char c)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    uint64_t other = word ^ ones * (unsigned char)c;
    return (other - ones) & ~other & tops;
}

/* The next quote or backslash, `end` or beyond when there is none. */
static inline const char *quote_find(const char *p, const char *end)
{
    for (; p < end; p += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        uint64_t found = bytes_equal(word, '"') | bytes_equal(word, '\\');
        if (found != 0)
            return p + __builtin_ctzll(found) / 8;
    }
    return end;
}

/* Takes a text, from its quote on. */
static bool string_take(struct json_scan *scan, struct token *ret_value)
{
    const char *start = scan->p + 1, *p = start;
    bool escaped = false;
    for (;;) {
        p = quote_find(p, scan->end);
        if (p >= scan->end)
            return false;
        if (*p == '"')
            break;
        escaped = true;
        p += 2;
    }
    if (p - start > UINT32_MAX)
        return broken(scan);
    *ret_value = (struct token){TOKEN_STRING, escaped, (uint32_t)(p - start), start};
    scan->p = p + 1;
    return true;
}

/* Takes an object or an array. Which brackets are open is kept as bits, and no longer looked at
 * when they become too many. */
static bool compound_skip(struct json_scan *scan)
{
    enum { KINDS = 64 };
    struct token ignored;
    size_t depth = 0, deepest = 0;
    uint64_t arrays = 0;
    while (scan->p < scan->end) {
        switch (*scan->p) {
        case '"':
            if (!string_take(scan, &ignored))
                return false;
            continue;
        case '{':
        case '[':
            arrays = arrays << 1 | (*scan->p == '[');
            deepest += depth++ == deepest;
            break;
        case '}':
        case ']':
            if (deepest <= KINDS && (arrays & 1) != (*scan->p == ']'))
                return broken(scan);
            arrays >>= 1;
            depth--;
            break;
        default:
            break;
        }
        scan->p++;
        if (depth == 0)
            return true;
    }
    return false;
}

static bool is_word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.';
}

bool scan_value(struct json_scan *scan, struct token *ret_value)
{
    if (!scan_blanks(scan))
        return false;
    const char *start = scan->p, *p = start;
    if (*p == '"')
        return string_take(scan, ret_value);
    if (*p == '{' || *p == '[') {
        if (!compound_skip(scan))
            return false;
        *ret_value = (struct token){TOKEN_COMPOUND, false, (uint32_t)(scan->p - start), start};
        return true;
    }
    while (p < scan->end && is_word_byte(*p))
        p++;
    if (p == scan->end) /* it may go on */
        return false;
    if (p == start)
        return broken(scan);
    bool number = *start == '-' || (*start >= '0' && *start <= '9');
    *ret_value =
        (struct token){number ? TOKEN_NUMBER : TOKEN_WORD, false, (uint32_t)(p - start), start};
    scan->p = p;
    return true;
}

bool scan_name(struct json_scan *scan, struct token *ret_name, bool *ret_any)
{
    if (!scan_blanks(scan))
        return false;
    *ret_any = *scan->p != '}';
    if (!*ret_any) {
        scan->p++;
        return true;
    }
    return (*scan->p == '"' || broken(scan)) && string_take(scan, ret_name) && scan_byte(scan, ':');
}

bool scan_comma(struct json_scan *scan)
{
    if (!scan_blanks(scan))
        return false;
    if (*scan->p == ',')
        scan->p++;
    else if (*scan->p != '}' && *scan->p != ']')
        return broken(scan);
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Four hexadecimal digits; -1 when they are none. */
static int32_t hex_read(const char *p, const char *end)
{
    int32_t value = 0;
    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

enum { REPLACEMENT = 0xFFFD, REPLACEMENT_BYTES = 3 };

/* Writes what `\uXXXX` at *p stands for, a pair of surrogates together; half a pair is U+FFFD, and
 * so is U+0000, which would end a text. */
static size_t unicode_put(const char **p, const char *end, char *out)
{
    enum { HIGH = 0xD800, LOW = 0xDC00, PAST = 0xE000 };
    int32_t c = hex_read(*p + 2, end), low = -1;
    *p += c < 0 ? 2 : 6;
    if (c >= HIGH && c < LOW && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u')
        low = hex_read(*p + 2, end);
    if (low >= LOW && low < PAST) {
        *p += 6;
        c = 0x10000 + ((c - HIGH) << 10) + (low - LOW);
    } else if (c <= 0 || (c >= HIGH && c < PAST)) {
        c = REPLACEMENT;
    }
    return text_utf8_put((uint32_t)c, out);
}

const char *token_text(const struct token *value, struct arena *arena)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    bool has_nul = memchr(value->start, '\0', value->length) != NULL;
    if (!value->escaped && !has_nul)
        return text_utf8_repair(arena, value->start, value->length);
    const char *p = value->start, *end = p + value->length;
    char *out = arena_alloc(arena, (has_nul ? REPLACEMENT_BYTES : 1) * value->length + 1);
    char *at = out;
    while (p < end) {
        const char *letter = *p == '\\' && p + 1 < end ? strchr(letters, p[1]) : NULL;
        if (*p == '\0') {
            at += text_utf8_put(REPLACEMENT, at);
            p++;
        } else if (*p != '\\' || p + 1 >= end || p[1] == '\0') {
            *at++ = *p++;
        } else if (p[1] == 'u') {
            at += unicode_put(&p, end, at);
        } else { /* an escape that is none stands for its letter */
            *at++ = letter != NULL && *letter != '\0' ? bytes[letter - letters] : p[1];
            p += 2;
        }
    }
    return text_utf8_repair(arena, out, (size_t)(at - out));
}

/* ---- numbers --------------------------------------------------------------------------------- */

enum { DIGITS_MOST = 19, EXPONENT_MOST = 400 };

static const char *digits_read(const char *p, const char *end, struct decimal *number, int *used)
{
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        if (*used == DIGITS_MOST) {
            number->exact = number->exact && *p == '0';
            number->decimals--;
            continue;
        }
        number->digits = number->digits * 10 + (uint64_t)(*p - '0');
        *used += number->digits != 0;
    }
    return p;
}

bool token_decimal(const struct token *value, struct decimal *ret_number)
{
    struct decimal number = {.exact = true};
    if (value->kind != TOKEN_NUMBER && value->kind != TOKEN_STRING)
        return false;
    const char *p = value->start, *end = p + value->length, *first;
    int used = 0;
    number.negative = p < end && *p == '-';
    first = p += number.negative;
    p = digits_read(p, end, &number, &used);
    if (p == first)
        return false;
    if (p < end && *p == '.') {
        first = ++p;
        p = digits_read(p, end, &number, &used);
        number.decimals += (int)(p - first);
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        bool minus = p + 1 < end && p[1] == '-';
        p += 1 + (p + 1 < end && (p[1] == '-' || p[1] == '+'));
        int exponent = 0;
        for (first = p; p < end && *p >= '0' && *p <= '9'; p++)
            exponent = exponent < EXPONENT_MOST ? exponent * 10 + (*p - '0') : exponent;
        if (p == first)
            return false;
        number.decimals += minus ? exponent : -exponent;
    }
    *ret_number = number;
    return p == end;
}

/* Powers of ten that both kinds of doubles hold exactly. */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { TENS = sizeof tens / sizeof tens[0] };

/* By a quotient of 64 bits, when that is not so near to the middle of two doubles that its own
 * rounding could have crossed it. */
static bool wide_quotient(const struct decimal *number, double *ret_value)
{
#if LDBL_MANT_DIG == 64
    enum { MIDDLE = 0x400, BELOW = 0x7FF };
    long double wide = (long double)number->digits / (long double)tens[number->decimals];
    uint64_t mantissa;
    memcpy(&mantissa, &wide, sizeof mantissa);
    uint64_t rest = mantissa & BELOW;
    *ret_value = (double)wide;
    return rest < MIDDLE - 1 || rest > MIDDLE + 1;
#else
    (void)number;
    (void)ret_value;
    return false;
#endif
}

double token_double(const struct token *value, const struct decimal *number)
{
    enum { DOUBLE_BITS = 53, COPY_BYTES = 64 };
    double result;
    bool small = number->exact && number->decimals >= 0 && number->decimals < (int)TENS;
    if (small && number->digits >> DOUBLE_BITS == 0)
        result = (double)number->digits / tens[number->decimals];
    else if (!small || !wide_quotient(number, &result)) {
        char copy[COPY_BYTES], *whole = NULL;
        char *text = value->length < sizeof copy ? copy : (whole = memory_alloc(value->length + 1));
        memcpy(text, value->start, value->length);
        text[value->length] = '\0';
        result = strtod(text, NULL);
        free(whole);
        return result;
    }
    return number->negative ? -result : result;
}

bool token_integer(const struct token *value, int64_t *ret_value)
{
    struct decimal number;
    if (value->kind != TOKEN_NUMBER || memchr(value->start, '.', value->length) != NULL ||
        memchr(value->start, 'e', value->length) != NULL ||
        memchr(value->start, 'E', value->length) != NULL || !token_decimal(value, &number) ||
        !number.exact || number.decimals != 0 || number.digits > INT64_MAX)
        return false;
    *ret_value = number.negative ? -(int64_t)number.digits : (int64_t)number.digits;
    return true;
}

bool token_unsigned(const struct token *value, uint64_t *ret_value)
{
    uint64_t number = 0;
    if (value->kind != TOKEN_NUMBER || value->length == 0)
        return false;
    for (uint32_t i = 0; i < value->length; i++) {
        if (value->start[i] < '0' || value->start[i] > '9' ||
            __builtin_mul_overflow(number, (uint64_t)10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(value->start[i] - '0'), &number))
            return false;
    }
    *ret_value = number;
    return true;
}
