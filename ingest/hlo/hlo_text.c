/* A small recursive-free reader of the instruction's head: result shape, opcode, operand list. Of
 * attributes behind the operands only what an asynchronous op calls is looked at. A layout tells
 * the memory of an array that is not in the device's own: `{1,0:T(8,128)S(5)}` is in the host's.
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

/* ---- what goes on asynchronously ------------------------------------------------------------- */

static const char async_head[] = "async";

bool opcode_is_async(const char *opcode)
{
    static const char *const ends[] = {"-start", "-update", "-done"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strncmp(opcode, async_head, sizeof async_head - 1) == 0 &&
            strcmp(opcode + sizeof async_head - 1, ends[i]) == 0)
            return true;
    return false;
}

/* "-" and "_" are the same. */
static bool begins_with(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++)
        if (i >= length || (text[i] == '_' ? '-' : text[i]) != word[i])
            return false;
    return true;
}

const char *collective_of_name(const char *name, size_t length)
{
    static const char wrapped[] = "wrapped-";
    static const char *const kinds[] = {
        "all-reduce",         "all-gather",           "reduce-scatter", "ragged-all-to-all",
        "collective-permute", "collective-broadcast", "all-to-all"};
    if (length > 0 && *name == '%')
        name++, length--;
    if (begins_with(name, length, wrapped))
        name += sizeof wrapped - 1, length -= sizeof wrapped - 1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t kind = strlen(kinds[i]);
        if (begins_with(name, length, kinds[i]) &&
            (length == kind || strchr("-_. ", name[kind]) != NULL))
            return kinds[i];
    }
    return NULL;
}

char *collective_half(const char *collective, const char *async_opcode, struct arena *arena)
{
    return arena_printf(arena, "%s%s", collective, async_opcode + sizeof async_head - 1);
}

static const char *collective_at(const char *p, const char *end)
{
    const char *behind = p;
    while (behind < end && (is_identifier(*behind) || *behind == '%'))
        behind++;
    return collective_of_name(p, (size_t)(behind - p));
}

/* The kind of collective whose half an asynchronous op is, by its name, by that of what it goes on
 * with (a start's operand is its input, and tells nothing), or by that of what it calls. */
static const char *collective_behind(const char *text, const char *operands,
                                     const char *operands_end, const char *end, bool starts)
{
    static const char calls[] = "calls=";
    const char *found = collective_at(text, end);
    const char *operand = memchr(operands, '%', (size_t)(operands_end - operands));
    if (found == NULL && !starts && operand != NULL)
        found = collective_at(operand, operands_end);
    const char *called =
        memmem(operands_end, (size_t)(end - operands_end), calls, sizeof calls - 1);
    return found == NULL && called != NULL ? collective_at(called + sizeof calls - 1, end) : found;
}

static bool is_on_host(const char *p, const char *end)
{
    static const char space[] = "S(5)";
    return memmem(p, (size_t)(end - p), space, sizeof space - 1) != NULL;
}

/* Behind the first array of a shape, which may be a tuple. */
static const char *array_end(const char *p, const char *end)
{
    size_t depth = 0;
    for (; p < end; p++) {
        depth += *p == '[' || *p == '{';
        depth -= (*p == ']' || *p == '}') && depth > 0;
        if (depth == 0 && *p == ',')
            return p;
    }
    return end;
}

/* What a copy makes stands first, in its own result and in what its other half goes on with. */
static enum hlo_way way_of(const char *opcode, const char *result, const char *result_end,
                           const char *operands, const char *operands_end)
{
    if (strcmp(opcode, "copy") != 0 && strcmp(opcode, "copy-start") != 0 &&
        strcmp(opcode, "copy-done") != 0)
        return HLO_ON_DEVICE;
    if (is_on_host(result, array_end(result, result_end)))
        return HLO_TO_HOST;
    return is_on_host(operands, operands_end) ? HLO_FROM_HOST : HLO_ON_DEVICE;
}

void hlo_text_parse(const char *text, size_t length, struct arena *arena, struct hlo_text *ret_text)
{
    *ret_text = (struct hlo_text){0};
    const char *sign = memmem(text, length, " = ", 3);
    if (sign == NULL)
        return;
    struct reader reader = {sign + 3, text + length};
    const char *result = reader.p;
    if (!result_skip(&reader))
        return;
    const char *result_end = reader.p;
    spaces_skip(&reader);
    const char *opcode = reader.p;
    while (reader.p < reader.end && is_identifier(*reader.p))
        reader.p++;
    if (reader.p == opcode || reader.p == reader.end || *reader.p != '(')
        return;
    const char *operands_end = closing(reader.p, reader.end, '(', ')');
    if (operands_end == NULL)
        operands_end = reader.end;
    char *shapes = arena_alloc(arena, (size_t)(operands_end - result) + 1);
    ret_text->opcode = arena_strndup(arena, opcode, (size_t)(reader.p - opcode));
    if (opcode_is_async(ret_text->opcode)) {
        const bool starts = strcmp(ret_text->opcode, "async-start") == 0;
        const char *kind = collective_behind(text, reader.p, operands_end, text + length, starts);
        if (kind != NULL)
            ret_text->opcode = collective_half(kind, ret_text->opcode, arena);
    }
    ret_text->way = way_of(ret_text->opcode, result, result_end, reader.p, operands_end);
    char *out = shapes_copy(result, result_end, shapes);
    *shapes_copy(reader.p, operands_end, out) = '\0';
    ret_text->shapes = shapes;
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
