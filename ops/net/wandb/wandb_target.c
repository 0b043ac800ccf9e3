/* Implements the two grammars over the non-empty parts between slashes. */
#include "ops/net/wandb/wandb_target.h"
#include "ops/runtime/text.h"

#include <string.h>
#include <strings.h>

enum { PARTS_MAX = 8 };

struct parts {
    const char *items[PARTS_MAX]; /* the first ones */
    size_t count;                 /* of all */
};

static bool parts_split(const char *text, size_t length, struct arena *arena,
                        struct parts *ret_parts, struct err *err)
{
    *ret_parts = (struct parts){0};
    if (text_utf8_valid(text, length) != length)
        return err_set(err, ERR_INPUT, "a run's or an artifact's name is not valid UTF-8");
    for (const char *p = text, *end = text + length; p < end;) {
        const char *slash = memchr(p, '/', (size_t)(end - p));
        size_t part = (size_t)((slash == NULL ? end : slash) - p);
        if (part > 0 && ret_parts->count < PARTS_MAX)
            ret_parts->items[ret_parts->count] = arena_strndup(arena, p, part);
        ret_parts->count += part > 0;
        p += part + 1;
    }
    return true;
}

/* The key goes to the configured host alone: a pasted URL cannot choose another. */
static bool host_check(const char *target, const struct wandb_config *config, struct arena *arena,
                       struct err *err)
{
    const char *wanted[] = {config->app_url.text, config->base_url.text};
    char *host = wandb_netloc(arena, target);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (strcasecmp(host, wandb_netloc(arena, wanted[i])) == 0)
            return true;
    const char *user = strrchr(host, '@');
    return err_set(err, ERR_USAGE,
                   "the run's URL is of host '%.100s', but W&B is %s (from %s); set base_url (or "
                   "WANDB_BASE_URL) if that host is yours",
                   user == NULL ? host : user + 1, config->base_url.text, config->base_url.source);
}

static bool bare_name(const char *run, const struct wandb_config *config,
                      struct wandb_run_name *ret_name, struct err *err)
{
    *ret_name =
        (struct wandb_run_name){.entity = config->entity, .project = config->project, .run = run};
    return (config->entity.text != NULL && config->project.text != NULL) ||
           err_set(err, ERR_USAGE,
                   "'%.200s' is a bare run id: --entity and --project (or WANDB_ENTITY and "
                   "WANDB_PROJECT) are needed beside it",
                   run);
}

static bool parts_name(const struct parts *parts, const char *source, const char *target,
                       struct wandb_run_name *ret_name, struct err *err)
{
    if (parts->count < 3)
        return err_set(err, ERR_INPUT,
                       "'%.200s' names no W&B run; write ENTITY/PROJECT/RUN, "
                       "ENTITY/PROJECT/runs/RUN, the URL of the run's page, or a bare run id with "
                       "--entity and --project",
                       target);
    bool has_word = strcmp(parts->items[2], "runs") == 0 && parts->count > 3;
    *ret_name = (struct wandb_run_name){.entity = {parts->items[0], source},
                                        .project = {parts->items[1], source},
                                        .run = parts->items[has_word ? 3 : 2]};
    return true;
}

bool wandb_run_name_parse(const char *target, const struct wandb_config *config,
                          struct arena *arena, struct wandb_run_name *ret_name, struct err *err)
{
    struct parts parts;
    struct wandb_run_name name;
    bool url = strncasecmp(target, "https://", 8) == 0 || strncasecmp(target, "http://", 7) == 0;
    const char *path = target;
    if (url) {
        path = strstr(target, "://") + 3;
        path += strcspn(path, "/?#");
        if (!host_check(target, config, arena, err))
            return false;
    }
    size_t length = url ? strcspn(path, "?#") : strlen(path);
    if (!parts_split(path, length, arena, &parts, err))
        return false;
    bool named =
        !url && parts.count == 1
            ? bare_name(parts.items[0], config, &name, err)
            : parts_name(&parts, url ? "the run's URL" : "the run's name", target, &name, err);
    if (!named)
        return false;
    name.path = arena_printf(arena, "%s/%s/%s", name.entity.text, name.project.text, name.run);
    *ret_name = name;
    return true;
}

bool wandb_artifact_name_parse(const char *reference, const struct wandb_config *config,
                               struct arena *arena, struct wandb_artifact_name *ret_name,
                               struct err *err)
{
    static const char source[] = "the artifact's name";
    struct parts parts;
    size_t length = strcspn(reference, ":");
    if (!parts_split(reference, length, arena, &parts, err))
        return false;
    const char *alias = reference[length] == ':' ? reference + length + 1 : "latest";
    if (parts.count < 1 || parts.count > 3 || alias[0] == '\0' || strpbrk(alias, ":/") != NULL)
        return err_set(err, ERR_INPUT,
                       "'%.200s' names no W&B artifact; write ENTITY/PROJECT/NAME:ALIAS, such as "
                       "team/pretraining/profiler:v3",
                       reference);
    struct wandb_artifact_name name = {.entity = config->entity,
                                       .project = config->project,
                                       .collection = parts.items[parts.count - 1],
                                       .alias = alias};
    if (parts.count >= 2)
        name.project = (struct wandb_value){parts.items[parts.count - 2], source};
    if (parts.count == 3)
        name.entity = (struct wandb_value){parts.items[0], source};
    if (name.project.text == NULL)
        name.project = (struct wandb_value){"uncategorized", "default"};
    *ret_name = name;
    return true;
}
