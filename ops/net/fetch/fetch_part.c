/* Implements the part file on openat, flock and renameat. */
#include "ops/net/fetch/fetch_part.h"
#include "ops/net/fetch/fetch_path.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { BLOCK_BYTES = 64 << 10, LOCK_EVERY_MS = 50, NAME_HEX_CHARS = 16, MS_PER_S = 1000 };

static void name_make(struct fetch_part *part)
{
    const struct fetch_item *item = part->item;
    char md5[MD5_HEX_BYTES] = "", hex[SHA256_HEX_BYTES];
    uint8_t raw[SHA256_BYTES];
    scoped_sha256 *state = sha256_new();
    text_hex(item->md5, sizeof item->md5, md5);
    sha256_add(state, item->path, strlen(item->path) + 1);
    sha256_add(state, md5, item->has_md5 ? sizeof md5 : 0);
    sha256_finish(state, raw);
    text_hex(raw, sizeof raw, hex);
    (void)snprintf(part->name, sizeof part->name, ".part-%.*s", NAME_HEX_CHARS, hex);
}

/* Digests a file from its start; *ret_length is what was read. */
static bool file_digest(int fd, struct md5 *md5, int64_t *ret_length, const char *name,
                        struct err *err)
{
    char block[BLOCK_BYTES];
    *ret_length = 0;
    for (;;) {
        ssize_t got = pread(fd, block, sizeof block, (off_t)*ret_length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, ERR_INPUT, "cannot read '%s'", name);
        if (got == 0)
            return true;
        md5_add(md5, block, (size_t)got);
        *ret_length += got;
    }
}

/* The file under its own name has the digest that is expected. One whose digest is not known is
 * never taken for whole. */
static bool final_check(const struct fetch_part *part, bool *ret_whole, struct err *err)
{
    const struct fetch_item *item = part->item;
    *ret_whole = false;
    scoped_fd fd =
        openat(part->folder_fd, part->base, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (fd < 0 || !item->has_md5 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
        (item->size_bytes >= 0 && info.st_size != item->size_bytes))
        return true;
    scoped_md5 *md5 = md5_new(err);
    int64_t length;
    uint8_t raw[MD5_BYTES];
    if (md5 == NULL || !file_digest(fd, md5, &length, item->path, err))
        return false;
    md5_finish(md5, raw);
    *ret_whole = memcmp(raw, item->md5, sizeof raw) == 0;
    return true;
}

/* true when the locked part is still the one under its name: the process that held the lock may
 * have renamed it. */
static bool is_current(const struct fetch_part *part)
{
    struct stat ours, named;
    return fstat(part->fd, &ours) == 0 &&
           fstatat(part->folder_fd, part->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

static bool digest_begin(struct fetch_part *part, struct err *err)
{
    md5_free(part->md5);
    part->md5 = md5_new(err);
    return part->md5 != NULL;
}

bool fetch_part_reset(struct fetch_part *part, struct err *err)
{
    part->have = 0;
    if (ftruncate(part->fd, 0) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot empty the part of '%s'",
                             part->item->path);
    return digest_begin(part, err);
}

/* With the lock held: another process may have ended the file after it was looked for and before
 * the part was made, which is then nobody's. */
static bool part_begin(struct fetch_part *part, bool *ret_whole, struct err *err)
{
    if (!final_check(part, ret_whole, err))
        return false;
    if (!*ret_whole) {
        /* Goes on with what an earlier call left, where it can be of this content. */
        const struct fetch_item *item = part->item;
        if (!item->has_md5)
            return fetch_part_reset(part, err);
        if (!digest_begin(part, err) ||
            !file_digest(part->fd, part->md5, &part->have, item->path, err))
            return false;
        bool too_long = item->size_bytes >= 0 && part->have > item->size_bytes;
        return !too_long || fetch_part_reset(part, err);
    }
    (void)unlinkat(part->folder_fd, part->name, 0);
    return true;
}

static bool part_lock(struct fetch_part *part, int64_t wait_s, bool *ret_whole, struct err *err)
{
    for (;;) {
        if (!final_check(part, ret_whole, err) || *ret_whole)
            return *ret_whole;
        part->fd =
            openat(part->folder_fd, part->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (part->fd < 0)
            return err_set_errno(err, ERR_INPUT, "cannot write beside '%s'", part->item->path);
        for (int64_t waited_ms = 0; flock(part->fd, LOCK_EX | LOCK_NB) != 0;
             waited_ms += LOCK_EVERY_MS) {
            if (errno != EWOULDBLOCK && errno != EINTR)
                return err_set_errno(err, ERR_INPUT, "cannot lock the part of '%s'",
                                     part->item->path);
            if (waited_ms > wait_s * MS_PER_S)
                return err_set(err, ERR_CONFLICT,
                               "another process is downloading '%s'; try again later",
                               part->item->path);
            clock_sleep_ms(LOCK_EVERY_MS);
        }
        if (is_current(part))
            return part_begin(part, ret_whole, err);
        (void)close(part->fd);
        part->fd = -1;
    }
}

bool fetch_part_open(int root_fd, const struct fetch_item *item, int64_t wait_s,
                     struct fetch_part *ret_part, bool *ret_whole, struct err *err)
{
    *ret_part = (struct fetch_part){.item = item, .folder_fd = -1, .fd = -1};
    name_make(ret_part);
    return fetch_path_open(root_fd, item->path, &ret_part->folder_fd, &ret_part->base, err) &&
           part_lock(ret_part, wait_s, ret_whole, err);
}

void fetch_part_close(struct fetch_part *part)
{
    md5_free(part->md5);
    if (part->fd >= 0)
        (void)close(part->fd);
    if (part->folder_fd >= 0)
        (void)close(part->folder_fd);
    *part = (struct fetch_part){.folder_fd = -1, .fd = -1};
}

bool fetch_part_add(struct fetch_part *part, const char *bytes, size_t length, struct err *err)
{
    if (lseek(part->fd, (off_t)part->have, SEEK_SET) < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write '%s'", part->item->path);
    if (!file_write_all(part->fd, bytes, length, part->item->path, err))
        return false;
    md5_add(part->md5, bytes, length);
    part->have += (int64_t)length;
    return true;
}

static void digest_check(struct fetch_part *part, bool *ret_fits, char why[256])
{
    const struct fetch_item *item = part->item;
    uint8_t raw[MD5_BYTES];
    md5_finish(part->md5, raw);
    *ret_fits = !item->has_md5 || memcmp(raw, item->md5, sizeof raw) == 0;
    char is[MD5_BASE64_BYTES], wanted[MD5_BASE64_BYTES];
    base64_encode(raw, sizeof raw, is);
    base64_encode(item->md5, sizeof item->md5, wanted);
    if (!*ret_fits)
        (void)snprintf(why, 256, "its MD5 is %s, but %s is listed", is, wanted);
}

bool fetch_part_finish(struct fetch_part *part, bool *ret_fits, char why[256], struct err *err)
{
    const struct fetch_item *item = part->item;
    *ret_fits = item->size_bytes < 0 || part->have == item->size_bytes;
    if (!*ret_fits)
        (void)snprintf(why, 256, "it has %lld bytes, but %lld are listed", (long long)part->have,
                       (long long)item->size_bytes);
    else
        digest_check(part, ret_fits, why);
    if (!*ret_fits)
        return true;
    return file_part_settle(part->fd, part->folder_fd, part->name, part->base, err);
}
