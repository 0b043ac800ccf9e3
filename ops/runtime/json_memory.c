/* Implements the allocator that jansson is given: malloc, and what it took is counted. */
#include "ops/runtime/json_memory.h"

#include <malloc.h>
#include <stdlib.h>

enum { CHUNK_HEAD_BYTES = 8 /* of glibc, beside what malloc_usable_size tells */ };

static struct arena *trees;
static _Thread_local bool reading, refused;

static size_t chunk_bytes(void *memory)
{
    return malloc_usable_size(memory) + CHUNK_HEAD_BYTES;
}

static void *tree_alloc(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) {
        refused = true;
        return NULL;
    }
    if (!reading)
        arena_charge(trees, chunk_bytes(memory));
    else if (!arena_reserve(trees, chunk_bytes(memory))) {
        refused = true;
        free(memory);
        return NULL;
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

json_t *json_memory_load(const char *data, size_t length, json_error_t *ret_where,
                         bool *ret_refused)
{
    reading = true;
    refused = false;
    json_t *root = json_loadb(data, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, ret_where);
    reading = false;
    *ret_refused = root == NULL && refused;
    return root;
}

bool json_memory_failed(const char *what, struct err *err)
{
    static const struct arena unknown;
    return arena_failed(trees == NULL ? &unknown : trees, what, err);
}
