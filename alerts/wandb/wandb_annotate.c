/* Implements read, merge, write for the parts of a run that are whole values at the service. */
#include "alerts/wandb/wandb_annotate.h"
#include "ops/net/wandb/wandb.h"
#include "ops/runtime/text.h"

#include <string.h>

enum { SUMMARY_MAX_BYTES = 8 << 20, RUN_MEMORY_BYTES = 1 << 20, TITLE_MAX_CHARS = 63 };

static const char prefix[] = "perf/";

bool wandb_metrics_write(struct wandb_client *client, const struct wandb_run_name *name,
                         const json_t *metrics, bool is_own, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, RUN_MEMORY_BYTES);
    scoped_wandb_run run = {0};
    bool changed = false;
    if (json_object_size(metrics) == 0)
        return true;
    if (!wandb_run_read(client, name, &arena, &run, err))
        return false;
    static const char *const ended[] = {"finished", "crashed", "failed", "killed"};
    if (!is_own && !text_is_one(run.state, ended))
        return err_set(err, ERR_CONFLICT,
                       "run %s is still %s: its own client would write over metrics of ours, so "
                       "none were written",
                       name->path, run.state == NULL ? "going" : run.state);
    const char *metric;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)metrics, metric, value) {
        const char *key = arena_printf(&arena, "%s%s", prefix, metric);
        if (json_is_null(value) || json_equal(json_object_get(run.summary, key), value))
            continue;
        changed = true;
        (void)json_object_set(run.summary, key, value);
    }
    if (!changed)
        return true;
    scoped_json *data = NULL;
    scoped_text text;
    text_init(&text, SUMMARY_MAX_BYTES);
    loose_json_print(run.summary, LOOSE_JSON_STRICT, &text);
    return text_ok(&text, "a run's summary", err) &&
           wandb_call(client, &W_write_summary,
                      json_pack("{s:s, s:s}", "id", run.id, "summaryMetrics", text_string(&text)),
                      &data, err);
}

static bool has_text(const json_t *array, const char *text)
{
    size_t i;
    json_t *item;
    json_array_foreach (array, i, item) {
        const char *known = json_string_value(item);
        if (known != NULL && strcmp(known, text) == 0)
            return true;
    }
    return false;
}

bool wandb_tags_add(struct wandb_client *client, const struct wandb_run_name *name,
                    const struct string_list *tags, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, RUN_MEMORY_BYTES);
    scoped_wandb_run run = {0};
    if (tags->count == 0)
        return true;
    if (!wandb_run_read(client, name, &arena, &run, err))
        return false;
    scoped_json *merged = json_array();
    size_t i;
    json_t *tag;
    json_array_foreach (run.tags, i, tag) {
        if (json_is_string(tag) && !has_text(merged, json_string_value(tag)))
            (void)json_array_append(merged, tag);
    }
    size_t known = json_array_size(merged);
    for (i = 0; i < tags->count; i++) {
        if (!has_text(merged, tags->items[i]))
            (void)json_array_append_new(merged, json_text(tags->items[i]));
    }
    scoped_json *data = NULL;
    return json_array_size(merged) == known ||
           wandb_call(client, &W_write_tags, json_pack("{s:s, s:O}", "id", run.id, "tags", merged),
                      &data, err);
}

bool wandb_alert_send(struct wandb_client *client, const struct wandb_run_name *run,
                      const struct wandb_alert *alert, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, RUN_MEMORY_BYTES);
    /* The first characters that the service takes. */
    const char *p = alert->title, *end = p + strlen(p);
    for (int i = 0; i < TITLE_MAX_CHARS && p < end; i++)
        (void)text_utf8_next(&p, end);
    const char *title = arena_strndup(&arena, alert->title, (size_t)(p - alert->title));
    client->entity = run->entity;
    client->project = run->project;
    scoped_json *data = NULL;
    json_t *variables = json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:I}", "entity", run->entity.text,
                                  "project", run->project.text, "run", run->run, "title",
                                  json_text(title), "text", json_text(alert->text), "severity",
                                  alert->severity, "wait", (json_int_t)alert->wait_ms);
    if (!wandb_call(client, &W_send_alert, variables, &data, err))
        return false;
    const json_t *sent = json_object_get(data, "notifyScriptableRunAlert");
    return json_is_true(json_object_get(sent, "success")) ||
           err_set(err, ERR_INPUT, "W&B did not take the alert of run %s", run->path);
}
