/* GitLab's sticky note at a merge request. */
#include "alerts/forge/sticky.h"

enum { NOTE_CHARS = 65000 };

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    return sticky_build(notice, to, NOTE_CHARS, arena, ret_message, err);
}

static const char *list_path(const struct sending *sending, const char *issue)
{
    return gitlab_path(sending, arena_printf(sending->arena, "/merge_requests/%s/notes", issue));
}

static const char *edit_path(const struct sending *sending, const char *issue, const char *id)
{
    return gitlab_path(sending,
                       arena_printf(sending->arena, "/merge_requests/%s/notes/%s", issue, id));
}

static bool message_send(struct sending *sending, struct err *err)
{
    static const struct sticky_forge forge = {
        .call = gitlab_call,
        .list_path = list_path,
        .edit_path = edit_path,
        .edit_method = HTTP_PUT,
        .list_order = "&sort=asc&order_by=created_at",
        .author = "author",
        .login = "username",
    };
    return sticky_send(sending, &forge, err);
}

const struct channel channel_gitlab_note = {
    .kind = "gitlab_note",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://gitlab.com/api/v4",
    .min_interval_ms = 200,
    .shows_state = true,
    .at_request = true,
    .takes = forge_takes_issue,
    .body_build = body_build,
    .send = message_send,
};
