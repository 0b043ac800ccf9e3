#include "ingest/merge/merge_rows.h"

#include "ingest/lookup/lookup.h"

#include <stdlib.h>
#include <string.h>

struct keys {
    struct arena *arena;
    struct strings strings;
    struct id_map rows;
    size_t count;
    bool failed;
};

static void keys_init(struct keys *keys, struct arena *arena)
{
    *keys = (struct keys){.arena = arena};
    keys->failed = !strings_init(&keys->strings, arena);
    id_map_init(&keys->rows, arena);
}

/* The row of a key of up to three texts, any NULL; *ret_new when it is its first. */
static size_t key_row(struct keys *keys, const char *const texts[3], bool *ret_new)
{
    enum { SEPARATOR = '\x1f' };
    const char *shown[3];
    for (int i = 0; i < 3; i++)
        shown[i] = texts[i] != NULL ? texts[i] : "";
    char *key =
        arena_printf(keys->arena, "%s%c%s%c%s", shown[0], SEPARATOR, shown[1], SEPARATOR, shown[2]);
    uint32_t number =
        key == NULL || keys->failed ? STRING_NONE : strings_add(&keys->strings, key, strlen(key));
    *ret_new = false;
    if (number == STRING_NONE) {
        keys->failed = true;
        return 0;
    }
    int32_t row = id_map_find(&keys->rows, number);
    if (row != ID_MAP_ABSENT)
        return (size_t)row;
    *ret_new = true;
    keys->failed = !id_map_set(&keys->rows, number, (int32_t)keys->count);
    return keys->count++;
}

static size_t table_count(const struct summary *summary, const struct table *table)
{
    return *(const size_t *)((const char *)summary + table->count_offset);
}

bool table_merge(const struct summary *const *hosts, size_t count, const struct table *table,
                 struct arena *arena, struct summary *summary)
{
    size_t most = 0;
    struct keys keys;
    keys_init(&keys, arena);
    for (size_t h = 0; h < count; h++)
        most += table_count(hosts[h], table);
    char *rows = arena_zalloc(arena, most, table->row_size);
    if (rows == NULL)
        return false;
    for (size_t h = 0; h < count; h++) {
        const char *own =
            *(const char *const *)(const void *)((const char *)hosts[h] + table->rows_offset);
        for (size_t i = 0; i < table_count(hosts[h], table); i++) {
            const char *texts[3] = {NULL, NULL, NULL};
            bool is_new;
            table->key(own + i * table->row_size, texts);
            char *row = rows + key_row(&keys, texts, &is_new) * table->row_size;
            if (is_new)
                memcpy(row, own + i * table->row_size, table->row_size);
            else if (!keys.failed)
                table->add(row, own + i * table->row_size);
        }
    }
    for (size_t i = 0; i < keys.count && table->finish != NULL; i++)
        table->finish(rows + i * table->row_size);
    if (keys.count > 1)
        qsort(rows, keys.count, table->row_size, table->order);
    void *kept = keys.count == 0 ? NULL : rows;
    memcpy((char *)summary + table->rows_offset, &kept, sizeof kept);
    memcpy((char *)summary + table->count_offset, &keys.count, sizeof keys.count);
    return !keys.failed;
}
