/* Finds the API key: a reference of the configuration, the environment, netrc. */
#include "ops/net/wandb/wandb_config.h"
#include "ops/runtime/file.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_MIN_CHARS = 40, NETRC_MAX_BYTES = 1 << 20 };

static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/* A JWT has three parts of base64url; a key is at least 40 characters behind an optional prefix
 * that ends with '-'. */
static bool key_is_formed(const char *key)
{
    size_t dots = 0;
    for (const char *p = key; *p != '\0'; p++)
        dots += *p == '.';
    if (dots == 2)
        return strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") ==
               strlen(key);
    const char *dash = strchr(key, '-');
    const char *own = dash == NULL ? key : dash + 1;
    return strlen(own) >= KEY_MIN_CHARS && own[strspn(own, base64url)] == '\0';
}

/* Takes the key over, whatever comes out. */
static bool key_keep(struct secret *key, const char *source, struct secret *ret_key,
                     const char **ret_source, struct err *err)
{
    if (!key_is_formed(key->text)) {
        secret_done(key);
        return err_set(err, ERR_INPUT,
                       "the W&B API key from %s is not of the form of keys: at least %d letters, "
                       "digits, - and _; copy it again from the service's page of settings",
                       source, KEY_MIN_CHARS);
    }
    *ret_key = *key;
    *ret_source = source;
    return true;
}

/* ---- netrc: words and "quoted words", comments, and macros, which end with an empty line ---- */

struct token {
    const char *start;
    size_t length;
};

static const char blanks[] = " \t\r\n";

static bool token_is(const struct token *token, const char *word)
{
    return strlen(word) == token->length && memcmp(word, token->start, token->length) == 0;
}

static bool token_next(const char **p, struct token *ret_token)
{
    for (;;) {
        *p += strspn(*p, blanks);
        if (**p != '#')
            break;
        *p += strcspn(*p, "\n");
    }
    if (**p == '\0')
        return false;
    bool quoted = **p == '"';
    const char *start = *p + quoted;
    size_t length = strcspn(start, quoted ? "\"\n" : blanks);
    if (quoted && start[length] != '"')
        return false;
    *p = start + length + quoted;
    *ret_token = (struct token){start, length};
    return true;
}

bool netrc_find(const char *text, const char *machine, const char **ret_start, size_t *ret_length)
{
    bool is_ours = false;
    struct token word, value;
    for (const char *p = text; token_next(&p, &word);) {
        if (token_is(&word, "default")) {
            is_ours = false;
        } else if (token_is(&word, "macdef")) {
            const char *end = strstr(p, "\n\n");
            p = end == NULL ? p + strlen(p) : end + 2;
        } else if (!token_next(&p, &value)) {
            return false;
        } else if (token_is(&word, "machine")) {
            is_ours = token_is(&value, machine);
        } else if (is_ours && token_is(&word, "password")) {
            *ret_start = value.start;
            *ret_length = value.length;
            return value.length > 0;
        }
    }
    return false;
}

static const char *netrc_path(struct arena *arena)
{
    static const char *const names[] = {".netrc", "_netrc"};
    const char *named = getenv("NETRC"), *home = getenv("HOME");
    if (named != NULL && named[0] != '\0')
        return access(named, R_OK) == 0 ? named : NULL;
    for (size_t i = 0; home != NULL && i < sizeof names / sizeof names[0]; i++) {
        const char *path = path_join(arena, home, names[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

/* Copies the password out, and wipes the text that it stood in. */
static bool netrc_read(const char *path, const char *machine, struct secret *ret_key)
{
    scoped_arena arena;
    arena_init(&arena, NETRC_MAX_BYTES + 16384);
    char *text;
    const char *start;
    size_t length, key_length;
    if (!file_read(path, NETRC_MAX_BYTES, &arena, &text, &length, NULL))
        return false;
    bool found = netrc_find(text, machine, &start, &key_length) && key_length <= SECRET_MAX_BYTES;
    if (found) {
        *ret_key = (struct secret){memory_alloc(key_length + 1), key_length};
        memcpy(ret_key->text, start, key_length);
        ret_key->text[key_length] = '\0';
    }
    explicit_bzero(text, length);
    return found;
}

bool wandb_key_read(const struct wandb_config *config, struct arena *arena, struct secret *ret_key,
                    const char **ret_source, struct err *err)
{
    struct secret key = {0};
    const char *variable = getenv("WANDB_API_KEY"), *token = getenv("WANDB_IDENTITY_TOKEN_FILE");
    bool has_variable = variable != NULL && variable[0] != '\0';
    if (config->key.text != NULL)
        return secret_read(config->key.text, config->key.source, SECRET_LITERAL_REFUSED, &key,
                           err) &&
               key_keep(&key, config->key.source, ret_key, ret_source, err);
    if (token != NULL && token[0] != '\0')
        return err_set(err, ERR_USAGE,
                       has_variable ? "WANDB_API_KEY and WANDB_IDENTITY_TOKEN_FILE are both set; "
                                      "unset the second"
                                    : "WANDB_IDENTITY_TOKEN_FILE is set, but identity tokens are "
                                      "not supported; set WANDB_API_KEY instead");
    if (has_variable)
        return secret_read("env:WANDB_API_KEY", "API key", SECRET_LITERAL_REFUSED, &key, err) &&
               key_keep(&key, "environment WANDB_API_KEY", ret_key, ret_source, err);
    const char *machine = wandb_netloc(arena, config->base_url.text);
    const char *path = netrc_path(arena);
    if (path == NULL || !netrc_read(path, machine, &key))
        return err_set(
            err, ERR_MISSING,
            "there is no W&B API key for %s (base_url from %s): set WANDB_API_KEY, or write "
            "`machine %s login user password KEY` into ~/.netrc (or the file that NETRC "
            "names), or api_key = file:/PATH into section [wandb]",
            machine, config->base_url.source, machine);
    return key_keep(&key, arena_printf(arena, "netrc file %s", path), ret_key, ret_source, err);
}
