/* A card as Slack shows it: blocks, and the line for notifications.
 *
 * Every text is far below Slack's limit for its place, and all of them together stay below the
 * undocumented total, whatever the names hold.
 */
#ifndef ALERTS_CHAT_SLACK_BLOCKS_H
#define ALERTS_CHAT_SLACK_BLOCKS_H

#include "alerts/card.h"

#include <jansson.h>

/* {"text": ..., "blocks": [...], "unfurl_links": false, "unfurl_media": false}; a new reference. */
json_t *slack_message(const struct card *card);

/* The title alone, escaped; a new reference. */
json_t *slack_line(const struct card *card);

#endif
