/* The text of a question: its words, and what it asks about.
 *
 * Everything is a part of the text that was given: nothing is copied. Case does not count; words
 * are Python's `\w`.
 */
#ifndef OPS_PRESENT_QUERY_QUESTION_H
#define OPS_PRESENT_QUERY_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

/* A part of a valid UTF-8 text. */
struct phrase {
    const char *start;
    size_t length;
};

/* The whole of a text. */
struct phrase phrase_of(const char *text);

/* Without white space, quotes, commas and final punctuation around it, and without one leading "op"
 * or "operation" with white space behind it. */
struct phrase phrase_clean(struct phrase phrase);

/* The phrase is the text; stands anywhere in it; stands in it as whole words. */
bool phrase_equals(struct phrase phrase, const char *text);
bool phrase_within(struct phrase phrase, const char *text);
bool phrase_is_word_of(struct phrase phrase, const char *text);

/* What follows the first whole word `word` of the question, cleaned. false when the word is not
 * there or nothing is left. */
bool question_after(const char *question, const char *word, struct phrase *ret_rest);

/* The first word like `fusion.12`: a letter or `_`, word characters of ASCII, a point, digits. */
bool question_op_token(const char *question, struct phrase *ret_token);

/* Whether a word of the text starts like this. */
bool question_has_word_start(const char *text, const char *start);

/* The next run without white space, cleaned of punctuation; false at the end. *cursor moves on. */
bool question_next_token(const char **cursor, struct phrase *ret_token);

#endif
