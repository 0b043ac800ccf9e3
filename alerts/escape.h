/* Clean text made harmless for one kind of receiver, and cut in the unit that the receiver counts.
 *
 * Every code point is escaped as one piece, so a cut never breaks an entity or a backslash from its
 * character.
 */
#ifndef ALERTS_ESCAPE_H
#define ALERTS_ESCAPE_H

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <stddef.h>

enum escape_style {
    ESCAPE_NONE,     /* plain text */
    ESCAPE_SLACK,    /* mrkdwn: & < > as entities, which also stops <!channel> */
    ESCAPE_MARKDOWN, /* a backslash before marks; a zero-width space behind @ and #, so that nobody
                        is called and no issue is linked */
    ESCAPE_CODE,     /* between ``` lines: backticks become apostrophes */
    ESCAPE_SLACK_CODE, /* the same in mrkdwn, which knows entities there too */
    ESCAPE_GOOGLE,     /* no <users/all>: a zero-width space behind <; no code marks */
    ESCAPE_HTML,       /* & < > " as entities */
    ESCAPE_STYLE_COUNT
};

enum escape_unit { ESCAPE_CHARACTERS, ESCAPE_BYTES };

struct escape_rule {
    enum escape_style style;
    enum escape_unit unit;
    size_t max; /* of what is appended, the closing "…" of a cut included */
};

/* Appends valid UTF-8 text; line breaks stay. */
void escape_add(struct text *out, const char *string, const struct escape_rule *rule);

/* The same as a new JSON string. */
json_t *escape_json(const char *string, const struct escape_rule *rule);

#endif
