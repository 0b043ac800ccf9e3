/* See program_growth.h. Compilations number their instructions anew, so buffers are joined by what
 * they hold: kind, shapes, and the path of the op that makes them, else its name without a number.
 */
#include "compare/runs/program_growth.h"

#include "ops/runtime/text.h"
#include "schema/documents/op_semantics.h"

/* The newest profile of a side that tells its program's buffers; NULL: none does. */
static const struct measured *newest_measured(const struct gate_runs *runs)
{
    for (size_t r = runs->count; r > 0; r--) {
        const struct gate_run *run = &runs->items[r - 1];
        for (size_t i = run->profile_count; i > 0; i--) {
            const struct summary *summary = run->profiles[i - 1]->summary;
            if (summary->has_measured && summary->measured.program_buffer_count > 0)
                return &summary->measured;
        }
    }
    return NULL;
}

static bool same_maker(const struct program_buffer *a, const struct program_buffer *b,
                       struct arena *arena)
{
    if (a->op_path != NULL || b->op_path != NULL)
        return text_same(a->op_path, b->op_path);
    if (a->instruction == NULL || b->instruction == NULL)
        return a->instruction == b->instruction;
    const char *left = op_canonical_name(arena, a->instruction);
    const char *right = op_canonical_name(arena, b->instruction);
    return text_same_told(left, right);
}

/* Bytes of all that is like it. */
static int64_t bytes_like(const struct measured *measured, const struct program_buffer *buffer,
                          struct arena *arena)
{
    int64_t sum = 0;
    for (size_t i = 0; i < measured->program_buffer_count; i++) {
        const struct program_buffer *other = &measured->program_buffers[i];
        if (text_same(other->kind, buffer->kind) && same_maker(other, buffer, arena) &&
            __builtin_add_overflow(sum, other->bytes, &sum))
            return 0;
    }
    return sum;
}

/* A buffer with what is like it, and how much more that surely is. */
struct grown_buffer {
    const struct program_buffer *buffer;
    int64_t was, is, more;
};

/* What is not among the largest may have been as large as the smallest of these. */
static struct grown_buffer growth_of(const struct measured *before, const struct measured *after,
                                     const struct program_buffer *buffer, struct arena *arena)
{
    struct grown_buffer grown = {.buffer = buffer,
                                 .was = bytes_like(before, buffer, arena),
                                 .is = bytes_like(after, buffer, arena)};
    const int64_t least = before->program_buffers[before->program_buffer_count - 1].bytes;
    if (__builtin_sub_overflow(grown.is, grown.was > 0 ? grown.was : least, &grown.more))
        grown.more = 0;
    return grown;
}

const char *program_growth(struct gate_state *judgement)
{
    const struct measured *before = newest_measured(&judgement->recent);
    const struct measured *after = newest_measured(&judgement->candidate);
    struct grown_buffer most = {0};
    char amount[FORMAT_BYTES], name[NAME_TEXT_BYTES], shapes[NAME_TEXT_BYTES];
    for (size_t i = 0; before != NULL && after != NULL && i < after->program_buffer_count; i++) {
        const struct grown_buffer grown =
            growth_of(before, after, &after->program_buffers[i], judgement->arena);
        if (grown.more > most.more)
            most = grown;
    }
    if (most.buffer == NULL)
        return "";
    const char *path = most.buffer->op_path;
    const char *maker = path != NULL ? path : most.buffer->instruction;
    return arena_printf(
        judgement->arena,
        " What grew most there since the newest past run is the %s of %s%s%s (%s%s).",
        most.buffer->kind, maker == NULL ? "an op that is not told" : name_text(maker, name),
        most.buffer->shapes == NULL ? "" : ", ",
        most.buffer->shapes == NULL ? "" : name_text(most.buffer->shapes, shapes),
        most.was > 0 ? format_size_delta(most.more, amount) : format_size(most.is, amount),
        most.was > 0 ? "" : " now; it was not among the largest before");
}
