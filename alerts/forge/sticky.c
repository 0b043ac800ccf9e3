/* The sticky comment: one comment per alert at a pull or merge request, found again by a hidden
 * marker in its first line and changed in place.
 *
 * Anyone can paste the marker: only a comment of our own login counts. Where a lost reply has left
 * two, the older one is kept and the other becomes a pointer.
 */
#include "alerts/forge/forge.h"
#include "alerts/markdown.h"

#include <string.h>

enum { COMMENT_CHARS = 65000, PAGES_MAX = 50, NOT_FOUND = 404 };

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

/* ---- the frozen message: {"issue", "marker", "body"} ---- */

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    struct card card = card_make(notice, arena);
    char key[SHA256_HEX_BYTES];
    message_order_key(notice->verdict, key);
    const char *marker = arena_printf(arena, "<!-- stepledger:v1 key=%s -->", key);
    scoped_text text;
    text_init(&text, SIZE_MAX);
    text_addf(&text, "%s\n", marker);
    markdown_add(&card, &text);
    const struct escape_rule rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, COMMENT_CHARS};
    return body_print(json_pack("{s:s, s:s, s:o}", "issue", forge_issue(notice, to, arena),
                                "marker", marker, "body", escape_json(text_shown(&text), &rule)),
                      arena, ret_message, err);
}

/* ---- the search ---- */

/* What the delivery works with. `ended`: its outcome is set. */
struct search {
    struct sending *sending;
    const struct sticky_forge *forge;
    const char *issue, *marker, *login;
    const char *found, *other; /* ids: the oldest one, and a later one; NULL = none */
    bool ended;
};

/* The configured login, else the one that the service says the token has. */
static bool login_find(struct search *search, struct err *err)
{
    struct sending *sending = search->sending;
    search->login = sending->to->login;
    if (search->login != NULL)
        return true;
    scoped_call_result answer = {0};
    const struct forge_call call = {.method = HTTP_GET, .path = "/user"};
    if (!search->forge->call(sending, &call, &answer, err))
        return false;
    scoped_json *body = answer_json(&answer);
    const char *login = json_string_value(json_object_get(body, search->forge->login));
    search->ended = login == NULL;
    bool is_answered = answer.reply.outcome == HTTP_ANSWERED;
    if ((answer.class == DELIVERY_PERMANENT && is_answered) ||
        (answer.class == DELIVERY_DONE && login == NULL))
        return sending_judge(sending, &answer, DELIVERY_PERMANENT,
                             "the receiver does not say who we are; set login = to the name that "
                             "our comments have (an app's is NAME[bot])");
    if (login == NULL)
        return sending_end(sending, &answer, NULL);
    search->login = arena_strdup(sending->arena, login);
    return true;
}

static bool is_ours(const struct search *search, const json_t *comment)
{
    const json_t *author = json_object_get(comment, search->forge->author);
    const char *login = json_string_value(json_object_get(author, search->forge->login));
    const char *body = json_string_value(json_object_get(comment, "body"));
    size_t length = strlen(search->marker);
    return login != NULL && body != NULL && strcmp(login, search->login) == 0 &&
           strncmp(body, search->marker, length) == 0;
}

static bool comments_search(struct search *search, struct err *err)
{
    struct sending *sending = search->sending;
    bool more = true;
    for (int page = 1; more && page <= PAGES_MAX; page++) {
        scoped_call_result answer = {0};
        const struct forge_call call = {.method = HTTP_GET,
                                        .path = search->forge->list_path(sending, search->issue),
                                        .query =
                                            arena_printf(sending->arena, "per_page=100&page=%d%s",
                                                         page, search->forge->list_order)};
        if (!search->forge->call(sending, &call, &answer, err))
            return false;
        scoped_json *items = answer_json(&answer);
        search->ended = answer.class != DELIVERY_DONE || !json_is_array(items);
        if (answer.class != DELIVERY_DONE)
            return sending_end(sending, &answer, NULL);
        if (search->ended)
            return sending_judge(sending, &answer, DELIVERY_AMBIGUOUS,
                                 "its list of comments cannot be read");
        for (size_t i = 0; i < json_array_size(items); i++) {
            const json_t *comment = json_array_get(items, i), *id = json_object_get(comment, "id");
            if (!json_is_integer(id) || !is_ours(search, comment))
                continue;
            const char *text = arena_printf(search->sending->arena, "%" JSON_INTEGER_FORMAT,
                                            json_integer_value(id));
            if (search->found == NULL)
                search->found = text;
            else
                search->other = text;
        }
        more = strstr(answer.link, "rel=\"next\"") != NULL;
    }
    return true;
}

