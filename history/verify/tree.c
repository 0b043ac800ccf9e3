/* Paths are checked as RFC 9162 §2.1.3.2 and §2.1.4.2 do. */
#include "history/verify/tree.h"

#include <string.h>

static const uint8_t leaf_tag = 0, node_tag = 1;

static bool leaf_hash(const uint8_t *entry, uint8_t *out, struct err *err)
{
    scoped_sha256 *state = sha256_new(err);
    if (state == NULL)
        return false;
    sha256_add(state, &leaf_tag, 1);
    sha256_add(state, entry, SHA256_BYTES);
    return sha256_finish(state, out, err);
}

bool tree_node(const uint8_t *left, const uint8_t *right, uint8_t *out, struct err *err)
{
    scoped_sha256 *state = sha256_new(err);
    if (state == NULL)
        return false;
    sha256_add(state, &node_tag, 1);
    sha256_add(state, left, SHA256_BYTES);
    sha256_add(state, right, SHA256_BYTES);
    return sha256_finish(state, out, err);
}

bool tree_push(struct tree *tree, const uint8_t entry_sha256[SHA256_BYTES], struct err *err)
{
    if (!leaf_hash(entry_sha256, tree->peaks[tree->peak_count], err))
        return false;
    tree->peak_count++;
    /* Each one at the end of the size is a perfect tree that the new one completes. */
    for (int64_t size = tree->size++; (size & 1) == 1; size >>= 1, tree->peak_count--)
        if (!tree_node(tree->peaks[tree->peak_count - 2], tree->peaks[tree->peak_count - 1],
                       tree->peaks[tree->peak_count - 2], err))
            return false;
    return true;
}

bool tree_root(const struct tree *tree, uint8_t out[SHA256_BYTES], struct err *err)
{
    if (tree->size == 0) {
        scoped_sha256 *state = sha256_new(err);
        return state != NULL && sha256_finish(state, out, err);
    }
    memcpy(out, tree->peaks[tree->peak_count - 1], SHA256_BYTES);
    for (int i = tree->peak_count - 2; i >= 0; i--)
        if (!tree_node(tree->peaks[i], out, out, err))
            return false;
    return true;
}

int tree_peak_count(int64_t size)
{
    return __builtin_popcountll((unsigned long long)size);
}

/* The largest power of two below the size. */
static int64_t split_of(int64_t size)
{
    int64_t split = 1;
    while (2 * split < size)
        split *= 2;
    return split;
}

int tree_inclusion_spans(int64_t leaf, int64_t size, struct tree_span spans[TREE_PATH_MAX])
{
    struct tree_span within = {0, size}, down[TREE_PATH_MAX];
    int count = 0;
    while (within.to - within.from > 1) {
        int64_t middle = within.from + split_of(within.to - within.from);
        bool left = leaf < middle;
        down[count++] =
            left ? (struct tree_span){middle, within.to} : (struct tree_span){within.from, middle};
        within =
            left ? (struct tree_span){within.from, middle} : (struct tree_span){middle, within.to};
    }
    for (int i = 0; i < count; i++)
        spans[i] = down[count - 1 - i];
    return count;
}

int tree_consistency_spans(int64_t first, int64_t second, struct tree_span spans[TREE_PATH_MAX])
{
    struct tree_span within = {0, second}, down[TREE_PATH_MAX];
    int count = 0;
    while (first != within.to) {
        int64_t middle = within.from + split_of(within.to - within.from);
        bool left = first <= middle;
        down[count++] =
            left ? (struct tree_span){middle, within.to} : (struct tree_span){within.from, middle};
        within =
            left ? (struct tree_span){within.from, middle} : (struct tree_span){middle, within.to};
    }
    /* The first tree itself is known to who asks. */
    if (within.from > 0)
        down[count++] = within;
    for (int i = 0; i < count; i++)
        spans[i] = down[count - 1 - i];
    return count;
}

static bool same(const uint8_t *left, const uint8_t *right)
{
    return memcmp(left, right, SHA256_BYTES) == 0;
}

bool tree_inclusion_check(const struct tree_leaf *of, const struct tree_path *path,
                          const uint8_t root[SHA256_BYTES], bool *ret_holds, struct err *err)
{
    uint8_t at[SHA256_BYTES];
    int64_t place = of->leaf, last = of->size - 1;
    *ret_holds = false;
    if (of->leaf < 0 || of->leaf >= of->size)
        return true;
    if (!leaf_hash(of->entry_sha256, at, err))
        return false;
    for (int i = 0; i < path->count; i++, place >>= 1, last >>= 1) {
        bool right = (place & 1) == 1 || place == last;
        if (last == 0)
            return true;
        if (!tree_node(right ? path->nodes[i] : at, right ? at : path->nodes[i], at, err))
            return false;
        while (right && (place & 1) == 0 && place != 0) {
            place >>= 1;
            last >>= 1;
        }
    }
    *ret_holds = last == 0 && same(at, root);
    return true;
}

bool tree_consistency_check(const struct tree_growth *growth, const struct tree_path *path,
                            bool *ret_holds, struct err *err)
{
    uint8_t old[SHA256_BYTES], new[SHA256_BYTES];
    int64_t place = growth->first - 1, last = growth->second - 1;
    int i = 0;
    *ret_holds = growth->first > 0 && growth->first == growth->second && path->count == 0 &&
                 same(growth->first_root, growth->second_root);
    if (growth->first <= 0 || growth->first >= growth->second)
        return true;
    for (; (place & 1) == 1; last >>= 1)
        place >>= 1;
    /* A perfect first tree is the left-most node itself. */
    if (place > 0 && path->count == 0)
        return true;
    const uint8_t *start = place > 0 ? path->nodes[i++] : growth->first_root;
    memcpy(old, start, SHA256_BYTES);
    memcpy(new, start, SHA256_BYTES);
    for (; i < path->count; i++, place >>= 1, last >>= 1) {
        const uint8_t *node = path->nodes[i];
        bool right = (place & 1) == 1 || place == last;
        if (last == 0)
            return true;
        if (!tree_node(right ? node : new, right ? new : node, new, err) ||
            (right && !tree_node(node, old, old, err)))
            return false;
        while (right && (place & 1) == 0 && place != 0) {
            place >>= 1;
            last >>= 1;
        }
    }
    *ret_holds = last == 0 && same(old, growth->first_root) && same(new, growth->second_root);
    return true;
}
