/* Word lists, tried in the reference's order. A name is searched for about forty short words, once
 * per distinct name, so plain searching is enough.
 */
#include "ingest/hlo/classify.h"

#include "ops/runtime/text.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const char *const collective_kind_names[COLLECTIVE_KIND_COUNT] = {
    "all-reduce",         "all-gather",       "reduce-scatter", "all-to-all",
    "collective-permute", "async-collective", "send-recv",      "other-collective"};

static const char *const stall_words[] = {"wait",           "barrier",   "dependency-wait",
                                          "donation holds", "semaphore", "acquire",
                                          "idle",           "blocked",   "sleep"};

static const char *const communication_words[] = {
    "all-reduce", "all_gather", "all-gather", "reduce-scatter", "all-to-all",
    "alltoall",   "collective", "permute",    "psum",           "send",
    "recv",       "nccl",       "allgather",  "allreduce",      "reducescatter"};

/* First hit wins; what hits none of these is an other-collective. */
static const struct {
    const char *word;
    int kind;
} collective_words[] = {{"all-reduce", 0},     {"allreduce", 0},     {"psum", 0},
                        {"all-gather", 1},     {"all_gather", 1},    {"allgather", 1},
                        {"reduce-scatter", 2}, {"reducescatter", 2}, {"all-to-all", 3},
                        {"alltoall", 3},       {"permute", 4},       {"async-collective", 5},
                        {"send", 6},           {"recv", 6}};

static const char *const marker_names[] = {"iota",      "constant", "bitcast",  "get-tuple-element",
                                           "parameter", "tuple",    "after-all"};
static const char *const marker_prefixes[] = {"copy-start", "copy-done"};

static bool contains_any(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(text, words[i]) != NULL)
            return true;
    }
    return false;
}

static int collective_kind(const char *lower)
{
    for (size_t i = 0; i < COUNT_OF(collective_words); i++) {
        if (strstr(lower, collective_words[i].word) != NULL)
            return collective_words[i].kind;
    }
    return COLLECTIVE_KIND_COUNT - 1;
}

/* A case-insensitive expression takes four more letters for ASCII ones than lowercasing does. */
static char *folded(struct arena *arena, const char *name)
{
    enum { DOTTED_CAPITAL_I = 0x130, DOTLESS_I = 0x131, LONG_S = 0x17F };
    char *lower = text_lower(arena, name);
    char *out = lower;
    for (const char *p = lower, *end = lower + strlen(lower); p < end;) {
        const char *from = p;
        uint32_t c = text_utf8_next(&p, end);
        if (c == DOTTED_CAPITAL_I || c == DOTLESS_I)
            *out++ = 'i';
        else if (c == LONG_S)
            *out++ = 's';
        else
            while (from < p)
                *out++ = *from++;
    }
    *out = '\0';
    return lower;
}

void name_classify(const char *name, struct arena *scratch, struct name_class *ret_class)
{
    const char *lower = text_lower(scratch, name), *fold = folded(scratch, name);
    bool stall = contains_any(fold, stall_words, COUNT_OF(stall_words));
    bool communication = contains_any(lower, communication_words, COUNT_OF(communication_words));
    ret_class->op_part = stall ? PART_STALL : communication ? PART_COMMUNICATION : PART_COMPUTE;
    ret_class->is_communication = communication;
    ret_class->collective = communication ? collective_kind(lower) : COLLECTIVE_NONE;
}

enum breakdown_part part_on_plane(const struct name_class *name_class, bool is_host, bool is_device)
{
    if (name_class->op_part == PART_STALL)
        return PART_STALL;
    if (is_host)
        return PART_HOST;
    if (name_class->is_communication)
        return PART_COMMUNICATION;
    return is_device ? PART_COMPUTE : PART_OTHER;
}

bool name_is_marker(const char *canonical_lower)
{
    for (size_t i = 0; i < COUNT_OF(marker_names); i++) {
        if (strcmp(canonical_lower, marker_names[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < COUNT_OF(marker_prefixes); i++) {
        if (strncmp(canonical_lower, marker_prefixes[i], strlen(marker_prefixes[i])) == 0)
            return true;
    }
    return false;
}
