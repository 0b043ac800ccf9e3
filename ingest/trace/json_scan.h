/* A tokenizer for JSON that lies in a window: values where they stand, nothing is copied.
 *
 * A scan that ends for want of bytes is repeated once more of them are there. It is lenient where
 * writers are careless (a comma before a bracket, NaN, control characters in texts) and looks only
 * into what it is asked for: what is skipped has its quotes and brackets in pairs, no more.
 */
#ifndef INGEST_TRACE_JSON_SCAN_H
#define INGEST_TRACE_JSON_SCAN_H

#include "ops/runtime/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bytes behind `end` that a scan may look at. */
enum { SCAN_SPARE = 16 };

struct json_scan {
    const char *p, *end;
    bool broken; /* the last failure was no want of bytes */
};

enum token_kind { TOKEN_NOTHING, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_COMPOUND };

struct token {
    enum token_kind kind;
    bool escaped;    /* a text with escapes */
    uint32_t length; /* of texts without their quotes */
    const char *start;
};

/* Goes over blanks. false: no byte is left. */
bool scan_blanks(struct json_scan *scan);

/* Takes any value; of objects and arrays only its place is told. */
bool scan_value(struct json_scan *scan, struct token *ret_value);

/* Takes a value of the next member of an object and its name; *ret_any is false at its end, which
 * is taken too. Begins behind `{`. */
bool scan_name(struct json_scan *scan, struct token *ret_name, bool *ret_any);

/* Behind a member or an item: takes the comma, if there is one. */
bool scan_comma(struct json_scan *scan);

static inline bool token_is(const struct token *value, const char *word)
{
    size_t length = strlen(word);
    return value->length == length && memcmp(value->start, word, length) == 0;
}

/* The text of a string, with its escapes resolved, invalid UTF-8 repaired and NUL, which would end
 * it, as U+FFFD. */
const char *token_text(const struct token *value, struct arena *arena);

/* A decimal number: digits * 10^-decimals, as exactly as 19 digits can say it. */
struct decimal {
    bool negative, exact; /* exact: there were no more digits */
    uint64_t digits;
    int decimals;
};

/* false when the value is no number. */
bool token_decimal(const struct token *value, struct decimal *ret_number);

/* The nearest double of a number's text, as strtod has it. */
double token_double(const struct token *value, const struct decimal *number);

/* false when it is no integer (7.0 is none) or does not fit. */
bool token_integer(const struct token *value, int64_t *ret_value);

/* The same of what is not below 0, up to 64 bits. */
bool token_unsigned(const struct token *value, uint64_t *ret_value);

#endif
