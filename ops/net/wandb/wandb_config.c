/* Implements the sources of settings as one table, each source overwriting those before it. */
#include "ops/net/wandb/wandb_config.h"
#include "ops/net/secret.h"
#include "ops/net/section.h"
#include "ops/net/url.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    ATTEMPTS_MAX = 1000,
    WAIT_MAX_MS = 3600000,
    STALL_MAX_S = 3600,
    CONNECTIONS_MAX = 16,
    TIMEOUT_STANDARD_MS = 30000
};

static const char standard_url[] = "https://api.wandb.ai";

/* What several sources can set. */
static const struct setting {
    const char *key, *variable;
    size_t offset;
    bool by_workspace; /* the file of the working folder may say it */
} settings[] = {
    {"base_url", "WANDB_BASE_URL", offsetof(struct wandb_config, base_url), false},
    {"app_url", "WANDB_APP_URL", offsetof(struct wandb_config, app_url), false},
    {"entity", "WANDB_ENTITY", offsetof(struct wandb_config, entity), true},
    {"project", "WANDB_PROJECT", offsetof(struct wandb_config, project), true},
};
enum { SETTING_COUNT = sizeof settings / sizeof settings[0] };

static struct wandb_value *value_at(struct wandb_config *config, const struct setting *setting)
{
    return (struct wandb_value *)((char *)config + setting->offset);
}

/* ---- W&B's own files ---- */

static bool file_apply(struct wandb_config *config, const char *path, bool is_workspace,
                       struct arena *arena, struct err *err)
{
    if (access(path, R_OK) != 0)
        return true;
    struct conf_file file = {0};
    if (!conf_file_read(path, arena, &file, err))
        return err_prefix(err, "settings of W&B");
    for (size_t i = 0; i < file.count; i++) {
        const struct conf_entry *entry = &file.entries[i];
        for (size_t k = 0; k < SETTING_COUNT; k++) {
            bool fits = strcmp(settings[k].key, entry->key) == 0 && entry->value[0] != '\0' &&
                        strcmp(entry->section, "default") == 0;
            if (!fits || (is_workspace && !settings[k].by_workspace))
                continue;
            *value_at(config, &settings[k]) =
                (struct wandb_value){entry->value, arena_printf(arena, "%s:%d", path, entry->line)};
        }
    }
    return true;
}

/* ---- section [wandb] ---- */

static bool setting_set(void *target, const struct conf_entry *entry, struct arena *arena,
                        struct err *err)
{
    (void)err;
    const char *source = arena_printf(arena, "%s:%d", entry->file, entry->line);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (strcmp(settings[i].key, entry->key) == 0)
            *value_at(target, &settings[i]) = (struct wandb_value){entry->value, source};
    return true;
}

#define NUMBER(key, field, most, help) \
    SECTION_KEY_NUMBER(key, struct wandb_config, field, 1, most, 1, help)
static const struct section_key keys[] = {
    SECTION_KEY_OWN("base_url", setting_set, "the server; default: https://api.wandb.ai"),
    SECTION_KEY_OWN("app_url", setting_set, "of pages for people"),
    SECTION_KEY_OWN("entity", setting_set, "team or user"),
    SECTION_KEY_OWN("project", setting_set, "at W&B"),
    SECTION_KEY_REFERENCE(
        "api_key", struct wandb_config, key.text,
        "as env:NAME, file:/PATH or credential:NAME; default: WANDB_API_KEY, then netrc"),
    NUMBER("attempts", retry.max_attempts, ATTEMPTS_MAX, "of one call"),
    NUMBER("base_ms", retry.base_ms, WAIT_MAX_MS, "first wait between attempts"),
    NUMBER("cap_ms", retry.cap_ms, WAIT_MAX_MS, "longest wait between attempts"),
    NUMBER("deadline_ms", retry.deadline_ms, WAIT_MAX_MS, "of one call with its attempts"),
    NUMBER("stall_s", stall_s, STALL_MAX_S, "a transfer slower than 1 kB/s for so long is broken"),
    NUMBER("connections", connections, CONNECTIONS_MAX, "files in flight"),
};
#undef NUMBER

struct section_keys wandb_section_keys(void)
{
    return SECTION_KEYS(keys);
}

/* ---- the address ---- */

char *wandb_netloc(struct arena *arena, const char *url)
{
    const char *scheme = strstr(url, "://");
    const char *start = scheme == NULL ? url : scheme + 3;
    return arena_strndup(arena, start, strcspn(start, "/?#"));
}

/* The hosted service has one address for its API; a page's address would take the key and answer
 * with HTML. */
