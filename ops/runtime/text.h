/* Text: a growing buffer with a stated maximum, and the text rules that the documents need.
 *
 * struct text fails stickily: append freely, ask once at the end (text_ok). Its memory is its own
 * (malloc) and ends with text_done or is handed over by text_take. What is made of a text fails as
 * the text has: text_add_text, text_keep, text_keep_start, json_of_text and each function that
 * takes a text and an err; a sentence about another failure takes text_shown. `make lint` finds a
 * text that is used in none of these ways: cut, it would pass for a whole one.
 */
#ifndef OPS_RUNTIME_TEXT_H
#define OPS_RUNTIME_TEXT_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data; /* NUL-terminated once anything was added; NULL before */
    size_t length;
    size_t capacity;
    size_t max_bytes;
    bool failed; /* the maximum was reached; later appends do nothing */
};

/* max_bytes bounds the content. */
void text_init(struct text *text, size_t max_bytes);
/* In `place` of `size` bytes, which is the caller's: takes no memory, holds size - 1 bytes, and is
   not done with text_done. */
void text_init_in(struct text *text, char *place, size_t size);
/* Frees; accepts a zeroed struct. */
void text_done(struct text *text);

/* Appends: a string, bytes, one byte, a printf format. */
void text_add(struct text *text, const char *string);
/* Bytes may hold NUL. */
void text_addn(struct text *text, const char *bytes, size_t length);
/* So many bytes that the caller writes now, where it says; NULL when the text has failed. */
char *text_extend(struct text *text, size_t length);
/* One byte. */
void text_addc(struct text *text, char c);
/* A decimal integer. */
void text_add_i64(struct text *text, int64_t value);
/* As printf. */
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A word of a command line as a shell takes it. */
void text_add_shell_word(struct text *text, const char *word);

/* The content of another one; fails as that has. */
void text_add_text(struct text *text, const struct text *part);
/* Fails as another one has, of which it took something. */
void text_fail_as(struct text *text, const struct text *part);

/* The content, "" when empty; valid until the next append. */
const char *text_string(const struct text *text);
/* The same where it may be cut: for a sentence that says what failed. */
const char *text_shown(const struct text *text);

/* A copy in the arena, NULL when the text failed. */
char *text_keep(const struct text *text, struct arena *arena);
/* The same of a text whose maximum may cut it; never NULL. */
char *text_keep_start(const struct text *text, struct arena *arena);

/* false with ERR_LIMIT naming `what` when an append failed. */
bool text_ok(const struct text *text, const char *what, struct err *err);

/* Shortest decimal form that reads back as the same double, as Python's repr(float) prints it:
 * `100.0`, `1e-05`, `1e+16`, `inf`, `nan`. buffer holds at least TEXT_DOUBLE_BYTES. Returns buffer.
 */
enum { TEXT_DOUBLE_BYTES = 32 };
const char *text_double(double value, char *buffer);

/* Writes the decimal digits of value so that they end just before `end`; returns the first. At most
 * TEXT_DIGITS_MAX, no NUL. */
enum { TEXT_DIGITS_MAX = 20 };
char *text_digits_before(char *end, uint64_t value);

/* Lower-case hex of count bytes; out holds 2 * count + 1. */
void text_hex(const uint8_t *bytes, size_t count, char *out);

/* Length of the longest valid UTF-8 prefix (no surrogates, no overlong forms, at most U+10FFFF). */
size_t text_utf8_valid(const char *bytes, size_t length);

/* Length of the byte order mark that some editors put before the first letter: 3, or 0 for none. */
size_t text_utf8_mark(const char *bytes, size_t length);

/* Decodes one code point of valid UTF-8 at *p (before end), moves *p on. U+FFFD for an invalid
 * byte. Here as below nearly all texts are ASCII, which is answered at once. */
uint32_t text_utf8_next_long(const char **p, const char *end);
static inline uint32_t text_utf8_next(const char **p, const char *end)
{
    return (unsigned char)**p < 0x80 ? (unsigned char)*(*p)++ : text_utf8_next_long(p, end);
}

/* How many code points valid UTF-8 holds. */
size_t text_utf8_count(const char *bytes, size_t length);

/* Appends code point c as UTF-8 to out (at most 4 bytes); returns the number of bytes. */
size_t text_utf8_put(uint32_t c, char *out);

/* A copy with each invalid UTF-8 sequence replaced by U+FFFD, as Python's errors="replace" does.
 */
char *text_utf8_repair(struct arena *arena, const char *bytes, size_t length);

/* Python's str.strip(): drops Unicode white space at both ends of *start[0..*length). */
void text_strip(const char **start, size_t *length);

/* Python's int(str): blanks around, sign, `_` between digits, decimal digits of every script. false
 * when it is no integer or does not fit int64. */
bool text_python_int(const char *string, size_t length, int64_t *ret_value);

/* Value 0-9 of a decimal digit of any script (Unicode category Nd), -1 for other code points. */
int text_digit_value_long(uint32_t code_point);
static inline int text_digit_value(uint32_t code_point)
{
    if (code_point >= 0x80)
        return text_digit_value_long(code_point);
    return code_point >= '0' && code_point <= '9' ? (int)(code_point - '0') : -1;
}

