/* Implements the forms: each begins with the line that is fit for every place; the marks of a form
 * are ASCII, so what follows goes byte by byte. */
#include "ops/runtime/text_harmless.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UTF8_MAX_BYTES = 4, SAID_MAX_BYTES = 64 << 10 };

static const uint32_t REPLACEMENT = 0xFFFD;
static const char BREAK[] = "<!-- -->"; /* what GitHub looks for does not reach over a comment */
static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool harmless_hides(uint32_t code_point)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0000, 0x001F},   /* C0 controls */
        {0x007F, 0x009F},   /* DEL and C1 controls */
        {0x00AD, 0x00AD},   /* soft hyphen */
        {0x061C, 0x061C},   /* Arabic letter mark */
        {0x180E, 0x180E},   /* Mongolian vowel separator */
        {0x200B, 0x200F},   /* zero-width space and joiners, direction marks */
        {0x2028, 0x202E},   /* line and paragraph separators, direction embeddings */
        {0x2060, 0x206F},   /* invisible operators, direction isolates */
        {0xFEFF, 0xFEFF},   /* byte order mark */
        {0xFFF9, 0xFFFB},   /* interlinear annotation */
        {0xFFFE, 0xFFFF},   /* noncharacters */
        {0xE0000, 0xE007F}, /* tags */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && ranges[i].first <= code_point; i++) {
        if (code_point <= ranges[i].last)
            return true;
    }
    return false;
}

/* ---- the line -----------------------------------------------------------------------------------
 */

/* Bytes up to where a backslash breaks a command of a CI system that begins here; *ret_is_command
 * false: none does. */
static size_t command_lead(const char *p, bool begins_word, bool *ret_is_command)
{
    size_t letters = p[0] == '#' && p[1] == '#' ? strspn(p + 2, LETTERS) : 0;
    bool hashes = p[0] == '#' && p[1] == '#' && p[2 + letters] == '[';
    bool colons =
        begins_word && p[0] == ':' && p[1] == ':' && p[2] != '\0' && strchr(LETTERS, p[2]) != NULL;
    *ret_is_command = hashes || colons;
    return hashes ? 2 + letters : 0;
}

static void line_add(struct text *out, const char *text)
{
    bool begins_word = true, is_command;
    for (const char *end = text + strlen(text); text < end;) {
        size_t lead = command_lead(text, begins_word, &is_command);
        text_addn(out, text, lead);
        text += lead;
        if (is_command)
            text_addc(out, '\\');
        uint32_t c = text_utf8_next(&text, end);
        char bytes[UTF8_MAX_BYTES];
        begins_word = text_is_space(c);
        if (harmless_hides(c))
            c = begins_word ? ' ' : REPLACEMENT;
        text_addn(out, bytes, text_utf8_put(c, bytes));
    }
}

/* ---- logfmt -------------------------------------------------------------------------------------
 */

/* The value between quotes; false: it needs none. */
static bool quoted_make(const char *text, struct text *ret_quoted)
{
    bool needs = *text == '\0', is_command;
    for (const char *end = text + strlen(text); text < end;) {
        size_t lead = command_lead(text, false, &is_command);
        text_addn(ret_quoted, text, lead);
        text += lead;
        const char *start = text;
        uint32_t c = text_utf8_next(&text, end);
        bool is_invalid = c == REPLACEMENT && strncmp(start, "\xef\xbf\xbd", 3) != 0;
        bool as_bytes = is_command || is_invalid || harmless_hides(c);
        needs |= as_bytes || c == ' ' || c == '"' || c == '=';
        for (; as_bytes && start < text; start++)
            text_addf(ret_quoted, "\\x%02x", (unsigned char)*start);
        text_add(ret_quoted, c == '"' || (c == '\\' && !as_bytes) ? "\\" : "");
        text_addn(ret_quoted, start, (size_t)(text - start));
    }
    return needs;
}

/* ---- forms that replace single marks ------------------------------------------------------------
 */

struct mark {
    char from;
    const char *to;
};

static const struct mark markup_marks[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
                                           {'"', "&quot;"}, {'\'', "&#39;"}, {0, NULL}};
static const struct mark annotation_marks[] = {{'%', "%25"}, {0, NULL}};
static const struct mark title_marks[] = {{'%', "%25"}, {':', "%3A"}, {',', "%2C"}, {0, NULL}};

