/* Both forms of the list. */
#include "ops/cli/ailing.h"

#include "ops/runtime/json.h"

#include <inttypes.h>

void ailing_text(const struct destination_page *page, struct text *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct destination_row *row = &page->items[i];
        text_addf(out, "%-10s%s ", "receiver", row->name);
        if (row->disabled_why != NULL)
            text_addf(out, "is disabled until %s: %s", row->disabled_until_utc, row->disabled_why);
        else if (row->paused_until_utc != NULL)
            text_addf(out, "pauses until %s", row->paused_until_utc);
        else
            text_addf(out, "fails since %s", row->failing_since_utc);
        text_addf(out, "; %" PRId64 " messages wait\n", row->waiting);
    }
}

json_t *ailing_json(const struct destination_page *page)
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
