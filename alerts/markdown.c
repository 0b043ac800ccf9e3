/* Implements the form: every text escaped for its place, cut before the next one begins. */
#include "alerts/markdown.h"

#include <string.h>

static const struct escape_rule title_rule = {ESCAPE_MARKDOWN, ESCAPE_CHARACTERS, 1000},
                                text_rule = {ESCAPE_MARKDOWN, ESCAPE_CHARACTERS, 3000},
                                code_rule = {ESCAPE_CODE, ESCAPE_CHARACTERS, 3000};

/* The receiver joins lines of a paragraph; two blanks at the end keep them apart. */
static void lines_add(struct text *out, const char *string)
{
    scoped_text escaped;
    text_init(&escaped, SIZE_MAX);
    escape_add(&escaped, string, &text_rule);
    text_fail_as(out, &escaped);
    for (const char *p = text_string(&escaped); *p != '\0';) {
        size_t length = strcspn(p, "\n");
        text_addn(out, p, length);
        text_add(out, p[length] == '\n' ? "  \n" : "\n");
        p += length + (p[length] == '\n');
    }
    text_addc(out, '\n');
}

void markdown_add(const struct card *card, struct text *out)
{
    text_add(out, "**");
    escape_add(out, card->title, &title_rule);
    text_add(out, "**\n\n");
    /* Everything but the title, for receivers that show it elsewhere. */
    if (card->reasons[0] != '\0')
        lines_add(out, card->reasons);
    if (card->ops[0] != '\0') {
        text_add(out, "```\n");
        escape_add(out, card->ops, &code_rule);
        text_add(out, "\n```\n\n");
    }
    if (card->since[0] != '\0')
        lines_add(out, card->since);
    if (card->actions[0] != '\0') {
        text_add(out, "```\n");
        escape_add(out, card->actions, &code_rule);
        text_add(out, "\n```\n");
    }
    if (card->link != NULL)
        text_addf(out, "\n[Open the report](%s)\n", card->link);
}
