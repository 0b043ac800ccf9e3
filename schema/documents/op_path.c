/* Implements the cleaning of source paths part by part. */
#include "schema/documents/op_path.h"

#include <string.h>

struct part {
    const char *start;
    size_t length;
};

/* Takes away `word(` … `)` around the part. */
static bool part_unwrap(struct part *part, const char *word)
{
    size_t length = strlen(word);
    if (part->length < length + 2 || memcmp(part->start, word, length) != 0 ||
        part->start[length] != '(' || part->start[part->length - 1] != ')')
        return false;
    *part = (struct part){part->start + length + 1, part->length - length - 2};
    return true;
}

/* What JAX adds to the scopes that people write to its name stacks. */
static bool part_is_added(struct part part)
{
    static const char *const words[] = {"",
                                        "while",
                                        "body",
                                        "cond",
                                        "branch",
                                        "scan",
                                        "remat",
                                        "closed_call",
                                        "checkpoint",
                                        "core_call",
                                        "pjit",
                                        "custom_vjp_call",
                                        "shard_map",
                                        "custom_jvp_call",
                                        "rematted_computation"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (part.length == strlen(words[i]) && memcmp(part.start, words[i], part.length) == 0)
            return true;
    }
    return part_unwrap(&part, "jit") || part_unwrap(&part, "pjit") || part_unwrap(&part, "pmap");
}

static struct part part_written(struct part part)
{
    static const char *const marks[] = {"transpose", "jvp", "vmap", "remat", "checkpoint"};
    if (part.length > 0 && part.start[part.length - 1] == ':')
        part.length--;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            again |= part_unwrap(&part, marks[i]);
    }
    return part;
}

char *op_path_written(struct arena *arena, const char *path)
{
    char *written = arena_alloc(arena, strlen(path) + 1);
    char *out = written;
    for (const char *p = path;;) {
        size_t length = strcspn(p, "/");
        struct part part = part_written((struct part){p, length});
        if (!part_is_added(part)) {
            if (out > written)
                *out++ = '/';
            memcpy(out, part.start, part.length);
            out += part.length;
        }
        if (p[length] == '\0')
            break;
        p += length + 1;
    }
    *out = '\0';
    return written;
}
