/* "Did you mean …?": the nearest word by optimal string alignment distance (insert, delete,
 * replace, swap neighbours). */
#include "ops/runtime/text.h"

#include <stdio.h>
#include <string.h>

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
