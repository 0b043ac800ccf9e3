/* Tests the tree of entries on every size up to 300, against hashes that tests/support/ct_tree.py
 * made by the words of RFC 9162 alone. */
#include "history/verify/tree.h"
#include "ops/runtime/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE_MAX_TESTED = 300 };

static uint8_t leaves[SIZE_MAX_TESTED][SHA256_BYTES];
static uint8_t roots[SIZE_MAX_TESTED + 1][SHA256_BYTES];

static void sha256_of(const void *bytes, size_t length, uint8_t out[SHA256_BYTES])
{
    scoped_sha256 *state = sha256_new();
    sha256_add(state, bytes, length);
    sha256_finish(state, out);
}

static int leaves_make(void **state)
{
    (void)state;
    struct tree tree = {0};
    for (int i = 0; i < SIZE_MAX_TESTED; i++) {
        uint8_t number[8] = {[6] = (uint8_t)(i >> 8), [7] = (uint8_t)i};
        sha256_of(number, sizeof number, leaves[i]);
    }
    for (int size = 0; size <= SIZE_MAX_TESTED; size++) {
        assert_int_equal(tree.peak_count, tree_peak_count(size));
        tree_root(&tree, roots[size]);
        if (size < SIZE_MAX_TESTED)
            tree_push(&tree, leaves[size]);
    }
    return 0;
}

static void is_digest(struct sha256 *state, const char *wanted)
{
    uint8_t sha256[SHA256_BYTES];
    char hex[SHA256_HEX_BYTES];
    sha256_finish(state, sha256);
    text_hex(sha256, sizeof sha256, hex);
    assert_string_equal(hex, wanted);
}

static int spans_hash(const struct tree_span *spans, int count, uint8_t nodes[][SHA256_BYTES])
{
    for (int i = 0; i < count; i++) {
        struct tree tree = {0};
        for (int64_t leaf = spans[i].from; leaf < spans[i].to; leaf++)
            tree_push(&tree, leaves[leaf]);
        tree_root(&tree, nodes[i]);
    }
    return count;
}

static void has_the_roots_of_the_rfc(void **state)
{
    (void)state;
    scoped_sha256 *all = sha256_new();
    for (int size = 0; size <= SIZE_MAX_TESTED; size++)
        sha256_add(all, roots[size], SHA256_BYTES);
    is_digest(all, "5e318c702d1541b9dd96c7f8f9292e700d31497f0a41affb6f8233ca99b69e36");
}

/* The leaves that are looked at in a tree of a size: ascending, each once. */
static int places_of(int size, int places[6])
{
    const int wanted[] = {0, 1, size / 3, size / 2, size - 2, size - 1};
    int count = 0;
    for (int leaf = 0; leaf < size; leaf++)
        for (int i = 0; i < 6; i++)
            if (wanted[i] == leaf) {
                places[count++] = leaf;
                break;
            }
    return count;
}

static bool included(const uint8_t *entry, int leaf, int size, const struct tree_path *path,
                     const uint8_t *root)
{
    return tree_includes(&(struct tree_leaf){entry, leaf, size}, path, root);
}

/* Each change of a path, of the place and of the size. */
static void inclusion_is_refused(uint8_t (*nodes)[SHA256_BYTES], int count, int leaf, int size)
{
    const struct tree_path path = {(const uint8_t(*)[SHA256_BYTES])nodes, count};
    const struct tree_path shorter = {path.nodes, count - 1}, longer = {path.nodes, count + 1};
    for (int i = 0; i < count; i++) {
        nodes[i][i % SHA256_BYTES] ^= 1;
        assert_false(included(leaves[leaf], leaf, size, &path, roots[size]));
        nodes[i][i % SHA256_BYTES] ^= 1;
    }
    memset(nodes[count], 7, SHA256_BYTES);
    assert_false(count > 0 && included(leaves[leaf], leaf, size, &shorter, roots[size]));
    assert_false(included(leaves[leaf], leaf, size, &longer, roots[size]));
    assert_false(included(leaves[leaf], leaf + 1, size, &path, roots[size]));
    assert_false(included(leaves[leaf], -1, size, &path, roots[size]));
    assert_false(included(roots[size], leaf, size, &path, roots[size]));
    assert_false(included(leaves[leaf], leaf, size, &path, roots[size - 1]));
}

