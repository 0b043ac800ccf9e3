/* What is in use on the devices, where a device memory profile was read: by device, and the lines
 * that hold most of it. */
#include "ops/present/summary/summary_page.h"

#include "ops/present/words/words.h"

#include <string.h>

void summary_memory_add(const struct summary *summary, size_t limit, struct page *page)
{
    static const struct table_column columns[] = {
        {"line", COLUMN_PATH}, {"function", COLUMN_NAME}, {"device", COLUMN_NAME},
        {"kind", COLUMN_TEXT}, {"in use", COLUMN_NUMBER}, {"allocations", COLUMN_NUMBER}};
    const struct memory_summary *memory = &summary->memory;
    char buffer[FORMAT_BYTES];
    if (!summary->has_memory)
        return;
    page_heading(page, false, "Device memory");
    page_item(page, TONE_PLAIN, "in use", "%s", format_size(memory->bytes, buffer));
    char size[FORMAT_BYTES];
    for (size_t i = 0; i < memory->device_count; i++) {
        const struct memory_share *device = &memory->devices[i];
        page_item(page, TONE_PLAIN, device->name[0] == '\0' ? "of no device" : device->name, "%s",
                  format_size(device->bytes, size));
    }
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < memory->allocation_count && i < limit; i++) {
        const struct memory_row *row = &memory->allocations[i];
        table_add(table, TONE_PLAIN, row->source);
        table_add(table, TONE_PLAIN, row->function);
        table_add(table, TONE_PLAIN, row->device);
        table_add(table, TONE_PLAIN, row->kind);
        table_add(table, TONE_PLAIN, format_size(row->bytes, buffer));
        table_add(table, TONE_PLAIN, format_count(row->count, buffer));
    }
    if (memory->allocation_count > limit)
        page_paragraph(page, TONE_DIM, "%zu more lines: `stepledger table allocations`.",
                       memory->allocation_count - limit);
}
