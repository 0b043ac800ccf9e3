/* Implements the files of the data folder. */
#include "history/cluster/cluster_file.h"

#include "ops/runtime/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cluster_file_read(const struct cluster_place *place, const char *name, struct arena *arena,
                       char **ret_text, struct err *err)
{
    struct err fault = {0};
    const char *path = path_join(arena, place->data, name);
    if (file_read(path, CLUSTER_FILE_BYTES_MAX, arena, ret_text, NULL, &fault))
        return true;
    *err = fault;
    *ret_text = arena_strdup(arena, "");
    return fault.kind == ERR_MISSING;
}

bool cluster_file_put(const struct cluster_place *place, const char *name, const struct text *text,
                      struct arena *arena, struct err *err)
{
    char *part;
    const char *path = path_join(arena, place->data, name);
    if (!text_ok(text, path, err))
        return false;
    scoped_fd fd = file_part_open(path, arena, &part, err);
    if (fd < 0)
        return false;
    /* Who reads it is the server, as its owner. */
    bool is_its = (geteuid() == place->uid || fchown(fd, place->uid, place->gid) == 0) &&
                  fchmod(fd, 0600) == 0;
    bool done = (is_its || err_set_errno(err, ERR_UNAVAILABLE, "cannot give %s to user %s", path,
                                         place->user)) &&
                file_write_all(fd, text_string(text), text->length, path, err) &&
                file_part_settle(fd, AT_FDCWD, part, path, err);
    if (!done)
        (void)unlink(part);
    return done;
}

/* The length of the line at `text`, with its end. */
static size_t line_length(const char *text)
{
    size_t length = strcspn(text, "\n");
    return length + (text[length] == '\n');
}

/* Whether one of the lines begins so. */
static bool begins_line(const char *lines, const char *begin)
{
    for (const char *line = lines; *line != '\0'; line += line_length(line))
        if (strncmp(line, begin, strlen(begin)) == 0)
            return true;
    return false;
}

bool cluster_file_mend(const char *old, const struct text *wanted, struct text *out)
{
    const char *lines = text_string(wanted), *last = strrchr(old, '\n');
    last = last == NULL ? old : last + 1;
    bool is_torn = *last != '\0' && begins_line(lines, last), lacks = is_torn;
    text_addn(out, old, is_torn ? (size_t)(last - old) : strlen(old));
    for (const char *line = lines; *line != '\0'; line += line_length(line)) {
        /* Whether a line with its end is among the lines. */
        if (memmem(old, strlen(old), line, line_length(line)) != NULL)
            continue;
        if (out->length > 0 && out->data[out->length - 1] != '\n')
            text_addc(out, '\n');
        text_addn(out, line, line_length(line));
        lacks = true;
    }
    return lacks;
}
