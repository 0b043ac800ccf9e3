/* Implements the allocator that jansson is given: malloc, and what it took is counted.
 *
 * jansson 2.14 must not be refused memory while it reads: its buffer of a token then lacks bytes,
 * among them the closing quote, and it writes on behind its end. So what is beyond the budget is
 * given, and the text ends there: the KiB that jansson holds of it is read. Where the machine has
 * none, the process ends with words.
 */
#include "ops/runtime/json_memory.h"

#include "ops/runtime/text_harmless.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum { CHUNK_HEAD_BYTES = 8 /* of glibc, beside what malloc_usable_size tells */ };

static struct arena *trees;
static _Thread_local bool reading, refused;
static _Thread_local bool lacked; /* the machine had none for a tree that was being built */

static size_t chunk_bytes(void *memory)
{
    return malloc_usable_size(memory) + CHUNK_HEAD_BYTES;
}

static void *tree_alloc(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL && reading) {
        harmless_say("stepledger: no memory to read JSON: end other programs, or try again later");
        _exit(EX_TEMPFAIL);
    }
    lacked |= memory == NULL;
    if (memory != NULL && (!reading || !arena_reserve(trees, chunk_bytes(memory)))) {
        refused |= reading;
        arena_charge(trees, chunk_bytes(memory));
    }
    return memory;
}

static void tree_free(void *memory)
{
    if (memory != NULL)
        arena_release(trees, chunk_bytes(memory));
    free(memory);
}

void json_memory_within(struct arena *owner)
{
    trees = owner;
    json_set_alloc_funcs(tree_alloc, tree_free);
}

void json_memory_arena(struct arena *arena, size_t most)
{
    if (trees != NULL)
        arena_init_within(arena, trees);
    else
        arena_init(arena, most);
}

struct input {
    const char *data;
    size_t left;
};

/* Up to `room` bytes more; none once the budget is used up. */
static size_t input_give(void *to, size_t room, void *from)
{
    struct input *input = from;
    size_t count = input->left < room ? input->left : room;
    if (refused)
        return 0;
    memcpy(to, input->data, count);
    input->data += count;
    input->left -= count;
    return count;
}

json_t *json_memory_load(const char *data, size_t length, json_error_t *ret_where,
                         bool *ret_refused)
{
    struct input input = {data, length};
    reading = true;
    refused = false;
    json_t *root =
        json_load_callback(input_give, &input, JSON_DECODE_ANY | JSON_ALLOW_NUL, ret_where);
    reading = false;
    *ret_refused = refused;
    if (!refused)
        return root;
    json_decref(root); /* a number may be valid where it was cut */
    return NULL;
}

bool json_memory_lacked(void)
{
    bool was = lacked;
    lacked = false;
    return was;
}

bool json_memory_failed(const char *what, struct err *err)
{
    static const struct arena unknown;
    return arena_failed(trees == NULL ? &unknown : trees, what, err);
}
