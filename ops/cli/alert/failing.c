/* Both forms of the list. */
#include "ops/cli/alert/failing.h"

#include "ops/runtime/json.h"
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

json_t *failing_json(const struct destination_page *page)
{
    scoped_json *list = json_array();
    for (size_t i = 0; i < page->count; i++) {
        const struct destination_row *row = &page->items[i];
        json_t *item = json_pack(
            "{s:s, s:o, s:o, s:o, s:o, s:I}", "destination", row->name, "disabled_why",
            json_text(row->disabled_why), "disabled_until_utc", json_text(row->disabled_until_utc),
            "paused_until_utc", json_text(row->paused_until_utc), "failing_since_utc",
            json_text(row->failing_since_utc), "waiting", (json_int_t)row->waiting);
        if (json_array_append_new(list, item) != 0)
            return NULL;
    }
    return json_incref(list);
}