static void marks_replace(const char *text, const struct mark *marks, struct text *out)
{
    for (; *text != '\0'; text++) {
        const struct mark *mark = marks;
        while (mark->to != NULL && mark->from != *text)
            mark++;
        if (mark->to != NULL)
            text_add(out, mark->to);
        else
            text_addc(out, *text);
    }
}

/* ---- Markdown -----------------------------------------------------------------------------------
 */

static void code_add(const char *text, size_t length, bool in_table, struct text *out)
{
    size_t backslashes = 0;
    for (const char *end = text + length; text < end; text++) {
        if (*text == '|' && in_table)
            /* It ends a cell, in code too, unless an odd number of backslashes stands before it. */
            text_add(out, backslashes % 2 == 0 ? "\\|" : "\\\\|");
        else
            text_addc(out, *text);
        backslashes = *text == '\\' ? backslashes + 1 : 0;
    }
}

/* The length of a code span that begins here, both backticks included; 0: none does. Within it
 * nothing is markup, whoever wrote it. */
static size_t code_span(const char *p)
{
    size_t length = *p == '`' ? strcspn(p + 1, "`") : 0;
    bool closes = length > 0 && p[length + 1] == '`' && p[length + 2] != '`';
    return closes ? length + 2 : 0;
}

static bool starts_link(const char *p)
{
    return *p == '@' || *p == '#' || strncmp(p, "://", 3) == 0 || strncmp(p, "www.", 4) == 0;
}

static void markdown_mark(const char *p, struct text *out)
{
    text_add(out, strchr("\\`*_[]<|~&", *p) != NULL ? "\\" : "");
    text_addc(out, *p);
    text_add(out, starts_link(p) ? BREAK : "");
}

/* Marks stay but what begins raw HTML, ends the words of a link or a picture, or would make a code
 * span or an escape of another length than code_span takes it for. */
static void prose_mark(const char *p, struct text *out)
{
    static const struct mark marks[] = {{'<', "&lt;"}, {'\\', "&#92;"}, {'`', "&#96;"}, {0, NULL}};
    bool ends_words = *p == ']' && (p[1] == '(' || p[1] == '[' || p[1] == ':');
    char one[] = {*p, '\0'};
    if (ends_words)
        text_add(out, "&#93;");
    else
        marks_replace(one, marks, out);
    text_add(out, *p != '#' && starts_link(p) ? BREAK : "");
}

static void marked_add(const char *text, enum harmless_form form, struct text *out)
{
    for (const char *p = text; *p != '\0';) {
        size_t span = code_span(p), ticks = strspn(p, "`");
        code_add(p, span, form == HARMLESS_MARKDOWN_CELL, out);
        p += span;
        if (span > 0)
            continue;
        do { /* a run of backticks begins no span in its middle */
            if (form == HARMLESS_PROSE)
                prose_mark(p++, out);
            else
                markdown_mark(p++, out);
        } while (ticks-- > 1);
    }
}

/* ---- all ----------------------------------------------------------------------------------------
 */

void harmless_add(struct text *out, enum harmless_form form, const char *text)
{
    static const struct mark tick_marks[] = {{'`', "'"}, {0, NULL}};
    static const struct mark *const marks[] = {
        [HARMLESS_MARKUP] = markup_marks,
        [HARMLESS_CODE] = tick_marks,
        [HARMLESS_ANNOTATION] = annotation_marks,
        [HARMLESS_ANNOTATION_TITLE] = title_marks,
    };
    if (form == HARMLESS_LINE) {
        line_add(out, text);
        return;
    }
    if (form == HARMLESS_LOG) {
        char place[SAID_MAX_BYTES];
        struct text quoted;
        text_init_in(&quoted, place, sizeof place);
        bool needs = quoted_make(text, &quoted);
        text_add(out, needs ? "\"" : "");
        for (const char *p = needs ? text_shown(&quoted) : text; *p != '\0' && !out->failed; p++)
            text_addc(out, *p); /* one by one: a line that is too long is cut, not lost */
        text_add(out, needs ? "\"" : "");
        return;
    }
    scoped_text line;
    text_init(&line, SIZE_MAX);
    line_add(&line, text);
    if (form == HARMLESS_MARKDOWN || form == HARMLESS_MARKDOWN_CELL || form == HARMLESS_PROSE) {
        marked_add(text_string(&line), form, out);
    } else if (form == HARMLESS_CODE) {
        scoped_text code;
        text_init(&code, SIZE_MAX);
        marks_replace(text_string(&line), marks[form], &code);
        code_add(text_string(&code), code.length, true, out);
        text_fail_as(out, &code);
    } else {
        marks_replace(text_string(&line), marks[form], out);
    }
    text_fail_as(out, &line);
}

