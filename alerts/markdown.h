/* A card as Markdown, in the dialect that Discord, GitHub, GitLab and Mattermost share.
 */
#ifndef ALERTS_MARKDOWN_H
#define ALERTS_MARKDOWN_H

#include "alerts/card.h"
#include "alerts/escape.h"

/* Appends title in bold, reasons, ops in a fixed pitch, both sides, what can be done, the link.
 * At most about 12,000 code points, whatever the names hold. */
void markdown_add(const struct card *card, struct text *out);

#endif