/* ---- writing ---- */

/* Makes (id NULL) or changes a comment; *ret_status is the answer's. */
static bool comment_put(struct search *search, const char *id, json_t *body, int *ret_status,
                        struct err *err)
{
    struct sending *sending = search->sending;
    const struct sticky_forge *forge = search->forge;
    scoped_call_result answer = {0};
    const struct forge_call call = {.method = id == NULL ? HTTP_POST : forge->edit_method,
                                    .path = id == NULL
                                                ? forge->list_path(sending, search->issue)
                                                : forge->edit_path(sending, search->issue, id),
                                    .body = json_pack("{s:O}", "body", body)};
    if (!forge->call(sending, &call, &answer, err))
        return false;
    *ret_status = answer.reply.status;
    return sending_end(sending, &answer, id != NULL ? id : forge_id(&answer, sending->arena));
}

static bool pointer_put(struct search *search, struct err *err)
{
    struct delivery *delivery = search->sending->delivery, main_one = *delivery;
    scoped_json *pointer = json_string("This report is kept up to date in an earlier comment.");
    int status;
    bool done = comment_put(search, search->other, pointer, &status, err);
    *delivery = main_one; /* the report is there: what becomes of the pointer is no matter */
    return done;
}

static bool sticky_send(struct sending *sending, const struct sticky_forge *forge, struct err *err)
{
    scoped_json *frozen = sending_body(sending, err);
    struct search search = {
        .sending = sending,
        .forge = forge,
        .issue = json_string_value(json_object_get(frozen, "issue")),
        .marker = json_string_value(json_object_get(frozen, "marker")),
    };
    if (frozen == NULL)
        return false;
    if (search.issue == NULL || search.marker == NULL)
        return err_set(err, ERR_INPUT, "the frozen message is no comment");
    json_t *body = json_object_get(frozen, "body");
    int status = 0;
    const char *known = search.sending->request->thread_ref;
    if (known != NULL) {
        if (!comment_put(&search, known, body, &status, err))
            return false;
        if (status != NOT_FOUND)
            return true; /* gone by a person's hand: looked for below */
    }
    if (!login_find(&search, err) || (!search.ended && !comments_search(&search, err)))
        return false;
    if (search.ended)
        return true;
    return comment_put(&search, search.found, body, &status, err) &&
           (search.other == NULL || search.sending->delivery->class != DELIVERY_DONE ||
            pointer_put(&search, err));
}

/* ---- GitHub: at a pull request or issue ---- */

static const char *github_list_path(const struct sending *sending, const char *issue)
{
    return github_path(sending, arena_printf(sending->arena, "/issues/%s/comments", issue));
}

static const char *github_edit_path(const struct sending *sending, const char *issue,
                                    const char *id)
{
    (void)issue;
    return github_path(sending, arena_printf(sending->arena, "/issues/comments/%s", id));
}

static bool github_send(struct sending *sending, struct err *err)
{
    static const struct sticky_forge forge = {
        .call = github_call,
        .list_path = github_list_path,
        .edit_path = github_edit_path,
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
    .send = github_send,
};

/* ---- GitLab: at a merge request ---- */

static const char *gitlab_list_path(const struct sending *sending, const char *issue)
{
    return gitlab_path(sending, arena_printf(sending->arena, "/merge_requests/%s/notes", issue));
}

static const char *gitlab_edit_path(const struct sending *sending, const char *issue,
                                    const char *id)
{
    return gitlab_path(sending,
                       arena_printf(sending->arena, "/merge_requests/%s/notes/%s", issue, id));
}

static bool gitlab_send(struct sending *sending, struct err *err)
{
    static const struct sticky_forge forge = {
        .call = gitlab_call,
        .list_path = gitlab_list_path,
        .edit_path = gitlab_edit_path,
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
    .send = gitlab_send,
};
