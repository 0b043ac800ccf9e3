#include "ops/net/remote_words.h"
#include "ops/runtime/text_harmless.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { WORDS_CHARS = 300, LONG_TOKEN = 40, WORDS_MAX_BYTES = 16 * 1024 };

static size_t token_length(const char *p)
{
    size_t length = 0;
    while (isalnum((unsigned char)p[length]) || (p[length] != '\0' && strchr("_-+=", p[length])))
        length++;
    return length;
}

static void redacted_add(struct text *out, const char *words, const char *key)
{
    bool in_url = false;
    for (const char *p = words; *p != '\0';) {
        size_t token = token_length(p), taken = token > 0 ? token : 1;
        in_url = (in_url || strncmp(p, "://", 3) == 0) && !isspace((unsigned char)*p);
        if (key != NULL && key[0] != '\0' && strncmp(p, key, strlen(key)) == 0) {
            text_add(out, "[key]");
            taken = strlen(key);
        } else if (token >= LONG_TOKEN) {
            text_add(out, "[…]");
        } else if (in_url && (*p == '?' || *p == '@')) {
            text_add(out, "[…]");
            taken = strcspn(p, " \"'<>)");
        } else {
            text_addn(out, p, taken);
        }
        p += taken;
    }
}

void remote_words_add(struct text *out, const char *words, const char *key)
{
    scoped_text clean, shown;
    text_init(&clean, WORDS_MAX_BYTES);
    text_init(&shown, WORDS_MAX_BYTES);
    redacted_add(&shown, words, key);
    clean_add(&clean, text_string(&shown), WORDS_CHARS, "");
    text_add_text(out, &clean);
    text_fail_as(out, &shown);
}
