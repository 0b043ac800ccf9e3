/* A small recursive-free reader of the instruction's head: result shape, opcode, operand list.
 * Attributes behind the operands are not looked at; they name computations by number.
 */
#include "ingest/hlo/hlo_text.h"

#include <ctype.h>
#include <string.h>

struct reader {
    const char *p, *end;
};

static bool is_identifier(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '$';
}

static void spaces_skip(struct reader *reader)
{
    while (reader->p < reader->end && *reader->p == ' ')
        reader->p++;
}

/* Behind the bracket that closes the one at p; NULL when there is none. */
static const char *closing(const char *p, const char *end, char open, char close)
{
    size_t depth = 0;
    for (; p < end; p++) {
        depth += *p == open;
        if (*p == close && --depth == 0)
            return p + 1;
    }
    return NULL;
}

/* Copies a shape or a list of typed operands without layouts and operand names. Behind a brace that
 * nothing closes, all stay: to look for the end of each would take the square of the length. */
static char *shapes_copy(const char *p, const char *end, char *out)
{
    size_t dimensions = 0;
    bool closes = true;
    while (p < end) {
        const char *behind = NULL;
        if (*p == '{' && closes) {
            behind = closing(p, end, '{', '}');
            closes = behind != NULL;
        } else if (*p == '%') {
            for (behind = p + 1; behind < end && is_identifier(*behind);)
                behind++;
        }
        if (behind != NULL) {
            p = behind;
            continue;
        }
        dimensions += *p == '[';
        dimensions -= *p == ']' && dimensions > 0;
        if (*p != ' ')
            *out++ = *p;
        p++;
    }
    return out;
}

/* The result: a tuple in parentheses, or a word up to the blank before the opcode. */
static bool result_skip(struct reader *reader)
{
    if (reader->p < reader->end && *reader->p == '(') {
        reader->p = closing(reader->p, reader->end, '(', ')');
        return reader->p != NULL;
    }
    while (reader->p < reader->end && *reader->p != ' ') {
        if (*reader->p != '{') {
            reader->p++;
            continue;
        }
        reader->p = closing(reader->p, reader->end, '{', '}');
        if (reader->p == NULL)
            return false;
    }
    return reader->p < reader->end;
}

bool hlo_text_parse(const char *text, size_t length, struct arena *arena, struct hlo_text *ret_text)
{
    *ret_text = (struct hlo_text){0};
    const char *sign = memmem(text, length, " = ", 3);
    if (sign == NULL)
        return true;
    struct reader reader = {sign + 3, text + length};
    const char *result = reader.p;
    if (!result_skip(&reader))
        return true;
    const char *result_end = reader.p;
    spaces_skip(&reader);
    const char *opcode = reader.p;
    while (reader.p < reader.end && is_identifier(*reader.p))
        reader.p++;
    if (reader.p == opcode || reader.p == reader.end || *reader.p != '(')
        return true;
    const char *operands_end = closing(reader.p, reader.end, '(', ')');
    if (operands_end == NULL)
        operands_end = reader.end;
    char *shapes = arena_alloc(arena, (size_t)(operands_end - result) + 1);
    ret_text->opcode = arena_strndup(arena, opcode, (size_t)(reader.p - opcode));
    if (shapes == NULL || ret_text->opcode == NULL)
        return false;
    char *out = shapes_copy(result, result_end, shapes);
    *shapes_copy(reader.p, operands_end, out) = '\0';
    ret_text->shapes = shapes;
    return true;
}

/* Cuts `.12`, `.clone`, `.remat2` and the like at the end: a dot and what XLA appends to a copy. */
static size_t suffix_cut(const char *name, size_t length)
{
    static const char *const marks[] = {"clone", "remat", "remat_compressed", "remat_uncompressed",
                                        "kd"};
    const char *dot = memrchr(name, '.', length);
    if (dot == NULL || dot == name)
        return length;
    const char *tail = dot + 1, *end = name + length;
    while (end > tail && isdigit((unsigned char)end[-1]))
        end--;
    bool known = end == tail;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && !known; i++)
        known = strlen(marks[i]) == (size_t)(end - tail) &&
                memcmp(marks[i], tail, (size_t)(end - tail)) == 0;
    return known ? (size_t)(dot - name) : length;
}

/* Cuts `_123` at the end, which stands for `.123` in the name of a fusion's kernel; `__1` tells
 * kernels of one name apart. */
static size_t number_cut(const char *name, size_t length)
{
    size_t digits = length;
    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    size_t stem = digits;
    while (stem > 0 && name[stem - 1] == '_')
        stem--;
    return digits < length && stem < digits && stem > 0 ? stem : length;
}

char *hlo_name_family(const char *name, struct arena *arena)
{
    name += strspn(name, "%");
    size_t length = strlen(name), before;
    do {
        before = length;
        length = suffix_cut(name, length);
    } while (length != before);
    do {
        before = length;
        length = number_cut(name, length);
    } while (length != before);
    return arena_strndup(arena, name, length);
}