static void proves_entries_by_the_paths_of_the_rfc(void **state)
{
    (void)state;
    scoped_sha256 *all = sha256_new();
    for (int size = 1; size <= SIZE_MAX_TESTED; size++) {
        int places[6], held = places_of(size, places);
        for (int k = 0; k < held; k++) {
            struct tree_span spans[TREE_PATH_MAX];
            uint8_t nodes[TREE_PATH_MAX + 1][SHA256_BYTES];
            int count = spans_hash(spans, tree_inclusion_spans(places[k], size, spans), nodes);
            const struct tree_path path = {(const uint8_t(*)[SHA256_BYTES])nodes, count};
            sha256_add(all, nodes, (size_t)count * SHA256_BYTES);
            assert_true(included(leaves[places[k]], places[k], size, &path, roots[size]));
            inclusion_is_refused(nodes, count, places[k], size);
        }
    }
    is_digest(all, "f4df5522b25aeaf16b3c9375fc167d015c4faef6f295b570e3e841d09ac1236c");
}

static void growth_is_refused(uint8_t (*nodes)[SHA256_BYTES], int count, int first, int second)
{
    const struct tree_path path = {(const uint8_t(*)[SHA256_BYTES])nodes, count};
    const struct tree_path shorter = {path.nodes, count - 1}, longer = {path.nodes, count + 1};
    struct tree_growth growth = {first, second, roots[first], roots[second]};
    for (int i = 0; i < count; i++) {
        nodes[i][31] ^= 128;
        assert_false(tree_has_grown(&growth, &path));
        nodes[i][31] ^= 128;
    }
    memset(nodes[count], 7, SHA256_BYTES);
    assert_false(count > 0 && tree_has_grown(&growth, &shorter));
    assert_false(tree_has_grown(&growth, &longer));
    growth.first_root = roots[first - 1];
    assert_false(tree_has_grown(&growth, &path));
    growth = (struct tree_growth){first, second, roots[first], roots[second - 1]};
    assert_false(tree_has_grown(&growth, &path));
    growth = (struct tree_growth){0, second, roots[0], roots[second]};
    assert_false(tree_has_grown(&growth, &path));
    growth = (struct tree_growth){second + 1, second, roots[first], roots[second]};
    assert_false(tree_has_grown(&growth, &path));
}

static void proves_growth_by_the_paths_of_the_rfc(void **state)
{
    (void)state;
    scoped_sha256 *all = sha256_new();
    for (int size = 1; size <= SIZE_MAX_TESTED; size++) {
        int places[6], held = places_of(size, places);
        for (int k = 0; k < held; k++) {
            struct tree_span spans[TREE_PATH_MAX];
            uint8_t nodes[TREE_PATH_MAX + 1][SHA256_BYTES];
            int first = places[k] + 1;
            int count = spans_hash(spans, tree_consistency_spans(first, size, spans), nodes);
            const struct tree_path path = {(const uint8_t(*)[SHA256_BYTES])nodes, count};
            const struct tree_growth growth = {first, size, roots[first], roots[size]};
            sha256_add(all, nodes, (size_t)count * SHA256_BYTES);
            assert_true(tree_has_grown(&growth, &path));
            growth_is_refused(nodes, count, first, size);
        }
    }
    is_digest(all, "358814b85ec414760c304eee05fa3c50406340d21ddc6d460fc45cd5f885beea");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_roots_of_the_rfc),
        cmocka_unit_test(proves_entries_by_the_paths_of_the_rfc),
        cmocka_unit_test(proves_growth_by_the_paths_of_the_rfc),
    };
    return cmocka_run_group_tests(tests, leaves_make, NULL);
}
