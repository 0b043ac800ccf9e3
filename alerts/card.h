/* A message in one screen, before any receiver's form: what, how much, since which commit, which
 * ops, who can do what, and where to read on.
 *
 * All texts are clean (clean_add) and bounded, but not escaped: each kind of
 * receiver escapes and cuts them in its own way.
 */
#ifndef ALERTS_CARD_H
#define ALERTS_CARD_H

#include "alerts/message.h"

enum card_level { CARD_GOOD, CARD_WARN, CARD_BAD, CARD_NEUTRAL, CARD_BUSY, CARD_LEVEL_COUNT };

/* Parts are "" when there is nothing to say; only `link` may be NULL. */
struct card {
    enum card_level level;
    const char *title;   /* one line: "RESOLVED: llm/pretrain: step time ..." */
    const char *subject; /* "llm/pretrain" */
    const char *reasons; /* lines */
    const char *ops;     /* lines, in columns */
    const char *since;   /* lines: both sides with branch and commit */
    const char *actions; /* lines: what a person can do now */
    const char *link;
};

/* Of the verdict, or of the report. */
struct card card_make(const struct notice *notice, struct arena *arena);

/* Appends everything but title and link as plain text. */
void card_details_add(const struct card *card, struct text *out);

#endif