void harmless_lines(struct text *out, const char *lines)
{
    scoped_text line;
    text_init(&line, SIZE_MAX);
    for (;;) {
        size_t length = strcspn(lines, "\n");
        line.length = 0;
        text_addn(&line, lines, length);
        line_add(out, text_string(&line));
        if (lines[length] == '\0')
            break;
        text_addc(out, '\n');
        lines += length + 1;
    }
    text_fail_as(out, &line);
}

/* As printf into `formatted`, which is then made one harmless line. */
__attribute__((format(printf, 2, 0))) static void line_format(struct text *out, const char *format,
                                                              va_list args)
{
    char *formatted = NULL;
    if (vasprintf(&formatted, format, args) < 0)
        memory_end();
    line_add(out, formatted);
    free(formatted);
    text_addc(out, '\n');
}

void harmless_line(struct text *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    line_format(out, format, args);
    va_end(args);
}

void harmless_say(const char *format, ...)
{
    scoped_text line;
    text_init(&line, SAID_MAX_BYTES);
    va_list args;
    va_start(args, format);
    line_format(&line, format, args);
    va_end(args);
    (void)fputs(text_shown(&line), stderr);
}

char *harmless_copy(struct arena *arena, const char *text)
{
    scoped_text line;
    text_init(&line, SIZE_MAX);
    line_add(&line, text);
    return text_keep(&line, arena);
}

/* Cleaning: the next code point that is kept; those that hide are left out. false at the end. */
static bool kept_next(const char **p, const char *end, uint32_t *ret_c)
{
    while (*p < end) {
        uint32_t c = text_utf8_next(p, end);
        *ret_c = text_is_space(c) ? ' ' : c;
        if (!harmless_hides(*ret_c))
            return true;
    }
    return false;
}

enum { WORD_MAX_BYTES = 48 };

/* "412.3", "(+4.8", "+18.9" and what stands between two of them. */
static bool is_dangling(const char *word, size_t length)
{
    static const char *const arrows[] = {"->", "-&gt;", "-\\>"};
    for (size_t i = 0; i < sizeof arrows / sizeof arrows[0]; i++) {
        if (strlen(arrows[i]) == length && strncmp(arrows[i], word, length) == 0)
            return true;
    }
    size_t lead = strspn(word, "(+-");
    return lead < length && word[lead] >= '0' && word[lead] <= '9';
}

void cut_mark(struct text *out, size_t start, bool is_within)
{
    for (bool partial = is_within; !out->failed && out->data != NULL; partial = false) {
        size_t end = out->length;
        while (end > start && out->data[end - 1] == ' ')
            end--;
        size_t word = end; /* where the word begins that ends there */
        while (word > start && out->data[word - 1] != ' ' && out->data[word - 1] != '\n')
            word--;
        bool goes = partial || is_dangling(out->data + word, end - word);
        if (word <= start || end - word > WORD_MAX_BYTES || !goes)
            break;
        out->length = word;
    }
    if (!out->failed && out->data != NULL)
        out->data[out->length] = '\0';
    text_add(out, "\xe2\x80\xa6");
}

void clean_add(struct text *out, const char *string, size_t max_chars, const char *absent)
{
    if (string == NULL) {
        text_add(out, absent);
        return;
    }
    const char *end = string + strlen(string), *p = string;
    uint32_t c;
    size_t count = 0;
    while (count <= max_chars && kept_next(&p, end, &c))
        count++;
    bool cut = count > max_chars;
    size_t shown = cut && max_chars > 0 ? max_chars - 1 : max_chars;
    p = string;
    size_t start = out->length;
    for (size_t i = 0; i < shown && kept_next(&p, end, &c); i++) {
        char bytes[UTF8_MAX_BYTES];
        text_addn(out, bytes, text_utf8_put(c, bytes));
    }
    if (cut)
        cut_mark(out, start, out->length > start && kept_next(&p, end, &c) && c != ' ');
}
