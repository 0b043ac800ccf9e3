/* Both forms of the list. */
#include "ops/cli/alert/failing.h"

#include "ops/runtime/text.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>

void failing_text(const struct destination_page *page, struct text *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct destination_row *row = &page->items[i];
        bool is_disabled = row->disabled_why != NULL, pauses = row->paused_until_utc != NULL;
        char messages[FORMAT_COUNTED_BYTES];
        harmless_line(out, "%-10s%s %s %s%s%s; waiting: %s", "receiver", row->name,
                      is_disabled ? "is disabled until"
                      : pauses    ? "pauses until"
                                  : "fails since",
                      is_disabled ? row->disabled_until_utc
                      : pauses    ? row->paused_until_utc
                                  : row->failing_since_utc,
                      is_disabled ? ": " : "", is_disabled ? row->disabled_why : "",
                      format_counted(row->waiting, "message", messages));
    }
}

static const struct member failing_members[] = {
    M_TEXT_AS("destination", destination_row, name),
    M_FIELDS(destination_row, disabled_why, disabled_until_utc, paused_until_utc, failing_since_utc,
             waiting),
};
const struct record failing_record = RECORD_OF(destination_row, failing_members);