/* true for the code points that Python's `\w` matches. */
bool text_is_word(uint32_t code_point);

/* true for the code points that Python's str.isspace() calls white space. */
bool text_is_space_long(uint32_t code_point);
static inline bool text_is_space(uint32_t code_point)
{
    if (code_point >= 0x80)
        return text_is_space_long(code_point);
    return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0D) ||
           (code_point >= 0x1C && code_point <= 0x1F);
}

/* Lower-case copy: ASCII letters and U+212A (Kelvin sign); what the substring rules of the
 * documents need. */
char *text_lower(struct arena *arena, const char *string);

/* Whether two texts are the same; one that is not there (NULL) is the same as another such. */
bool text_same(const char *a, const char *b);

/* Whether both texts are there and the same. */
bool text_same_told(const char *a, const char *b);

/* Where the word is among the words; count: it is none of them, or NULL. */
size_t text_index(const char *word, const char *const *words, size_t count);
/* Whether it is one of an array. */
#define text_is_one(word, words) \
    (text_index((word), (words), sizeof(words) / sizeof *(words)) < sizeof(words) / sizeof *(words))

/* The candidate nearest to word by edit distance, NULL when none is within a third of its length.
 */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

/* The same as the rest of a message: "; did you mean 'x'?", or "". */
struct text_suggestion {
    char words[96];
};
struct text_suggestion text_suggestion(const char *word, const char *const *candidates,
                                       size_t count);

/* The end of a message on a word that is none of a closed list, and all that there are: "; did you
 * mean 'b'? There are: a, b", or "; there are: a, b". */
struct text_choices {
    char words[900];
};
struct text_choices text_choices(const char *word, const char *const *choices, size_t count);

/* Whether one of the patterns (* and ?; comma-separated, blanks around each) is the value; NULL
 * patterns: all values are meant. */
bool text_fits_patterns(const char *patterns, const char *value);

/* Whether it is the ending or has it; of bytes, case counts. */
bool text_ends_with(const char *text, const char *ending);

/* Strict decimal integer without blanks; false on anything else or overflow. */
bool text_parse_i64(const char *string, int64_t *ret_value);
/* Strict finite decimal number (no hex, no inf, no nan). */
bool text_parse_double(const char *string, double *ret_value);

#define scoped_text __attribute__((cleanup(text_done))) struct text

/* Numbers for people: durations, percentages, counts, bytes. The one place that says how they look,
 * in reasons of a verdict, pages, charts and messages alike.
 *
 * Each function writes into the caller's buffer of FORMAT_BYTES, if nothing else is said, and
 * returns it.
 */

enum { FORMAT_BYTES = 48 };

/* A unit for a whole column of durations: what is compared must stand in one unit, with the same
 * number of decimals. */
struct duration_scale {
    double us_per_unit;
    const char *unit; /* ns, µs, ms, s */
    int decimals;
};

/* The unit in which the largest of the column reads best, with so many significant digits (2 to 6);
 * the sign is dropped. */
struct duration_scale duration_scale_for(double largest_us, int digits);

/* "412.30 ms" in the scale's unit; with_sign puts `+` before what is not negative. */
const char *format_in_scale(struct duration_scale scale, double us, bool with_sign, char *buffer);

/* A single duration in the unit that suits it, with so many significant digits (2 to 6): "412.3
 * ms", "83.21 µs". */
const char *format_duration(double us, int digits, char *buffer);
const char *format_duration_delta(double us, int digits, char *buffer); /* with its sign */

/* The value, or 0 where it is printed as a zero with so many decimals: the sign of one says
 * nothing. For every signed number that is printed otherwise than by the functions here. */
double format_zero(double value, int decimals);

/* With how many decimals, 1 to 4, one value reads otherwise than another that it is said to be
 * above or below of; 1 where they hardly differ. */
int format_decimals_apart(double a, double b);

/* "+4.8 %"; values below 0.05 in magnitude keep two decimals so that a change never reads as none.
 */
const char *format_percent_delta(double percent, char *buffer);
/* Two durations and what became of them, each number in one unit: "412.3 ms -> 431.9 ms (+4.8 %)".
 * The percentage is theirs and nobody else's; without one (before is not above 0) none stands
 * there. Writes FORMAT_CHANGE_BYTES at most. */
enum { FORMAT_CHANGE_BYTES = 3 * FORMAT_BYTES };
const char *format_change(double before_us, double after_us, char *buffer);

/* A ratio as "97.1 %", and a difference of two ratios in percentage points: "+0.9 pp". */
const char *format_share(double ratio, char *buffer);
const char *format_share_delta(double delta, char *buffer);

/* As format_share, with two digits that count where that would say 0.0 of what is more. */
const char *format_share_digits(double ratio, char *buffer);

/* "1 run", "3 runs", "2 entries": a count and what it counts, named in the singular. Writes
 * FORMAT_COUNTED_BYTES at most: the name is a word or a few. */
enum { FORMAT_COUNTED_BYTES = 96 };
const char *format_counted(int64_t count, const char *noun, char *buffer);

/* "26,723" */
const char *format_count(int64_t count, char *buffer);
/* "1.5 GiB", "812 B" */
const char *format_size(int64_t bytes, char *buffer);
const char *format_size_delta(int64_t bytes, char *buffer); /* with its sign */

#endif
