/* The growing buffer of text.h (doubling, bounded, sticky failure), and the nearest word. */
#include "ops/runtime/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_FIRST_BYTES = 256 };

void text_init(struct text *text, size_t max_bytes)
{
    *text = (struct text){.max_bytes = max_bytes};
}

void text_init_in(struct text *text, char *place, size_t size)
{
    place[0] = '\0';
    *text = (struct text){.data = place, .capacity = size, .max_bytes = size - 1};
}

void text_done(struct text *text)
{
    free(text->data);
    *text = (struct text){.max_bytes = text->max_bytes};
}

/* Makes room for `more` bytes and a closing NUL. */
static bool text_reserve(struct text *text, size_t more)
{
    if (text->failed || more > text->max_bytes - text->length) {
        text->failed = true;
        return false;
    }
    size_t need = text->length + more + 1;
    if (need <= text->capacity)
        return true;
    size_t capacity = text->capacity < TEXT_FIRST_BYTES ? TEXT_FIRST_BYTES : text->capacity;
    while (capacity < need)
        capacity *= 2;
    text->data = memory_resize(text->data, capacity);
    text->capacity = capacity;
    return true;
}

char *text_extend(struct text *text, size_t length)
{
    if (!text_reserve(text, length))
        return NULL;
    char *place = text->data + text->length;
    text->length += length;
    place[length] = '\0';
    return place;
}

void text_addn(struct text *text, const char *bytes, size_t length)
{
    char *place = text_extend(text, length);
    if (place != NULL && length > 0)
        memcpy(place, bytes, length);
}

void text_add(struct text *text, const char *string)
{
    text_addn(text, string, strlen(string));
}

void text_addc(struct text *text, char c)
{
    if (!text_reserve(text, 1))
        return;
    text->data[text->length++] = c;
    text->data[text->length] = '\0';
}

void text_add_i64(struct text *text, int64_t value)
{
    char digits[1 + TEXT_DIGITS_MAX], *end = digits + sizeof digits;
    char *first = text_digits_before(end, value < 0 ? -(uint64_t)value : (uint64_t)value);
    if (value < 0)
        *--first = '-';
    text_addn(text, first, (size_t)(end - first));
}

void text_addf(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        memory_end();
    if (!text_reserve(text, (size_t)length))
        return;
    va_start(args, format);
    (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

void text_add_text(struct text *text, const struct text *part)
{
    text_addn(text, text_string(part), part->length);
    text_fail_as(text, part);
}

void text_fail_as(struct text *text, const struct text *part)
{
    text->failed |= part->failed;
}

const char *text_string(const struct text *text)
{
    return text->length == 0 ? "" : text->data;
}

const char *text_shown(const struct text *text)
{
    return text_string(text);
}

char *text_keep(const struct text *text, struct arena *arena)
{
    return text->failed ? NULL : arena_strndup(arena, text_string(text), text->length);
}

char *text_keep_start(const struct text *text, struct arena *arena)
{
    return arena_strndup(arena, text_string(text), text->length);
}

bool text_ok(const struct text *text, const char *what, struct err *err)
{
    if (!text->failed)
        return true;
    return err_set(err, ERR_LIMIT, "%s is longer than its limit of %zu bytes", what,
                   text->max_bytes);
}

/* "Did you mean …?": the nearest word by optimal string alignment distance (insert, delete,
 * replace, swap neighbours). */

enum { WORD_MAX = 64 };

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = min_size(replaced, min_size(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min_size(now[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b_length];
}

size_t text_index(const char *word, const char *const *words, size_t count)
{
    size_t i = 0;
    while (word != NULL && i < count && strcmp(words[i], word) != 0)
        i++;
    return word == NULL ? count : i;
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    if (length > WORD_MAX)
        return NULL;
    const char *best = NULL;
    size_t best_distance = length / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        if (other > WORD_MAX)
            continue;
        size_t distance = word_distance(word, length, candidates[i], other);
        if (distance < best_distance || (distance == best_distance && best == NULL)) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}

struct text_suggestion text_suggestion(const char *word, const char *const *candidates,
                                       size_t count)
{
    struct text_suggestion suggestion = {""};
    const char *near = text_nearest(word, candidates, count);
    if (near != NULL)
        (void)snprintf(suggestion.words, sizeof suggestion.words, "; did you mean '%s'?", near);
    return suggestion;
}

struct text_choices text_choices(const char *word, const char *const *choices, size_t count)
{
    struct text_choices told = {""};
    struct text_suggestion near = text_suggestion(word, choices, count);
    scoped_text list;
    text_init(&list, sizeof told.words);
    text_addf(&list, "%s%s", near.words, near.words[0] != '\0' ? " There are: " : "; there are: ");
    for (size_t i = 0; i < count; i++)
        text_addf(&list, "%s%s", i == 0 ? "" : ", ", choices[i]);
    (void)snprintf(told.words, sizeof told.words, "%s", text_shown(&list));
    return told;
}

bool text_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool text_same_told(const char *a, const char *b)
{
    return a != NULL && text_same(a, b);
}

bool text_ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

bool text_fits_patterns(const char *patterns, const char *value)
{
    char pattern[256];
    for (const char *p = patterns; p != NULL && *p != '\0';) {
        const char *start = p;
        size_t part = strcspn(p, ","), length = part;
        text_strip(&start, &length);
        if (length > 0 && length < sizeof pattern) {
            memcpy(pattern, start, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, value == NULL ? "" : value, FNM_NOESCAPE) == 0)
                return true;
        }
        p += part + (p[part] == ',');
    }
    return patterns == NULL;
}

void text_add_shell_word(struct text *text, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-./:@%+=,";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        text_add(text, word);
        return;
    }
    text_addc(text, '\'');
    for (const char *p = word; *p != '\0'; p++)
        text_add(text, *p == '\'' ? "'\\''" : (char[]){*p, '\0'});
    text_addc(text, '\'');
}
