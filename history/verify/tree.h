/* The Merkle tree over the hashes of entries, after RFC 6962 §2.1 (RFC 9162 §2.1): a leaf is
 * SHA-256 of 0x00 and the entry's hash, a node SHA-256 of 0x01 and its two children, and a tree
 * splits at the largest power of two below its size. Pure: no database.
 *
 * What is kept of a tree that grows are its peaks: the roots of the perfect trees that its size is
 * the sum of, the largest first. A path is computed from the roots of spans of leaves, each grown
 * in the same way while the leaves pass by once.
 */
#ifndef HISTORY_VERIFY_TREE_H
#define HISTORY_VERIFY_TREE_H

#include "ops/runtime/digest.h"

#include <stdbool.h>

enum { TREE_LEVELS_MAX = 62, TREE_PATH_MAX = 2 * TREE_LEVELS_MAX };

struct tree {
    int64_t size;
    int peak_count;
    uint8_t peaks[TREE_LEVELS_MAX + 1][SHA256_BYTES];
};

/* Leaves [from, to). */
struct tree_span {
    int64_t from, to;
};

/* The hash of a node, by those of its children; out may be one of the two. */
void tree_node(const uint8_t *left, const uint8_t *right, uint8_t *out);

/* Appends a leaf. */
void tree_push(struct tree *tree, const uint8_t entry_sha256[SHA256_BYTES]);

/* The root; of no leaf it is SHA-256 of nothing. */
void tree_root(const struct tree *tree, uint8_t out[SHA256_BYTES]);

/* How many peaks a tree of that size has. */
int tree_peak_count(int64_t size);

/* The spans whose roots are the path from a leaf to the root of a tree of that size. Returns their
 * number. 0 <= leaf < size. */
int tree_inclusion_spans(int64_t leaf, int64_t size, struct tree_span spans[TREE_PATH_MAX]);

/* The spans whose roots show that a tree of size `first` is the beginning of one of size `second`.
 * 0 < first <= second. */
int tree_consistency_spans(int64_t first, int64_t second, struct tree_span spans[TREE_PATH_MAX]);

/* A path as it is handed out. */
struct tree_path {
    const uint8_t (*nodes)[SHA256_BYTES];
    int count;
};

/* An entry as a leaf of a tree. */
struct tree_leaf {
    const uint8_t *entry_sha256;
    int64_t leaf, size;
};

/* Whether the path leads from the leaf to the root of its tree. */
bool tree_includes(const struct tree_leaf *of, const struct tree_path *path,
                   const uint8_t root[SHA256_BYTES]);

/* Two sizes of one tree, and its roots then. */
struct tree_growth {
    int64_t first, second;
    const uint8_t *first_root, *second_root;
};

/* Whether the path shows that the second tree begins with the first. */
bool tree_has_grown(const struct tree_growth *growth, const struct tree_path *path);

#endif
