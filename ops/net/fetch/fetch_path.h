/* Paths that someone else chose, opened so that they cannot leave their folder. */
#ifndef OPS_NET_FETCH_FETCH_PATH_H
#define OPS_NET_FETCH_FETCH_PATH_H

#include "ops/runtime/err.h"

/* NULL when the path is relative and stays below its folder on every system, else constant text
 * that says what is wrong and goes behind "the path ". */
const char *fetch_path_fault(const char *path);

/* Opens the folder that the last part of `path` lies in, below root_fd, making folders on the way;
 * links are not followed. *ret_base points at the last part, *ret_fd is the caller's to close.
 * ERR_INPUT: a part of the way is no folder; ERR_FULL. */
bool fetch_path_open(int root_fd, const char *path, int *ret_fd, const char **ret_base,
                     struct err *err);

#endif
