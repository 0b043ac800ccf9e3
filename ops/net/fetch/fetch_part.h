/* The part file of a download: bytes that came so far, with their digest, locked against other
 * processes.
 *
 * Its name holds a hash of the path and of the digest that is expected, so that a later call goes
 * on only with bytes of the same content. Where no digest is known it always begins anew.
 */
#ifndef OPS_NET_FETCH_FETCH_PART_H
#define OPS_NET_FETCH_FETCH_PART_H

#include "ops/net/fetch/fetch_folder.h"

#include <stdbool.h>
#include <stdint.h>

enum { FETCH_PART_NAME_BYTES = 32 };

struct fetch_part {
    const struct fetch_item *item;
    int folder_fd;    /* of the folder that the file will lie in */
    const char *base; /* its name there */
    int fd;           /* of the part; locked */
    char name[FETCH_PART_NAME_BYTES];
    struct md5 *md5; /* of the bytes so far */
    int64_t have;    /* bytes so far */
};

/* Opens and locks the part; *ret_whole: the file itself is whole already and nothing else is
 * needed. wait_s: how long another process may hold the lock, then ERR_CONFLICT. fetch_part_close
 * accepts a struct that part_open did not fill but the caller zeroed with both fds -1. */
bool fetch_part_open(int root_fd, const struct fetch_item *item, int64_t wait_s,
                     struct fetch_part *ret_part, bool *ret_whole, struct err *err);
void fetch_part_close(struct fetch_part *part);

/* Appends bytes. ERR_FULL. */
bool fetch_part_add(struct fetch_part *part, const char *bytes, size_t length, struct err *err);

/* Forgets the bytes so far. */
bool fetch_part_reset(struct fetch_part *part, struct err *err);

/* Checks size and digest of what came and gives the file its own name. *ret_fits false: the bytes
 * are wrong, why has room for a sentence about it; nothing was renamed. */
bool fetch_part_finish(struct fetch_part *part, bool *ret_fits, char why[256], struct err *err);

#endif
