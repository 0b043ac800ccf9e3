/* Splits paths at depth 0 only: scope names may hold slashes and parentheses of their own. */
#include "ingest/hlo/phase.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct part {
    const char *text;
    size_t length;
};

static bool has_prefix(const struct part *part, const char *prefix)
{
    size_t length = strlen(prefix);
    return part->length >= length && memcmp(part->text, prefix, length) == 0;
}

static bool part_contains(const struct part *part, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= part->length; i++) {
        if ((part->text[i] | 0x20) == *word && strncasecmp(part->text + i, word, length) == 0)
            return true;
    }
    return false;
}

/* The next part at *p, or false at the end. Brackets and parentheses hold parts together. */
static bool part_next(const char **p, const char *end, struct part *ret_part)
{
    if (*p > end)
        return false;
    int depth = 0;
    const char *from = *p, *at = from;
    for (; at < end && !(depth == 0 && *at == '/'); at++) {
        depth += *at == '(' || *at == '[';
        depth -= (*at == ')' || *at == ']') && depth > 0;
    }
    *ret_part = (struct part){from, (size_t)(at - from)};
    *p = at + 1;
    return true;
}

/* The end of the path before a `:Type` that the trace appends. */
static const char *path_end(const char *path)
{
    const char *end = path + strlen(path);
    int depth = 0;
    for (const char *p = end; p > path; p--) {
        depth += p[-1] == ')' || p[-1] == ']';
        depth -= p[-1] == '(' || p[-1] == '[';
        if (depth == 0 && p[-1] == '/')
            break;
        if (depth == 0 && p[-1] == ':')
            return p - 1;
    }
    return end;
}

/* `wrapper(inner)` without its wrapper, when it has one of these. */
static bool wrapper_strip(struct part *part, const char *const *wrappers)
{
    if (part->length == 0 || part->text[part->length - 1] != ')')
        return false;
    for (; *wrappers != NULL; wrappers++) {
        size_t length = strlen(*wrappers);
        if (has_prefix(part, *wrappers) && part->length > length && part->text[length] == '(') {
            part->text += length + 1;
            part->length -= length + 2;
            return true;
        }
    }
    return false;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static bool is_backward(struct part part)
{
    static const char *const outer[] = {"vmap", "pmap", "shard_map", NULL};
    while (wrapper_strip(&part, outer))
        continue;
    return has_prefix(&part, "transpose(");
}

/* `dynamic_update_slice` updates no weights: a bare `update` counts as a whole part only. */
static bool is_optimizer(const struct part *part)
{
    static const char *const words[] = {"optax", "optimizer", "adam", "apply_updates"};
    if (part->length == strlen("update") && has_prefix(part, "update"))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (part_contains(part, words[i]))
            return true;
    }
    return false;
}

const char *phase_of(const char *path, const char *name)
{
    if (strstr(name, ".remat") != NULL)
        return "recompute";
    if (path == NULL || *path == '\0')
        return "unattributed";
    bool recompute = false, backward = false, forward = false, optimizer = false;
    const char *end = path_end(path);
    struct part part;
    for (const char *p = path; part_next(&p, end, &part);) {
        recompute = recompute || part_contains(&part, "rematted_computation");
        backward = backward || is_backward(part);
        forward = forward || part_contains(&part, "jvp(");
        optimizer = optimizer || is_optimizer(&part);
    }
    return recompute   ? "recompute"
           : backward  ? "backward"
           : forward   ? "forward"
           : optimizer ? "optimizer"
                       : "other";
}

/* ---- canonical paths ------------------------------------------------------------------------- */

static bool is_dropped(const struct part *part)
{
    static const char *const programs[] = {"jit(", "pjit(", "pmap(", "xla_call("};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (has_prefix(part, programs[i]))
            return true;
    }
    return part->length == 0;
}

char *phase_path_canonical(const char *path, struct arena *arena)
{
    static const char *const transforms[] = {"jvp",   "transpose",  "vmap",      "pmap",
                                             "remat", "checkpoint", "shard_map", NULL};
    if (path == NULL)
        return arena_strdup(arena, "");
    char *copy = arena_alloc(arena, strlen(path) + 1);
    char *out = copy;
    const char *end = path_end(path);
    struct part part;
    for (const char *p = path; part_next(&p, end, &part);) {
        if (is_dropped(&part))
            continue;
        while (wrapper_strip(&part, transforms))
            continue;
        const char *parameters = memchr(part.text, '[', part.length);
        if (parameters != NULL && p > end)
            part.length = (size_t)(parameters - part.text);
        if (part.length == 0)
            continue;
        if (out != copy)
            *out++ = '/';
        memcpy(out, part.text, part.length);
        out += part.length;
    }
    *out = '\0';
    return copy;
}
