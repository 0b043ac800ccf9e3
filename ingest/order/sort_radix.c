#include "ingest/order/sort_radix.h"

#include <stdlib.h>
#include <string.h>

enum { START_BYTES = 8, BYTE_VALUES = 256 };

struct starts {
    struct sort_record *items, *spare;
    size_t count;
    int64_t least;
};

static unsigned start_byte(const struct starts *starts, size_t index, unsigned byte)
{
    const uint64_t start = (uint64_t)starts->items[index].offset_ps - (uint64_t)starts->least;
    return (unsigned)(start >> (8 * byte)) & 0xFF;
}

/* Sorts by a byte; counts[] has how many records there are of each of its values. */
static void byte_pass(struct starts *starts, unsigned byte, uint32_t counts[BYTE_VALUES])
{
    uint32_t place = 0;
    if (counts[start_byte(starts, 0, byte)] == starts->count)
        return; /* the same everywhere */
    for (size_t value = 0; value < BYTE_VALUES; value++) {
        const uint32_t here = counts[value];
        counts[value] = place;
        place += here;
    }
    for (size_t i = 0; i < starts->count; i++)
        starts->spare[counts[start_byte(starts, i, byte)]++] = starts->items[i];
    struct sort_record *sorted = starts->spare;
    starts->spare = starts->items;
    starts->items = sorted;
}

/* Sorts by start. What starts together stays as it was. */
static void starts_sort(struct sort_record *items, size_t count, struct sort_record *spare)
{
    uint32_t counts[START_BYTES][BYTE_VALUES] = {{0}};
    struct starts starts = {items, spare, count, items[0].offset_ps};
    for (size_t i = 1; i < count; i++)
        starts.least = items[i].offset_ps < starts.least ? items[i].offset_ps : starts.least;
    for (size_t i = 0; i < count; i++) {
        for (unsigned byte = 0; byte < START_BYTES; byte++)
            counts[byte][start_byte(&starts, i, byte)]++;
    }
    for (unsigned byte = 0; byte < START_BYTES; byte++)
        byte_pass(&starts, byte, counts[byte]);
    if (starts.items != items)
        memcpy(items, starts.items, count * sizeof *items);
}

void sort_few(struct sort_record *items, size_t count, record_compare *compare, void *context)
{
    enum { FEW = 16 };
    if (count > FEW) {
        qsort_r(items, count, sizeof *items, compare, context);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const struct sort_record moved = items[i];
        size_t at = i;
        for (; at > 0 && compare(&moved, &items[at - 1], context) < 0; at--)
            items[at] = items[at - 1];
        items[at] = moved;
    }
}

static int compare_records(const void *a, const void *b, void *context)
{
    const struct sort_record *left = a, *right = b;
    (void)context;
    if (record_before(left, right))
        return -1;
    return record_before(right, left) || left->place > right->place ? 1 : -1;
}

void sort_radix(struct sort_record *items, size_t count, struct sort_record *spare)
{
    if (count < 2)
        return;
    starts_sort(items, count, spare);
    for (size_t i = 1, first = 0; i <= count; i++) {
        if (i < count && items[i].offset_ps == items[first].offset_ps)
            continue;
        sort_few(items + first, i - first, compare_records, NULL);
        first = i;
    }
}
