/* One arena per unit of work (a profile, a comparison, a delivery): memory that is released all at
 * once.
 *
 * Each arena has a budget in bytes. Beyond it, or when the system has no memory, arena_alloc
 * returns NULL and the caller reports that with arena_failed, which tells the two apart. Pointers
 * stay valid until arena_rewind past them, or arena_done. An arena is used by one thread at a time.
 * Those that lie within another share its budget, whatever their threads: what one unit of work
 * takes is bounded, in however many arenas it keeps it.
 */
#ifndef OPS_RUNTIME_ARENA_H
#define OPS_RUNTIME_ARENA_H

#include "ops/runtime/err.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *head; /* newest block */
    struct arena *outer;      /* whose budget counts as well; NULL = none */
    atomic_size_t used_bytes; /* taken from the system by it and those within, block heads too */
    atomic_size_t peak_bytes; /* the most of them so far */
    size_t budget_bytes;
    atomic_bool over;    /* the budget said no */
    atomic_bool refused; /* the system did */
};

struct arena_mark {
    struct arena_block *head;
    size_t fill;
};

/* Prepares the caller's struct; takes no memory yet. */
void arena_init(struct arena *arena, size_t budget_bytes);

/* The same for an arena whose memory counts against the budget of `outer`, which outlives it. */
void arena_init_within(struct arena *arena, struct arena *outer);

/* Counts bytes that lie elsewhere against the budget, and takes them back. false beyond it; then
 * nothing was counted. */
bool arena_reserve(struct arena *arena, size_t bytes);
void arena_release(struct arena *arena, size_t bytes);

/* Counts bytes that are taken already, also beyond the budget; arena_release takes them back. */
void arena_charge(struct arena *arena, size_t bytes);

/* What the budgets leave; and that a caller does without what they refused. */
size_t arena_left_bytes(const struct arena *arena);
void arena_forgive(struct arena *arena);

/* Frees everything; accepts a zeroed arena; the arena can be used again after arena_init. */
void arena_done(struct arena *arena);

/* size bytes, aligned for any type, contents undefined; NULL beyond the budget. A size of 0 gives a
 * valid pointer. */
void *arena_alloc(struct arena *arena, size_t size);

/* count items of size bytes, zeroed; NULL beyond the budget or when count * size overflows. */
void *arena_zalloc(struct arena *arena, size_t count, size_t size);

/* Copies; the result of arena_strndup ends in NUL. NULL beyond the budget. arena_strdup(NULL) is
 * NULL. */
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for functions that take a format themselves; uses up `arguments`. */
char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Room for one more item in a growing array: returns `items` (moved when *capacity was used up;
 * doubles), or NULL beyond the budget, in which case the old array stays valid. items may be NULL
 * with *capacity 0. */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity,
                 size_t item_size);

/* Takes back all that was allocated after the mark. */
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* ERR_LIMIT with the budget and what the memory was for, or what err_set_memory says where the
 * system refused it; returns false. */
bool arena_failed(const struct arena *arena, const char *what, struct err *err);

/* offsetof, for tables that describe a struct; refused by the compiler when the field is not of the
 * wanted type. */
#define FIELD_AT(type, field, wanted) \
    (offsetof(type, field) + \
     0 * sizeof( \
             char[__builtin_types_compatible_p(__typeof__(((type *)0)->field), wanted) ? 1 : -1]))

/* Lets a macro name itself for each of its arguments, 27 at most: none expands itself, so what it
 * leaves is scanned again. EACH(value, ...) is ITEM(value) and, in __VA_OPT__, a comma and
 * EACH_LATER EACH_PARENS(__VA_ARGS__), where EACH_LATER() is EACH. */
#define EACH_AGAIN(...) EACH_AGAIN_2(EACH_AGAIN_2(EACH_AGAIN_2(__VA_ARGS__)))
#define EACH_AGAIN_2(...) EACH_AGAIN_1(EACH_AGAIN_1(EACH_AGAIN_1(__VA_ARGS__)))
#define EACH_AGAIN_1(...) EACH_AGAIN_0(EACH_AGAIN_0(EACH_AGAIN_0(__VA_ARGS__)))
#define EACH_AGAIN_0(...) __VA_ARGS__
#define EACH_PARENS ()

#define arena_new(arena, type) ((type *)arena_zalloc((arena), 1, sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_zalloc((arena), (count), sizeof(type)))
#define scoped_arena __attribute__((cleanup(arena_done))) struct arena

#endif
