"""The Merkle tree of Certificate Transparency by the words of RFC 9162 §2.1, with nothing of the
program in it: the double that proofs are checked by. Leaves are bytes; hashes are bytes."""

import hashlib
import struct


def leaf_hash(leaf):
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def split(count):
    """The largest power of two below the count."""
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def tree_hash(leaves):
    """MTH of §2.1.1."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    k = split(len(leaves))
    return node_hash(tree_hash(leaves[:k]), tree_hash(leaves[k:]))


def inclusion_path(index, leaves):
    """PATH of §2.1.3.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if index < k:
        return inclusion_path(index, leaves[:k]) + [tree_hash(leaves[k:])]
    return inclusion_path(index - k, leaves[k:]) + [tree_hash(leaves[:k])]


def consistency_path(first, leaves, known=True):
    """PROOF and SUBPROOF of §2.1.4.1."""
    if first == len(leaves):
        return [] if known else [tree_hash(leaves)]
    k = split(len(leaves))
    if first <= k:
        return consistency_path(first, leaves[:k], known) + [tree_hash(leaves[k:])]
    return consistency_path(first - k, leaves[k:], False) + [tree_hash(leaves[:k])]


def root_by_path(leaf, index, size, path):
    """The root that an inclusion path leads to; None: it is none for this place. By the shape of
    the tree, from its top."""
    if size == 1:
        return leaf_hash(leaf) if not path else None
    if not path:
        return None
    k = split(size)
    if index < k:
        below = root_by_path(leaf, index, k, path[:-1])
        return None if below is None else node_hash(below, path[-1])
    below = root_by_path(leaf, index - k, size - k, path[:-1])
    return None if below is None else node_hash(path[-1], below)


def roots_by_path(first, second, path, known_root):
    """The two roots that a consistency path leads to, by the tree's shape; None: it is none."""
    def walk(first, second, path, known):
        if first == second:
            if known:
                return (known_root, known_root) if not path else None
            return (path[0], path[0]) if len(path) == 1 else None
        if not path:
            return None
        k = split(second)
        if first <= k:
            below = walk(first, k, path[:-1], known)
            return None if below is None else (below[0], node_hash(below[1], path[-1]))
        below = walk(first - k, second - k, path[:-1], False)
        return None if below is None else (node_hash(path[-1], below[0]),
                                           node_hash(path[-1], below[1]))
    return walk(first, second, path, True)


def entry_hash(entry):
    """The leaf of an entry of a proof.v1: SHA-256 over its tag and one row of binary COPY."""
    def text(value):
        return None if value is None else value.encode()

    def number(value, form):
        return None if value is None else struct.pack(form, value)

    values = [text(entry["chain"]), number(entry["position"], ">q"), text(entry["kind"]),
              number(entry["subject_id"], ">q"), number(entry["supersedes"], ">q"),
              number(entry["version"], ">i"), bytes.fromhex(entry["content_sha256"]),
              bytes.fromhex(entry["previous_sha256"]),
              number(entry["recorded_us"] - 946684800 * 10 ** 6, ">q")]
    if entry["version"] > 1:
        values += [text(entry["recorded_by"]), text(entry["on_behalf_of"])]
    row = struct.pack(">h", len(values))
    for value in values:
        row += struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value
    tag = f"stepledger.entry.v{entry['version']}\0".encode()
    return hashlib.sha256(tag + row).digest()


def leaves_of(count):
    """The leaves of tests: SHA-256 of each number in 8 bytes."""
    return [hashlib.sha256(struct.pack(">q", i)).digest() for i in range(count)]


if __name__ == "__main__":
    # What tests/unit/history_tree_test.c compares with.
    ALL = leaves_of(300)
    ROOTS, PATHS, GROWTHS = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for n in range(301):
        ROOTS.update(tree_hash(ALL[:n]))
        for m in sorted({0, 1, n // 3, n // 2, n - 2, n - 1} & set(range(n))):
            for node in inclusion_path(m, ALL[:n]):
                PATHS.update(node)
            for node in consistency_path(m + 1, ALL[:n]):
                GROWTHS.update(node)
    print(ROOTS.hexdigest(), PATHS.hexdigest(), GROWTHS.hexdigest(), sep="\n")
