/* The table of channels, made of the list in channels.h. */
#include "alerts/channels.h"
#include "ops/runtime/text.h"

#include <string.h>

static const struct channel *const channels[] = {
#define CHANNEL_MEMBER(name) &channel_##name,
    CHANNELS(CHANNEL_MEMBER)
#undef CHANNEL_MEMBER
};
enum { CHANNEL_COUNT = sizeof channels / sizeof channels[0] };

bool channel_find(const char *kind, const struct channel **ret_channel, struct err *err)
{
    const char *kinds[CHANNEL_COUNT];
    for (size_t i = 0; i < CHANNEL_COUNT; i++) {
        kinds[i] = channels[i]->kind;
        if (strcmp(kinds[i], kind) == 0) {
            *ret_channel = channels[i];
            return true;
        }
    }
    return err_set(err, ERR_USAGE, "there is no kind '%s'%s", kind,
                   text_choices(kind, kinds, CHANNEL_COUNT).words);
}
