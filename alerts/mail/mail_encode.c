/* Implements the encodings; both kinds of quoting share the form =XX of a byte. */
#include "alerts/mail/mail_encode.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    FOLD_BYTES = 78,
    ENCODED_WORD_BYTES = 75,
    QUOTED_LINE_BYTES = 76,
    ESCAPE_BYTES_MAX = 12, /* a code point of four bytes as =XX */
    US_PER_S = 1000000
};

static const char word_opening[] = "=?utf-8?Q?", word_closing[] = "?=";

/* ---- fields ---- */

void mail_field_add(struct text *out, const char *name, const char *value)
{
    size_t column = strlen(name) + 1;
    text_addf(out, "%s:", name);
    for (const char *p = value + strspn(value, " "); *p != '\0';) {
        size_t length = strcspn(p, " ");
        if (column + 1 + length > FOLD_BYTES) {
            text_add(out, "\r\n");
            column = 0;
        }
        text_addc(out, ' ');
        text_addn(out, p, length);
        column += 1 + length;
        p += length;
        p += strspn(p, " ");
    }
    text_add(out, "\r\n");
}

/* Whether the value can stand as it is: printable ASCII, no word too long to be folded, single
 * blanks, and nothing that looks like an encoded word. */
static bool is_plain(const char *value)
{
    size_t word = 0;
    bool plain = value[0] != ' ' && strstr(value, "=?") == NULL && strstr(value, "  ") == NULL;
    for (const char *p = value; *p != '\0' && plain; p++) {
        word = *p == ' ' ? 0 : word + 1;
        plain = *p >= ' ' && *p <= '~' && word <= ENCODED_WORD_BYTES;
    }
    return plain;
}

/* The Q form of the next code point, with its length; blanks are '_' (RFC 2047 §4.2), and so
 * are control characters. */
static size_t q_next(const char **p, const char *end, char piece[ESCAPE_BYTES_MAX + 1])
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/";
    char bytes[4];
    size_t count = text_utf8_put(text_utf8_next(p, end), bytes), length = 0;
    if (count == 1 && (bytes[0] <= ' ' || bytes[0] == 127 || strchr(plain, bytes[0]) != NULL)) {
        piece[0] = bytes[0] <= ' ' || bytes[0] == 127 ? '_' : bytes[0];
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(piece + length, ESCAPE_BYTES_MAX + 1 - length, "=%02X",
                                   (unsigned)(unsigned char)bytes[i]);
    return length;
}

void mail_text_field_add(struct text *out, const char *name, const char *value)
{
    if (is_plain(value)) {
        mail_field_add(out, name, value);
        return;
    }
    const char *p = value, *end = value + strlen(value);
    size_t column = strlen(name) + 2, room = ENCODED_WORD_BYTES - (sizeof word_closing - 1);
    text_addf(out, "%s: %s", name, word_opening);
    for (column += sizeof word_opening - 1; p < end;) {
        char piece[ESCAPE_BYTES_MAX + 1];
        size_t length = q_next(&p, end, piece);
        if (column + length > room) {
            text_addf(out, "%s\r\n %s", word_closing, word_opening);
            column = 1 + sizeof word_opening - 1;
        }
        text_addn(out, piece, length);
        column += length;
    }
    text_addf(out, "%s\r\n", word_closing);
}

const char *mail_date(int64_t wall_us, char *buffer)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm parts = {0};
    time_t when = (time_t)(wall_us / US_PER_S);
    (void)gmtime_r(&when, &parts);
    (void)snprintf(buffer, MAIL_DATE_BYTES, "%s, %02d %s %04d %02d:%02d:%02d +0000",
                   days[parts.tm_wday], parts.tm_mday, months[parts.tm_mon], parts.tm_year + 1900,
                   parts.tm_hour, parts.tm_min, parts.tm_sec);
    return buffer;
}

/* ---- bodies ---- */

/* What must not begin a line: the end of the letter, a boundary, a separator of mailboxes. */
static bool is_marker(const char *p, size_t left)
{
    return p[0] == '.' || (left >= 2 && memcmp(p, "--", 2) == 0) ||
           (left >= 5 && memcmp(p, "From ", 5) == 0);
}

/* Whether the byte at p, with `left` bytes to the end of the line, must be quoted where it stands:
 * blanks at the end of a line would be lost on the way. */
static bool is_quoted(const char *p, size_t left, bool first)
{
    if (*p == ' ' || *p == '\t')
        return left == 1;
    return *p < '!' || *p > '~' || *p == '=' || (first && is_marker(p, left));
}

/* One line of the text; soft breaks ("=") keep the lines of the mail short. */
static void quoted_line_add(struct text *out, const char *line, size_t length)
{
    size_t column = 0;
    for (const char *p = line; p < line + length; p++) {
        size_t left = (size_t)(line + length - p);
        if (column + (is_quoted(p, left, column == 0) ? 3 : 1) > QUOTED_LINE_BYTES - 1) {
            text_add(out, "=\r\n");
            column = 0;
        }
        if (is_quoted(p, left, column == 0)) {
            text_addf(out, "=%02X", (unsigned)(unsigned char)*p);
            column += 3;
        } else {
            text_addc(out, *p);
            column++;
        }
    }
    text_add(out, "\r\n");
}

void mail_quoted_add(struct text *out, const char *string)
{
    for (const char *p = string; *p != '\0';) {
        size_t length = strcspn(p, "\n");
        quoted_line_add(out, p, length);
        p += length + (p[length] == '\n');
    }
}
