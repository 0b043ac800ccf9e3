/* Implements the tokens of netrc: words and "quoted words", comments, and macros, which end with an
 * empty line. */
#include "ops/net/wandb/netrc.h"

#include <string.h>

struct token {
    const char *start;
    size_t length;
};

static const char blanks[] = " \t\r\n";

static bool token_is(const struct token *token, const char *word)
{
    return strlen(word) == token->length && memcmp(word, token->start, token->length) == 0;
}

static bool token_next(const char **p, struct token *ret_token)
{
    for (;;) {
        *p += strspn(*p, blanks);
        if (**p != '#')
            break;
        *p += strcspn(*p, "\n");
    }
    if (**p == '\0')
        return false;
    bool quoted = **p == '"';
    const char *start = *p + quoted;
    size_t length = strcspn(start, quoted ? "\"\n" : blanks);
    if (quoted && start[length] != '"')
        return false;
    *p = start + length + quoted;
    *ret_token = (struct token){start, length};
    return true;
}

bool netrc_find(const char *text, const char *machine, const char **ret_start, size_t *ret_length)
{
    bool is_ours = false;
    struct token word, value;
    for (const char *p = text; token_next(&p, &word);) {
        if (token_is(&word, "default")) {
            is_ours = false;
        } else if (token_is(&word, "macdef")) {
            const char *end = strstr(p, "\n\n");
            p = end == NULL ? p + strlen(p) : end + 2;
        } else if (!token_next(&p, &value)) {
            return false;
        } else if (token_is(&word, "machine")) {
            is_ours = token_is(&value, machine);
        } else if (is_ours && token_is(&word, "password")) {
            *ret_start = value.start;
            *ret_length = value.length;
            return value.length > 0;
        }
    }
    return false;
}
