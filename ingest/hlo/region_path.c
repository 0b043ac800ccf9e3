/* §12, rules 1 to 4: the framework path cleaned of wrappers and of runtime noise, else the name
 * split at its separators, else the name itself.
 */
#include "ingest/hlo/region_path.h"

#include "ops/runtime/text.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct part {
    const char *text;
    size_t length;
};

static const char *const wrappers[] = {"jit",  "jvp",        "transpose", "vmap",
                                       "pjit", "named_call", "remat",     "checkpoint"};

static const char *const noise_names[] = {
    "xla",       "xla_ops", "xla_modules", "xla_traceme", "xla_trace_me", "pallas_call",
    "shard_map", "call",    "execute",     "launch",      "tpu_launch"};
static const char *const noise_prefixes[] = {"pjrt", "xla_", "tpu_", "stream_executor"};
static const char capital_dotted_i[] = "\xC4\xB0";
static const char *const noise_words[] = {"launch", "execute", "thunk", "runtime"};

static void trim(struct part *part)
{
    text_strip(&part->text, &part->length);
}

static void trim_colons(struct part *part)
{
    trim(part);
    while (part->length > 0 && part->text[part->length - 1] == ':')
        part->length--;
    while (part->length > 0 && part->text[0] == ':') {
        part->text++;
        part->length--;
    }
}

static bool is_wrapper(const char *text, size_t length)
{
    for (size_t i = 0; i < COUNT_OF(wrappers); i++) {
        if (strlen(wrappers[i]) == length && memcmp(wrappers[i], text, length) == 0)
            return true;
    }
    return false;
}

/* `ident(inner)` to `inner`, as often as it fits; no line break may lie between the parentheses, so
 * that where the last one lies is asked once. */
static void unwrap(struct part *part)
{
    const char *line_break = memrchr(part->text, '\n', part->length);
    while (part->length > 0) {
        const char *open = memchr(part->text, '(', part->length);
        if (open == NULL || part->text[part->length - 1] != ')' ||
            !is_wrapper(part->text, (size_t)(open - part->text)) ||
            (line_break != NULL && line_break > open))
            return;
        part->length -= (size_t)(open - part->text) + 2;
        part->text = open + 1;
        trim(part);
    }
}

static void cut_donated(struct part *part)
{
    static const char prefix[] = "dynamic_donated";
    if (part->length < strlen(prefix) || memcmp(part->text, prefix, strlen(prefix)) != 0)
        return;
    const char *dot = memchr(part->text, '.', part->length);
    if (dot == NULL || dot + 1 == part->text + part->length)
        return;
    part->length -= (size_t)(dot + 1 - part->text);
    part->text = dot + 1;
}

/* A part of a framework path; its length becomes 0 when nothing is left of it. */
static void clean(struct part *part)
{
    trim_colons(part);
    unwrap(part);
    if (is_wrapper(part->text, part->length))
        part->length = 0;
    trim_colons(part);
    cut_donated(part);
}

/* Lower case, every run outside [a-z0-9_] one `_`, none at the ends. */
static char *noise_key(const struct part *part, struct arena *scratch)
{
    char *copy = arena_strndup(scratch, part->text, part->length);
    char *key = text_lower(scratch, copy);
    char *out = key;
    bool in_run = false;
    for (const char *p = key; *p != '\0'; p++) {
        if (strncmp(p, capital_dotted_i, strlen(capital_dotted_i)) == 0) {
            *out++ = 'i'; /* Python lowers it to i and a combining dot */
            *out++ = '_';
            in_run = true;
            p++;
            continue;
        }
        bool kept = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '_';
        if (kept || !in_run)
            *out++ = kept ? *p : '_';
        in_run = !kept;
    }
    while (out > key && out[-1] == '_')
        out--;
    *out = '\0';
    return key + strspn(key, "_");
}

static bool is_noise(const char *key)
{
    if (*key == '\0')
        return true;
    for (size_t i = 0; i < COUNT_OF(noise_names); i++) {
        if (strcmp(key, noise_names[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < COUNT_OF(noise_prefixes); i++) {
        if (strncmp(key, noise_prefixes[i], strlen(noise_prefixes[i])) == 0)
            return true;
    }
    for (size_t i = 0; i < COUNT_OF(noise_words); i++) {
        if (strstr(key, noise_words[i]) != NULL)
            return true;
    }
    return false;
}

struct collector {
    struct strings *strings;
    struct arena *scratch;
    struct region_path path;
};

/* Splits a text at a separator; keeps the parts that are worth a region. */
static void parts_collect(struct collector *collector, const char *text, const char *separator,
                          bool framework)
{
    size_t step = strlen(separator), most = 1;
    for (const char *p = text; (p = strstr(p, separator)) != NULL; p += step)
        most++;
    collector->path.parts = arena_array(collector->scratch, uint32_t, most);
    for (const char *p = text, *stop; p != NULL; p = stop == NULL ? NULL : stop + step) {
        stop = strstr(p, separator);
        struct part part = {p, stop == NULL ? strlen(p) : (size_t)(stop - p)};
        trim(&part);
        if (framework)
            clean(&part);
        if (part.length > 0 && !is_noise(noise_key(&part, collector->scratch)))
            collector->path.parts[collector->path.count++] =
                strings_add(collector->strings, part.text, part.length);
    }
}

void region_path_build(const struct path_source *source, struct strings *strings,
                       struct arena *scratch, struct region_path *ret_path)
{
    struct arena_mark mark = arena_mark(scratch);
    struct collector collector = {strings, scratch, {0}};
    if (source->tf_op != NULL)
        parts_collect(&collector, source->tf_op, "/", true);
    const bool is_framework = collector.path.count > 0;
    const char *separator = strstr(source->name, "=>") != NULL   ? "=>"
                            : strstr(source->name, "::") != NULL ? "::"
                                                                 : NULL;
    if (collector.path.count == 0 && separator != NULL)
        parts_collect(&collector, source->name, separator, false);
    uint32_t own = strings_add(strings, source->canonical, strlen(source->canonical));
    struct region_path found = collector.path;
    if (found.count == 0)
        found = (struct region_path){.parts = &own, .count = 1};
    uint32_t *parts = arena_array(strings->arena, uint32_t, found.count);
    memcpy(parts, found.parts, found.count * sizeof *parts);
    *ret_path = (struct region_path){parts, found.count, is_framework};
    arena_rewind(scratch, mark);
}
