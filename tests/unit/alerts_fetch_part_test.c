/* Tests of ops/net/fetch/fetch_part: what another process does to a file while ours begins to fetch
 * it.
 *
 * Link: -Wl,--wrap=openat
 */
#include "ops/net/fetch/fetch_part.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The MD5 of "abc" (RFC 1321). */
static const struct fetch_item item = {
    .path = "profile.pb",
    .size_bytes = 3,
    .has_md5 = true,
    .md5 = {0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0, 0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1,
            0x7f, 0x72},
};

static char folder[] = "/tmp/stepledger-part-XXXXXX";
static bool another_ends_it; /* just before the part is made */

int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...);

static void file_write(int at, const char *name, const char *text)
{
    int fd = __real_openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
}

int __wrap_openat(int at, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (another_ends_it && (flags & O_CREAT) != 0 && strncmp(path, ".part-", 6) == 0) {
        another_ends_it = false;
        file_write(at, item.path, "abc");
    }
    return __real_openat(at, path, flags, mode);
}

static int set_up(void **state)
{
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    *state = mkdtemp(folder);
    return *state == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    char path[64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, item.path);
    (void)unlink(path);
    return rmdir(folder); /* nothing else is left */
}

/* Opens the part in the test's folder; whether the file is whole already. */
static bool part_open(struct fetch_part *part)
{
    struct err err = {0};
    bool whole;
    int root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(root >= 0);
    if (!fetch_part_open(root, &item, 1, part, &whole, &err))
        fail_msg("%s", err.text);
    assert_int_equal(close(root), 0);
    return whole;
}

static void finish(struct fetch_part *part)
{
    struct err err = {0};
    char why[256];
    bool fits;
    assert_true(fetch_part_finish(part, &fits, why, &err));
    assert_true(fits);
    fetch_part_close(part);
}

static void goes_on_with_what_an_earlier_call_left(void **state)
{
    (void)state;
    struct fetch_part part;
    assert_false(part_open(&part));
    assert_true(fetch_part_add(&part, "ab", 2, NULL));
    fetch_part_close(&part);
    assert_false(part_open(&part));
    assert_int_equal(part.have, 2);
    assert_true(fetch_part_add(&part, "c", 1, NULL));
    finish(&part);
    assert_true(part_open(&part));
    fetch_part_close(&part);
}

static void takes_what_another_process_ended_in_between(void **state)
{
    (void)state;
    struct fetch_part part;
    another_ends_it = true;
    assert_true(part_open(&part));
    assert_false(another_ends_it);
    fetch_part_close(&part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(goes_on_with_what_an_earlier_call_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_what_another_process_ended_in_between, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
