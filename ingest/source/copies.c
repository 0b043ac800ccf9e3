#include "ingest/source/copies.h"

#include "ops/runtime/file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 16 << 10 };

static void fd_close(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

/* Whether all bytes of one file are those that the other begins with. What cannot be read is none.
 */
static bool is_beginning(const char *part, const char *whole)
{
    char left[BLOCK_BYTES], right[BLOCK_BYTES];
    __attribute__((cleanup(fd_close))) int a = -1;
    __attribute__((cleanup(fd_close))) int b = -1;
    struct err ignored;
    size_t count, read = 0;
    bool any = false;
    if (!file_open(part, &a, &ignored) || !file_open(whole, &b, &ignored))
        return false;
    while (file_read_some(a, left, sizeof left, part, &count, &ignored) && count > 0) {
        for (size_t got = 0; got < count; got += read) {
            if (!file_read_some(b, right, count - got, whole, &read, &ignored) || read == 0 ||
                memcmp(left + got, right, read) != 0)
                return false;
        }
        any = true;
    }
    return any && count == 0;
}

void file_head_read(const char *path, struct file_head *ret_head)
{
    __attribute__((cleanup(fd_close))) int file = -1;
    struct stat facts;
    struct err ignored;
    *ret_head = (struct file_head){.path = path};
    if (!file_open(path, &file, &ignored) || fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        !file_read_some(file, ret_head->bytes, sizeof ret_head->bytes, path, &ret_head->length,
                        &ignored))
        return;
    ret_head->size = (int64_t)facts.st_size;
}

bool file_is_beginning(const struct file_head *part, const struct file_head *of)
{
    return part->length > 0 && part->size <= of->size && part->length <= of->length &&
           memcmp(part->bytes, of->bytes, part->length) == 0 && is_beginning(part->path, of->path);
}

static bool is_beginning_of(const struct captured_file *file, const struct captured_file *other)
{
    return file->facts.is_cut && file->lies_at != NULL && other->lies_at != NULL &&
           is_beginning(file->lies_at, other->lies_at);
}

/* Whether the file of that index is a copy of the other one; *ret_words is how, where they are not
 * the same bytes. */
static bool is_copy(const struct captured_file *files, size_t index, size_t of,
                    const char **ret_words)
{
    const struct captured_file *file = &files[index], *other = &files[of];
    const bool is_less = file->facts.event_count < other->facts.event_count;
    const bool is_before = of < index || other->from == NULL;
    *ret_words = NULL;
    if (of < index && strcmp(file->facts.sha256, other->facts.sha256) == 0)
        return true;
    if ((is_before || is_less) && join_is_copy(&file->facts, &other->facts))
        *ret_words =
            is_less ? "it holds the beginning of the capture in" : "it holds the same capture as";
    else if (is_beginning_of(file, other))
        *ret_words = "it was cut, and is the beginning of";
    return *ret_words != NULL;
}

void copies_find(struct captured_file *files, size_t count, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        struct captured_file *file = &files[i];
        for (size_t of = 0; of < count && file->from != NULL && !file->is_copy; of++) {
            const char *words;
            if (of == i || files[of].is_copy || !is_copy(files, i, of, &words))
                continue;
            file->is_copy = true;
            file->copy_of = of;
            if (words == NULL)
                continue;
            file->copy_words =
                arena_printf(arena, "%s '%s'", words, path_base(files[of].facts.path));
        }
    }
    for (size_t i = 0; i < count; i++) { /* of a copy of a copy */
        while (files[i].is_copy && files[files[i].copy_of].is_copy)
            files[i].copy_of = files[files[i].copy_of].copy_of;
    }
}
