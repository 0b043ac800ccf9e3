/* Copies a struct that a table describes (schema/documents/record.h) from one arena to another. */
#include "schema/documents/record.h"

#include <assert.h>
#include <string.h>

/* What a member of the kind takes in its struct; 0: it points elsewhere, or is a struct. */
static const size_t plain_bytes[] = {
    [MEMBER_BOOL] = sizeof(bool),
    [MEMBER_INT] = sizeof(int64_t),
    [MEMBER_OPT_INT] = sizeof(struct opt_i64),
    [MEMBER_NUMBER] = sizeof(double),
    [MEMBER_OPT_NUMBER] = sizeof(struct opt_f64),
    [MEMBER_PS] = sizeof(int64_t),
    [MEMBER_PS_OR_NONE] = sizeof(int64_t),
    [MEMBER_INDEX] = sizeof(uint32_t),
    [MEMBER_CHOICE] = sizeof(unsigned),
    [MEMBER_INT32] = sizeof(int),
    [MEMBER_ENTRY] = sizeof(int64_t),
    [MEMBER_SHA256] = SHA256_BYTES,
    [MEMBER_JSON] = 0,
};

static void list_copy(const struct member *member, const char *from, struct arena *arena, char *to)
{
    const size_t count = *(const size_t *)(from + member->count_offset);
    const size_t size = member->record->size;
    const char *items = *(const char *const *)(from + member->offset);
    char *copies = count == 0 ? NULL : arena_zalloc(arena, count, size);
    for (size_t i = 0; i < count; i++)
        record_copy(member->record, items + i * size, arena, copies + i * size);
    *(char **)(to + member->offset) = copies;
    *(size_t *)(to + member->count_offset) = count;
}

void record_copy(const struct record *record, const void *value, struct arena *arena,
                 void *ret_value)
{
    for (size_t i = 0; i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        const char *from = value;
        const void *at = from + member->offset;
        char *to = ret_value;
        void *to_at = to + member->offset;
        assert(member->kind != MEMBER_JSON);
        if (member->kind == MEMBER_TEXT) {
            *(const char **)to_at = arena_strdup(arena, *(const char *const *)at);
        } else if (member->kind == MEMBER_TEXTS) {
            const struct string_list *texts = at;
            struct string_list *copies = to_at;
            if (texts->count > 0)
                copies->items = arena_array(arena, const char *, texts->count);
            for (; copies->count < texts->count; copies->count++)
                copies->items[copies->count] = arena_strdup(arena, texts->items[copies->count]);
        } else if (member->kind == MEMBER_RECORD) {
            record_copy(member->record, at, arena, to_at);
        } else if (member->kind == MEMBER_LIST) {
            list_copy(member, from, arena, to);
        } else {
            memcpy(to_at, at, plain_bytes[member->kind]);
        }
        if (member->flag_offset != MEMBER_NO_FLAG)
            *(bool *)(to + member->flag_offset) = *(const bool *)(from + member->flag_offset);
    }
}
