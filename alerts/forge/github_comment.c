/* GitHub's sticky comment at a pull request or issue. */
#include "alerts/forge/sticky.h"

enum { COMMENT_CHARS = 65000 };

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    return sticky_build(notice, to, COMMENT_CHARS, arena, ret_message, err);
}

static const char *list_path(const struct sending *sending, const char *issue)
{
    return github_path(sending, arena_printf(sending->arena, "/issues/%s/comments", issue));
}

static const char *edit_path(const struct sending *sending, const char *issue, const char *id)
{
    (void)issue;
    return github_path(sending, arena_printf(sending->arena, "/issues/comments/%s", id));
}

static bool message_send(struct sending *sending, struct err *err)
{
    static const struct sticky_forge forge = {
        .call = github_call,
        .list_path = list_path,
        .edit_path = edit_path,
        .edit_method = HTTP_PATCH,
        .list_order = "",
        .author = "user",
        .login = "login",
    };
    return sticky_send(sending, &forge, err);
}

const struct channel channel_github_comment = {
    .kind = "github_comment",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://api.github.com",
    .min_interval_ms = 1000,
    .shows_state = true,
    .at_request = true,
    .takes = forge_takes_issue,
    .body_build = body_build,
    .send = message_send,
};
