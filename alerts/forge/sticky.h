/* The sticky comment: one comment per alert at a pull or merge request, found again by a hidden
 * marker in its first line and changed in place.
 *
 * Anyone can paste the marker: only a comment of our own login counts. Where a lost reply has left
 * two, the older one is kept and the other becomes a pointer.
 */
#ifndef ALERTS_FORGE_STICKY_H
#define ALERTS_FORGE_STICKY_H

#include "alerts/forge/forge.h"

/* How one forge names things. */
struct sticky_forge {
    bool (*call)(struct sending *sending, const struct forge_call *call,
                 struct call_result *ret_answer, struct err *err);
    const char *(*list_path)(const struct sending *sending, const char *issue);
    const char *(*edit_path)(const struct sending *sending, const char *issue, const char *id);
    enum http_method edit_method;
    const char *list_order;     /* of the query: oldest first */
    const char *author, *login; /* members of a comment: its author, and of that the login */
};

/* The frozen comment, at most max code points long; the notice has an issue (forge_takes_issue).
 * ERR_LIMIT. */
bool sticky_build(const struct notice *notice, const struct destination *to, size_t max,
                  struct arena *arena, struct message *ret_message, struct err *err);

/* Delivers it; errors as of a channel's send. */
bool sticky_send(struct sending *sending, const struct sticky_forge *forge, struct err *err);

#endif
