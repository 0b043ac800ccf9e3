/* Paths are checked as RFC 9162 §2.1.3.2 and §2.1.4.2 do. */
#include "history/verify/tree.h"

#include <string.h>

static const uint8_t leaf_tag = 0, node_tag = 1;

static void leaf_hash(const uint8_t *entry, uint8_t *out)
{
    scoped_sha256 *state = sha256_new();
    sha256_add(state, &leaf_tag, 1);
    sha256_add(state, entry, SHA256_BYTES);
    sha256_finish(state, out);
}

void tree_node(const uint8_t *left, const uint8_t *right, uint8_t *out)
{
    scoped_sha256 *state = sha256_new();
    sha256_add(state, &node_tag, 1);
    sha256_add(state, left, SHA256_BYTES);
    sha256_add(state, right, SHA256_BYTES);
    sha256_finish(state, out);
}

void tree_push(struct tree *tree, const uint8_t entry_sha256[SHA256_BYTES])
{
    leaf_hash(entry_sha256, tree->peaks[tree->peak_count++]);
    /* Each one at the end of the size is a perfect tree that the new one completes. */
    for (int64_t size = tree->size++; (size & 1) == 1; size >>= 1, tree->peak_count--)
        tree_node(tree->peaks[tree->peak_count - 2], tree->peaks[tree->peak_count - 1],
                  tree->peaks[tree->peak_count - 2]);
}

void tree_root(const struct tree *tree, uint8_t out[SHA256_BYTES])
{
    if (tree->size == 0) {
        scoped_sha256 *state = sha256_new();
        sha256_finish(state, out);
        return;
    }
    memcpy(out, tree->peaks[tree->peak_count - 1], SHA256_BYTES);
    for (int i = tree->peak_count - 2; i >= 0; i--)
        tree_node(tree->peaks[i], out, out);
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

/* The halves of [0, size) that a walk down to a span leaves aside, the last first: to a leaf, or
 * to the last of those that [0, first) is the sum of. */
static int spans_aside(int64_t size, int64_t leaf, int64_t first,
                       struct tree_span spans[TREE_PATH_MAX])
{
    struct tree_span within = {0, size}, down[TREE_PATH_MAX];
    int count = 0;
    while (first == 0 ? within.to - within.from > 1 : first != within.to) {
        int64_t middle = within.from + split_of(within.to - within.from);
        const struct tree_span left = {within.from, middle}, right = {middle, within.to};
        bool goes_left = first == 0 ? leaf < middle : first <= middle;
        down[count++] = goes_left ? right : left;
        within = goes_left ? left : right;
    }
    /* The first tree itself is known to who asks. */
    if (first > 0 && within.from > 0)
        down[count++] = within;
    for (int i = 0; i < count; i++)
        spans[i] = down[count - 1 - i];
    return count;
}

int tree_inclusion_spans(int64_t leaf, int64_t size, struct tree_span spans[TREE_PATH_MAX])
{
    return spans_aside(size, leaf, 0, spans);
}

int tree_consistency_spans(int64_t first, int64_t second, struct tree_span spans[TREE_PATH_MAX])
{
    return spans_aside(second, 0, first, spans);
}

static bool same(const uint8_t *left, const uint8_t *right)
{
    return memcmp(left, right, SHA256_BYTES) == 0;
}

/* A step up, from a place in a level whose last one is `last`. */
static void level_rise(int64_t *place, int64_t *last, bool right)
{
    while (right && (*place & 1) == 0 && *place != 0) {
        *place >>= 1;
        *last >>= 1;
    }
    *place >>= 1;
    *last >>= 1;
}

bool tree_includes(const struct tree_leaf *of, const struct tree_path *path,
                   const uint8_t root[SHA256_BYTES])
{
    uint8_t at[SHA256_BYTES];
    int64_t place = of->leaf, last = of->size - 1;
    if (of->leaf < 0 || of->leaf >= of->size)
        return false;
    leaf_hash(of->entry_sha256, at);
    for (int i = 0; i < path->count; i++) {
        bool right = (place & 1) == 1 || place == last;
        if (last == 0)
            return false;
        tree_node(right ? path->nodes[i] : at, right ? at : path->nodes[i], at);
        level_rise(&place, &last, right);
    }
    return last == 0 && same(at, root);
}

bool tree_has_grown(const struct tree_growth *growth, const struct tree_path *path)
{
    uint8_t old[SHA256_BYTES], new[SHA256_BYTES];
    int64_t place = growth->first - 1, last = growth->second - 1;
    int i = 0;
    if (growth->first <= 0 || growth->first >= growth->second)
        return growth->first > 0 && growth->first == growth->second && path->count == 0 &&
               same(growth->first_root, growth->second_root);
    for (; (place & 1) == 1; last >>= 1)
        place >>= 1;
    /* A perfect first tree is the left-most node itself. */
    if (place > 0 && path->count == 0)
        return false;
    const uint8_t *start = place > 0 ? path->nodes[i++] : growth->first_root;
    memcpy(old, start, SHA256_BYTES);
    memcpy(new, start, SHA256_BYTES);
    for (; i < path->count; i++) {
        const uint8_t *node = path->nodes[i];
        bool right = (place & 1) == 1 || place == last;
        if (last == 0)
            return false;
        tree_node(right ? node : new, right ? new : node, new);
        if (right)
            tree_node(node, old, old);
        level_rise(&place, &last, right);
    }
    return last == 0 && same(old, growth->first_root) && same(new, growth->second_root);
}
