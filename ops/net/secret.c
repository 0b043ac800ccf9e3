/* Implements the table of reference forms, and the care taken with a file that holds a secret. */
#include "ops/net/secret.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Takes over buffer, of `length` bytes and room for a NUL, whatever comes out. */
static bool secret_keep(char *buffer, size_t length, const char *where, struct secret *ret_secret,
                        struct err *err)
{
    scoped_secret kept = {buffer, length};
    buffer[length] = '\0';
    if (length > 0 && buffer[length - 1] == '\n')
        buffer[--kept.length] = '\0';
    if (kept.length > 0 && kept.length < length && buffer[kept.length - 1] == '\r')
        buffer[--kept.length] = '\0';
    if (kept.length == 0)
        return err_set(err, ERR_INPUT, "%s is empty", where);
    for (size_t i = 0; i < kept.length; i++) {
        if ((unsigned char)buffer[i] < ' ' || buffer[i] == 127)
            return err_set(err, ERR_INPUT,
                           "%s holds a control character at byte %zu; it must be one line of text",
                           where, i + 1);
    }
    *ret_secret = kept;
    kept = (struct secret){0};
    return true;
}

static bool secret_copy(const char *value, const char *where, struct secret *ret_secret,
                        struct err *err)
{
    size_t length = strlen(value);
    if (length > SECRET_MAX_BYTES)
        return err_set(err, ERR_INPUT, "%s is longer than %d bytes", where, SECRET_MAX_BYTES);
    char *buffer = memory_alloc(length + 1);
    memcpy(buffer, value, length);
    return secret_keep(buffer, length, where, ret_secret, err);
}

/* A value that was put where its name belongs must not be quoted by the message that refuses it. */
static bool environment_read(const char *name, struct secret *ret_secret, struct err *err)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    if (name[strspn(name, allowed)] != '\0')
        return err_set(err, ERR_USAGE,
                       "what follows env: is no name of a variable (letters, digits and _)");
    const char *value = getenv(name);
    if (value == NULL)
        return err_set(err, ERR_MISSING, "the environment variable %s is not set", name);
    char where[128];
    (void)snprintf(where, sizeof where, "the environment variable %s", name);
    return secret_copy(value, where, ret_secret, err);
}

/* Bits of the mode that nobody else may have. */
enum {
    OWN_FILE = S_IRWXG | S_IRWXO,
    CREDENTIAL = S_IWGRP | S_IXGRP | S_IRWXO /* the service manager grants us reading by an ACL,
                                                whose mask stands in the group's bits */
};

/* O_NONBLOCK: opening a pipe that nobody writes to must not hang; file_check then refuses it. */
static bool path_read(const char *path, mode_t forbidden, struct secret *ret_secret,
                      struct err *err)
{
    scoped_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s'", path);
    struct stat info;
    if (fstat(fd, &info) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot look at '%s'", path);
    if (!S_ISREG(info.st_mode))
        return err_set(err, ERR_INPUT, "'%s' is not a regular file", path);
    if (info.st_uid != geteuid() && info.st_uid != 0)
        return err_set(err, ERR_INPUT,
                       "'%s' holds a secret but belongs to user %u; make it yours (chown)", path,
                       (unsigned)info.st_uid);
    if ((info.st_mode & forbidden) != 0)
        return err_set(err, ERR_INPUT, "'%s' holds a secret but has mode %04o; run: chmod 600 '%s'",
                       path, (unsigned)(info.st_mode & 07777), path);
    scoped_secret buffer = {memory_alloc(SECRET_MAX_BYTES + 2), 0};
    if (!file_read_all(fd, path, SECRET_MAX_BYTES, buffer.text, &buffer.length, err))
        return false;
    char *taken = buffer.text;
    size_t length = buffer.length;
    buffer = (struct secret){0};
    char where[1024];
    (void)snprintf(where, sizeof where, "'%s'", path);
    return secret_keep(taken, length, where, ret_secret, err);
}

static bool file_secret_read(const char *path, struct secret *ret_secret, struct err *err)
{
    if (path[0] != '/')
        return err_set(err, ERR_USAGE, "what follows file: must be an absolute path");
    return path_read(path, OWN_FILE, ret_secret, err);
}

/* LoadCredential= and its kin put files into a folder that only the service can read. */
static bool credential_read(const char *name, struct secret *ret_secret, struct err *err)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    char path[PATH_MAX];
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    if (name[strspn(name, allowed)] != '\0' || name[0] == '.')
        return err_set(err, ERR_USAGE,
                       "what follows credential: is no name of one (letters, digits, _ . and -)");
    if (folder == NULL || folder[0] != '/')
        return err_set(err, ERR_MISSING,
                       "CREDENTIALS_DIRECTORY is not set: the service manager gives it to services "
                       "with LoadCredential=%s:PATH",
                       name);
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return err_set(err, ERR_USAGE, "the path of credential '%s' is too long", name);
    return path_read(path, CREDENTIAL, ret_secret, err);
}

static const struct form {
    const char *prefix;
    bool (*read)(const char *name, struct secret *ret_secret, struct err *err);
} forms[] = {
    {"env:", environment_read},
    {"file:", file_secret_read},
    {"credential:", credential_read},
};

bool secret_is_reference(const char *value)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strncmp(value, forms[i].prefix, strlen(forms[i].prefix)) == 0)
            return true;
    return false;
}

bool secret_read(const char *reference, const char *what, enum secret_literal literal,
                 struct secret *ret_secret, struct err *err)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t length = strlen(forms[i].prefix);
        if (strncmp(reference, forms[i].prefix, length) != 0)
            continue;
        if (reference[length] == '\0')
            return err_set(err, ERR_USAGE, "%s: nothing follows %s", what, forms[i].prefix);
        return forms[i].read(reference + length, ret_secret, err) || err_prefix(err, "%s", what);
    }
    if (literal == SECRET_LITERAL_ALLOWED)
        return secret_copy(reference, what, ret_secret, err);
    return err_set(err, ERR_USAGE,
                   "%s must say where the secret is kept, as " SECRET_FORMS ", not be it", what);
}

void secret_done(struct secret *secret)
{
    if (secret->text != NULL)
        explicit_bzero(secret->text, secret->length);
    free(secret->text);
    *secret = (struct secret){0};
}
