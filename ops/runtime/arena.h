/* One arena per unit of work (a profile, a comparison, a delivery): memory that is released all at
 * once. And what holds for all memory of the program.
 *
 * What is asked of an arena it gives. Each has a budget in bytes; beyond it, it gives too, and is
 * over: a stage asks arena_ok once, at its end, and where it takes input in, once for each part of
 * that. So nothing in between has a failure to tell, and a stage that does not ask is right all the
 * same. A size that input claims is reserved first, or refused (arena_fits). Twice the budget, and
 * SPARE_BYTES, are never passed: there the process ends, as where the machine has no memory
 * (memory_end). Pointers stay valid until arena_rewind past them, or arena_done. An arena is used
 * by one thread at a time. Those that lie within another share its budget, whatever their threads:
 * what one unit of work takes is bounded, in however many arenas it keeps it.
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
    atomic_bool over; /* more was asked for than the budget */
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

/* What the budgets leave; whether that is enough for so many items (else the arena is over); and
 * that a caller does without what was too much. */
size_t arena_left_bytes(const struct arena *arena);
bool arena_fits(struct arena *arena, size_t count, size_t item_size);
void arena_forgive(struct arena *arena);

/* Whether what was taken lies within the budget; else false with what arena_failed says. */
bool arena_ok(const struct arena *arena, const char *what, struct err *err);

/* Frees everything; accepts a zeroed arena; the arena can be used again after arena_init. */
void arena_done(struct arena *arena);

/* size bytes, aligned for any type, contents undefined. */
void *arena_alloc(struct arena *arena, size_t size);

/* count items of size bytes, zeroed. */
void *arena_zalloc(struct arena *arena, size_t count, size_t size);

/* Copies; the result of arena_strndup ends in NUL. arena_strdup(NULL) is NULL, and so is
 * arena_copy of no items. */
void *arena_copy(struct arena *arena, const void *items, size_t count, size_t item_size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for functions that take a format themselves; uses up `arguments`. */
char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Room for one more item in a growing array: returns `items`, moved when *capacity was used up
 * (doubles). items may be NULL with *capacity 0. */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity,
                 size_t item_size);

/* Room for `wanted` items in such an array, and no more than that the first time; whoever expects
 * more again and again gets twice as much, so that what was outgrown is in all no more than what
 * there is. */
void *arena_expect(struct arena *arena, void *items, size_t *capacity, size_t wanted,
                   size_t item_size);

/* Takes back all that was allocated after the mark. */
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* ERR_LIMIT with the budget and what the memory was for, where arena_reserve or arena_fits refused;
 * returns false. */
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

/* Memory beside arenas: as malloc, calloc, realloc and strdup, released by free; where the machine
 * has none, the process ends. What may grow with input is reserved first. */
void *memory_alloc(size_t size) __attribute__((malloc));
void *memory_zalloc(size_t count, size_t size) __attribute__((malloc));
void *memory_resize(void *memory, size_t size);
char *memory_strdup(const char *text);

/* For the start of a program: what one thread frees is there for all of them, and what is large
 * goes back to the system when it is freed. */
void memory_share(void);

/* What a library gave; where it is NULL, which it is only for want of memory, the process ends. */
#define memory_given(pointer) \
    ({ \
        __typeof__(pointer) given_ = (pointer); \
        if (given_ == NULL) \
            memory_end(); \
        given_; \
    })

/* Ends the process for want of memory, as a crash would, which all that is kept survives: one line
 * on stderr and exit code 75, or 65 where the process may not have more (a job's job_memory_mb,
 * ulimit -v). The line goes to `words` instead where that was set: a job's child tells its worker.
 */
_Noreturn void memory_end(void);
void memory_end_tell(void (*words)(const struct err *err));

#define arena_new(arena, type) ((type *)arena_zalloc((arena), 1, sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_zalloc((arena), (count), sizeof(type)))
#define scoped_arena __attribute__((cleanup(arena_done))) struct arena

#endif