static bool base_check(const struct wandb_config *config, struct arena *arena, struct err *err)
{
    const char *url = config->base_url.text;
    char *host = wandb_netloc(arena, url);
    if (!url_check(url, config->policy.allow_http, err))
        return err_prefix(err, "base_url of W&B (from %s)", config->base_url.source);
    if (strpbrk(url, "?#") != NULL)
        return err_set(err, ERR_USAGE, "base_url of W&B (from %s) must end with its path",
                       config->base_url.source);
    bool hosted = text_ends_with(host, "wandb.ai");
    return !hosted || (strstr(host, "api.") != NULL && strncmp(url, "https://", 8) == 0) ||
           err_set(err, ERR_USAGE,
                   "base_url of W&B (from %s) is '%s', which is not its API; write %s",
                   config->base_url.source, url, standard_url);
}

static bool config_finish(struct wandb_config *config, struct arena *arena, struct err *err)
{
    /* What is sent must be text, and names are shown as they are. */
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct wandb_value *value = value_at(config, &settings[i]);
        size_t length = value->text == NULL ? 0 : strlen(value->text);
        if (length > 0 && text_utf8_valid(value->text, length) != length)
            return err_set(err, ERR_USAGE, "%s of W&B (from %s) is not valid UTF-8",
                           settings[i].key, value->source);
    }
    config->base_url.text = url_base(config->base_url.text, arena);
    if (!base_check(config, arena, err))
        return false;
    /* "api.wandb.ai" shows its pages at "wandb.ai", "api.HOST" at "app.HOST". */
    const char *base = config->base_url.text;
    const char *at = strstr(base, "://api.");
    if (config->app_url.text != NULL) {
        config->app_url.text = url_base(config->app_url.text, arena);
    } else if (at == NULL) {
        config->app_url = config->base_url;
    } else {
        const char *host = at + strlen("://api.");
        const char *prefix = strncmp(host, "wandb.", strlen("wandb.")) == 0 ? "" : "app.";
        config->app_url = (struct wandb_value){
            arena_printf(arena, "%.*s://%s%s", (int)(at - base), base, prefix, host),
            config->base_url.source};
    }
    return arena_ok(arena, "the settings of W&B", err);
}

bool wandb_config_load(const struct conf *conf, const char *entity_option,
                       const char *project_option, struct arena *arena,
                       struct wandb_config *ret_config, struct err *err)
{
    struct wandb_config config = {
        .base_url = {standard_url, "default"},
        .policy = {.timeout_ms = TIMEOUT_STANDARD_MS},
        .retry = {.base_ms = 2000, .cap_ms = 60000, .max_attempts = 20, .deadline_ms = 300000},
        .stall_s = 60,
        .connections = 4,
    };
    const char *folder = getenv("WANDB_CONFIG_DIR"), *home = getenv("HOME");
    const char *global =
        folder != NULL && folder[0] != '\0'
            ? arena_printf(arena, "%s/settings", folder)
            : arena_printf(arena, "%s/.config/wandb/settings", home == NULL ? "" : home);
    if (!file_apply(&config, global, false, arena, err) ||
        !file_apply(&config, "wandb/settings", true, arena, err))
        return false;
    const struct section section = {
        .what = "[wandb]", .keys = SECTION_KEYS(keys), .target = &config, .policy = &config.policy};
    for (size_t i = 0; i < conf->sections.count; i++) {
        const struct conf_entry *entry = &conf->sections.entries[i];
        if (strcmp(entry->section, "wandb") == 0 && !section_apply(&section, entry, arena, err))
            return false;
    }
    if (config.key.text != NULL)
        config.key.source = "[wandb] api_key";
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const char *text = getenv(settings[i].variable);
        if (text != NULL && text[0] != '\0')
            *value_at(&config, &settings[i]) = (struct wandb_value){
                text, arena_printf(arena, "environment %s", settings[i].variable)};
    }
    if (entity_option != NULL)
        config.entity = (struct wandb_value){entity_option, "option --entity"};
    if (project_option != NULL)
        config.project = (struct wandb_value){project_option, "option --project"};
    if (!config_finish(&config, arena, err))
        return false;
    *ret_config = config;
    return true;
}

bool wandb_config_of_place(const struct wandb_place *place, struct arena *arena,
                           struct wandb_config *ret_config, struct err *err)
{
    static const char from[] = "the destination";
    const char *slash = strchr(place->path, '/');
    if (slash == NULL || slash == place->path || slash[1] == '\0' || strchr(slash + 1, '/') != NULL)
        return err_set(err, ERR_USAGE, "repository: '%s' must be ENTITY/PROJECT", place->path);
    struct wandb_config config = {
        .base_url = {place->base_url, from},
        .entity = {arena_strndup(arena, place->path, (size_t)(slash - place->path)), from},
        .project = {slash + 1, from},
        .key = {place->key_ref, "the secret of the destination"},
        .policy = *place->policy,
        .retry = {.base_ms = 1, .cap_ms = 1, .max_attempts = 1},
        .stall_s = place->policy->timeout_ms / 1000 + 1,
        .connections = 2,
    };
    if (!config_finish(&config, arena, err))
        return false;
    *ret_config = config;
    return true;
}
