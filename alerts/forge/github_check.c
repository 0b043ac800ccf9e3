/* GitHub's check run: made when a judgement begins, closed with its verdict, and closed too when
 * there is none.
 *
 * The service makes another run at every POST: ours is found by the id that it had, else by name
 * and external id. A report that it finds too long is sent again with its title alone, so that no
 * check stays open.
 */
#include "alerts/forge/commit_state.h"
#include "alerts/forge/forge.h"
#include "alerts/markdown.h"
#include "ops/net/url.h"

#include <string.h>

enum { UNPROCESSABLE = 422, NOT_FOUND = 404 };

/* Bytes, although the documentation speaks of characters. */
static const struct escape_rule title_rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, 255},
                                summary_rule = {ESCAPE_NONE, ESCAPE_BYTES, 65000};

/* ---- the frozen message: what a PATCH sets, and beside it what a POST needs ---- */

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    struct card card = card_make(notice, arena);
    char key[SHA256_HEX_BYTES];
    message_commit_key(notice->verdict, key);
    struct commit_state state = commit_state_of(notice);
    scoped_text text;
    text_init(&text, SIZE_MAX);
    markdown_add(&card, &text);
    json_t *run = json_pack("{s:s, s:{s:o, s:o}}", "status",
                            state.conclusion == NULL ? "in_progress" : "completed", "output",
                            "title", escape_json(commit_title(notice, &card, arena), &title_rule),
                            "summary", escape_json(text_shown(&text), &summary_rule));
    if (state.conclusion != NULL)
        (void)json_object_set_new(run, "conclusion", json_string(state.conclusion));
    if (card.link != NULL)
        (void)json_object_set_new(run, "details_url", json_string(card.link));
    return body_print(json_pack("{s:o, s:s, s:s, s:o}", "name", forge_context(&card, to),
                                "head_sha", notice->verdict->candidate.commit, "external_id", key,
                                "run", run),
                      arena, ret_message, err);
}

/* ---- sending ---- */

static const char *run_pick(const struct call_result *answer, const json_t *body,
                            struct arena *arena)
{
    scoped_json *page = answer_json(answer);
    const char *ours = json_string_value(json_object_get(body, "external_id"));
    const json_t *runs = json_object_get(page, "check_runs");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const char *theirs = json_string_value(json_object_get(run, "external_id"));
        const json_t *id = json_object_get(run, "id");
        if (theirs != NULL && strcmp(theirs, ours) == 0 && json_is_integer(id))
            return arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    }
    return NULL;
}

/* Looks for a run that an earlier attempt made; *ret_id NULL when there is none. *ret_ended: the
 * outcome of the delivery is set already. */
static bool run_find(struct sending *sending, const json_t *body, const char **ret_id,
                     bool *ret_ended, struct err *err)
{
    scoped_call_result answer = {0};
    const char *sha = json_string_value(json_object_get(body, "head_sha"));
    const char *rest = arena_printf(sending->arena, "/commits/%s/check-runs", sha);
    const char *name = json_string_value(json_object_get(body, "name"));
    const char *query = arena_printf(sending->arena, "filter=all&per_page=100&check_name=%s",
                                     url_escape(name == NULL ? "" : name, false, sending->arena));
    const struct forge_call call = {
        .method = HTTP_GET, .path = github_path(sending, rest), .query = query};
    if (!github_call(sending, &call, &answer, err))
        return false;
    *ret_ended = answer.class != DELIVERY_DONE;
    *ret_id = *ret_ended ? NULL : run_pick(&answer, body, sending->arena);
    return !*ret_ended || sending_end(sending, &answer, NULL);
}

/* Makes (id NULL) or changes a run. *ret_status is the answer's. */
static bool run_put(struct sending *sending, const json_t *body, const char *id, int *ret_status,
                    struct err *err)
{
    scoped_call_result answer = {0};
    const char *rest = arena_printf(sending->arena, "/check-runs%s%s", id == NULL ? "" : "/",
                                    id == NULL ? "" : id);
    /* What a POST needs beside what a PATCH sets. */
    static const char *const names[] = {"name", "head_sha", "external_id"};
    json_t *run = json_deep_copy(json_object_get(body, "run"));
    for (size_t i = 0; id == NULL && i < sizeof names / sizeof names[0]; i++)
        (void)json_object_set(run, names[i], json_object_get(body, names[i]));
    const struct forge_call call = {.method = id == NULL ? HTTP_POST : HTTP_PATCH,
                                    .path = github_path(sending, rest),
                                    .body = run};
    if (!github_call(sending, &call, &answer, err))
        return false;
    *ret_status = answer.reply.status;
    return sending_end(sending, &answer, id != NULL ? id : forge_id(&answer, sending->arena));
}

static bool message_send(struct sending *sending, struct err *err)
{
    scoped_json *body = sending_body(sending, err);
    if (body == NULL)
        return false;
    const char *id = sending->request->thread_ref;
    int status = 0;
    bool ended = false;
    if (id == NULL && !run_find(sending, body, &id, &ended, err))
        return false;
    if (ended)
        return true;
    if (!run_put(sending, body, id, &status, err))
        return false;
    if (status == UNPROCESSABLE) { /* what was wrong can only be the report */
        json_t *output = json_object_get(json_object_get(body, "run"), "output");
        (void)json_object_set(output, "summary", json_object_get(output, "title"));
        return run_put(sending, body, id, &status, err);
    }
    return status != NOT_FOUND || id == NULL || run_put(sending, body, NULL, &status, err);
}

const struct channel channel_github_check = {
    .kind = "github_check",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://api.github.com",
    .min_interval_ms = 1000,
    .shows_state = true,
    .by_commit = true,
    .takes = forge_takes_commit,
    .body_build = body_build,
    .send = message_send,
};
