/* Makes the outbox messages of a verdict. */
#include "ops/cli/notify.h"

#include "alerts/deliver.h"
#include "alerts/message.h"
#include "ops/runtime/text.h"

#include <string.h>

static bool message_make(const struct conf *conf, const struct verdict_entry *entry,
                         struct arena *arena, struct outbox_message *message, struct err *err)
{
    struct destination destination;
    struct message built;
    char order[SHA256_HEX_BYTES], dedupe[SHA256_HEX_BYTES];
    const char *id = arena_printf(arena, "v%lld", (long long)entry->id);
    if (id == NULL)
        return arena_failed(arena, "a message", err);
    if (!destination_find(conf, message->destination, arena, &destination, err) ||
        !message_build(entry->verdict, id, destination.kind, arena, &built, err) ||
        !message_order_key(entry->verdict, order, err) ||
        !message_dedupe_key(entry->verdict, destination.kind, dedupe, err))
        return false;
    message->order_key = arena_strdup(arena, order);
    message->dedupe_key = arena_strdup(arena, dedupe);
    message->content_type = built.content_type;
    message->body = built.body;
    message->body_length = built.length;
    message->max_attempts = (int)conf_int(conf, CONF_delivery_attempts);
    if (message->order_key == NULL || message->dedupe_key == NULL)
        return arena_failed(arena, "a message", err);
    return true;
}

/* The next name of a comma-separated list, without blanks around it; NULL at the end. */
static char *next_name(const char **list, struct arena *arena)
{
    while (**list != '\0') {
        const char *start = *list;
        size_t length = strcspn(start, ",");
        *list += length + (start[length] == ',');
        text_strip(&start, &length);
        if (length > 0)
            return arena_strndup(arena, start, length);
    }
    return NULL;
}

bool notify_messages(const struct conf *conf, struct verdict_entry *entry, struct arena *arena,
                     struct err *err)
{
    if (entry->verdict->status == VERDICT_PASS)
        return true;
    const char *list = conf_text(conf, CONF_notify);
    struct outbox_message *items = NULL;
    size_t capacity = 0, count = 0;
    for (char *name; (name = next_name(&list, arena)) != NULL; count++) {
        items = arena_grow(arena, items, count, &capacity, sizeof *items);
        if (items == NULL)
            return arena_failed(arena, "the messages", err);
        items[count] = (struct outbox_message){.destination = name};
        if (!message_make(conf, entry, arena, &items[count], err))
            return false;
    }
    entry->messages = items;
    entry->message_count = count;
    return true;
}
