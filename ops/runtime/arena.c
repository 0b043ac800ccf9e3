/* Implements the arena as a list of blocks that double in size up to 1 MiB; large requests get a
 * block of their own. */
#include "ops/runtime/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN_BYTES = 4096, BLOCK_MAX_BYTES = 1 << 20, ALIGN = 16 };

struct arena_block {
    struct arena_block *next; /* older */
    size_t size;              /* of data */
    size_t fill;
    size_t pad;
    char data[];
};

void arena_init(struct arena *arena, size_t budget_bytes)
{
    *arena = (struct arena){.budget_bytes = budget_bytes};
}

static void block_drop(struct arena *arena)
{
    struct arena_block *block = arena->head;
    arena->head = block->next;
    arena->used_bytes -= sizeof *block + block->size;
    free(block);
}

void arena_done(struct arena *arena)
{
    while (arena->head != NULL)
        block_drop(arena);
}

static bool block_add(struct arena *arena, size_t need)
{
    size_t size = arena->head == NULL ? BLOCK_MIN_BYTES : 2 * arena->head->size;
    if (size > BLOCK_MAX_BYTES)
        size = BLOCK_MAX_BYTES;
    if (size < need)
        size = need;
    size_t left = arena->budget_bytes - arena->used_bytes;
    if (sizeof(struct arena_block) > left || need > left - sizeof(struct arena_block))
        return false;
    if (size > left - sizeof(struct arena_block))
        size = left - sizeof(struct arena_block);
    struct arena_block *block = malloc(sizeof *block + size);
    if (block == NULL)
        return false;
    block->next = arena->head;
    block->size = size;
    block->fill = 0;
    arena->head = block;
    arena->used_bytes += sizeof *block + size;
    if (arena->used_bytes > arena->peak_bytes)
        arena->peak_bytes = arena->used_bytes;
    return true;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    size_t need = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (need == 0)
        need = ALIGN;
    if ((arena->head == NULL || arena->head->size - arena->head->fill < need) &&
        !block_add(arena, need))
        return NULL;
    void *result = arena->head->data + arena->head->fill;
    arena->head->fill += need;
    return result;
}

void *arena_zalloc(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *result = arena_alloc(arena, bytes);
    if (result != NULL)
        memset(result, 0, bytes);
    return result;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : arena_alloc(arena, length + 1);
    if (copy == NULL)
        return NULL;
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return text == NULL ? NULL : arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *result = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
    if (result != NULL)
        (void)vsnprintf(result, (size_t)length + 1, format, arguments);
    return result;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *result = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return result;
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return items;
    size_t wanted = *capacity == 0 ? 8 : *capacity;
    size_t bytes;
    if (__builtin_mul_overflow(wanted, (size_t)2, &wanted) ||
        __builtin_mul_overflow(wanted, item_size, &bytes))
        return NULL;
    void *moved = arena_alloc(arena, bytes);
    if (moved == NULL)
        return NULL;
    if (count > 0)
        memcpy(moved, items, count * item_size);
    *capacity = wanted;
    return moved;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){arena->head, arena->head == NULL ? 0 : arena->head->fill};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while (arena->head != mark.head)
        block_drop(arena);
    if (arena->head != NULL)
        arena->head->fill = mark.fill;
}

bool arena_failed(const struct arena *arena, const char *what, struct err *err)
{
    return err_set(err, ERR_LIMIT,
                   "no memory for %s: the limit max_memory_mb = %zu is used up; raise it with "
                   "--max-memory-mb or in the configuration",
                   what, arena->budget_bytes >> 20);
}
