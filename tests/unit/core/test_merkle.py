"""The Merkle tree against published roots and proofs, against RFC 6962's own definitions, and against tampering."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.core import digest as merkle
from service_nb.evidence.standalone import compute_proven_root
from tests.vectors.evidence_maker import mth, path

SIZES = 130

# Certificate Transparency's reference tree: github.com/google/certificate-transparency,
# cpp/merkletree/merkle_tree_test.cc, and github.com/transparency-dev/merkle, proof/verify_test.go.
ENTRIES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
INCLUSION = [
    (
        0,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        5,
        8,
        [
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    (
        1,
        5,
        [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
]
CONSISTENCY = [
    (1, 1, []),
    (
        1,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        6,
        8,
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        5,
        [
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
]


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    return compute_proven_root(leaf, index, size, proof) == root


class Tree:
    """A store of complete subtrees that only appends, as the ledger has it; and how many of them were asked for."""

    def __init__(self, entries: Sequence[bytes]) -> None:
        self.leaves = [merkle.hash_leaf(entry) for entry in entries]
        self.kept: dict[tuple[int, int], bytes] = {}
        self.asked = 0
        for size, leaf in enumerate(self.leaves):
            for level, index, value in merkle.list_completed_nodes(size, leaf, self.nodes):
                assert (level, index) not in self.kept, "a node is never written twice"
                self.kept[level, index] = value

    def nodes(self, level: int, index: int) -> bytes:
        self.asked += 1
        return self.kept[level, index]


CT = Tree(ENTRIES)
TREE = Tree([b"entry %d" % number for number in range(SIZES)])
ROOT = [merkle.compute_root(size, TREE.nodes) for size in range(SIZES + 1)]


def test_roots_are_those_of_certificate_transparency() -> None:
    assert [merkle.compute_root(size, CT.nodes).hex() for size in range(9)] == ROOTS
    assert merkle.EMPTY_ROOT.hex() == ROOTS[0]


@pytest.mark.parametrize(("index", "size", "proof"), INCLUSION)
def test_inclusion_proofs_are_those_of_certificate_transparency(index: int, size: int, proof: list[str]) -> None:
    assert [value.hex() for value in merkle.prove_inclusion(index, size, CT.nodes)] == proof
    root = bytes.fromhex(ROOTS[size])
    assert is_included(CT.leaves[index], index, size, list(map(bytes.fromhex, proof)), root)


@pytest.mark.parametrize(("old", "new", "proof"), CONSISTENCY)
def test_consistency_proofs_are_those_of_certificate_transparency(old: int, new: int, proof: list[str]) -> None:
    assert [value.hex() for value in merkle.prove_consistency(old, new, CT.nodes)] == proof
    roots = bytes.fromhex(ROOTS[old]), bytes.fromhex(ROOTS[new])
    assert merkle.verify_consistency(old, new, *roots, list(map(bytes.fromhex, proof)))


def test_roots_and_proofs_follow_the_recursive_definitions() -> None:
    for size in range(SIZES + 1):
        assert ROOT[size] == mth(TREE.leaves[:size])
    for size in (1, 2, 3, 7, 8, 9, 63, 64, 65, 100):
        for index in range(size):
            assert merkle.prove_inclusion(index, size, TREE.nodes) == path(index, TREE.leaves[:size])


def test_every_leaf_is_proven_in_every_tree() -> None:
    for size in range(1, SIZES + 1):
        for index in range(size):
            proof = merkle.prove_inclusion(index, size, TREE.nodes)
            assert is_included(TREE.leaves[index], index, size, proof, ROOT[size])


def test_every_tree_is_proven_to_be_the_beginning_of_every_later_one() -> None:
    for new in range(SIZES + 1):
        for old in range(new + 1):
            proof = merkle.prove_consistency(old, new, TREE.nodes)
            assert merkle.verify_consistency(old, new, ROOT[old], ROOT[new], proof)


def test_a_proof_reads_few_nodes() -> None:
    for work in (
        lambda: merkle.compute_root(SIZES, TREE.nodes),
        lambda: merkle.prove_inclusion(77, SIZES, TREE.nodes),
        lambda: merkle.prove_consistency(77, SIZES, TREE.nodes),
    ):
        TREE.asked = 0
        work()
        assert TREE.asked <= 2 * SIZES.bit_length()


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_there_is_no_proof_of_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="no leaf"):
        merkle.prove_inclusion(index, size, TREE.nodes)


@pytest.mark.parametrize(("old", "new"), [(-1, 3), (4, 3)])
def test_there_is_no_proof_of_a_tree_that_was_never_there(old: int, new: int) -> None:
    with pytest.raises(ValueError, match="no tree"):
        merkle.prove_consistency(old, new, TREE.nodes)


def damaged(proof: list[bytes], draw: st.DataObject) -> list[bytes]:
    """The proof with one hash flipped, dropped, repeated, or exchanged with the next."""
    how = draw.draw(st.sampled_from(["flip", "drop", "repeat", "exchange", "append"]))
    at = draw.draw(st.integers(0, max(len(proof) - 1, 0)))
    if how == "append" or not proof:
        return [*proof, draw.draw(st.sampled_from([*proof, ROOT[3], bytes(32)]))]
    if how == "flip":
        bit = draw.draw(st.integers(0, 255))
        value = (int.from_bytes(proof[at], "big") ^ 1 << bit).to_bytes(32, "big")
        return [*proof[:at], value, *proof[at + 1 :]]
    if how == "drop":
        return proof[:at] + proof[at + 1 :]
    if how == "repeat":
        return proof[: at + 1] + proof[at:]
    return [*proof[:at], *reversed(proof[at : at + 2]), *proof[at + 2 :]]


@given(st.data(), st.integers(1, SIZES))
def test_a_damaged_inclusion_proof_proves_nothing(draw: st.DataObject, size: int) -> None:
    index = draw.draw(st.integers(0, size - 1))
    proof = merkle.prove_inclusion(index, size, TREE.nodes)
    other = damaged(proof, draw)
    if other != proof:
        assert not is_included(TREE.leaves[index], index, size, other, ROOT[size])


@given(st.integers(1, SIZES), st.data())
def test_a_proof_is_of_one_leaf_at_one_place_under_one_root(size: int, draw: st.DataObject) -> None:
    index, place, leaf = (draw.draw(st.integers(0, size - 1)) for _ in range(3))
    root = draw.draw(st.integers(0, SIZES))
    proof = merkle.prove_inclusion(index, size, TREE.nodes)
    holds = is_included(TREE.leaves[leaf], place, size, proof, ROOT[root])
    assert holds == (leaf == index and place == index and root == size)


@given(st.data(), st.integers(1, SIZES))
def test_a_damaged_consistency_proof_proves_nothing(draw: st.DataObject, new: int) -> None:
    old = draw.draw(st.integers(1, new))
    proof = merkle.prove_consistency(old, new, TREE.nodes)
    other = damaged(proof, draw)
    if other != proof:
        assert not merkle.verify_consistency(old, new, ROOT[old], ROOT[new], other)


@given(st.data(), st.integers(2, SIZES))
def test_a_consistency_proof_is_of_two_roots(draw: st.DataObject, new: int) -> None:
    old = draw.draw(st.integers(1, new - 1))
    first, second = draw.draw(st.integers(0, SIZES)), draw.draw(st.integers(0, SIZES))
    proof = merkle.prove_consistency(old, new, TREE.nodes)
    assert merkle.verify_consistency(old, new, ROOT[first], ROOT[second], proof) == ((first, second) == (old, new))


@given(
    st.integers(-(2**65), 2**65),
    st.integers(-(2**65), 2**65),
    st.lists(st.binary(min_size=32, max_size=32), max_size=70),
)
def test_any_numbers_and_any_proof_are_judged_and_refused(one: int, other: int, proof: list[bytes]) -> None:
    assert not is_included(TREE.leaves[0], one, other, proof, ROOT[5])
    assert not merkle.verify_consistency(one, other, ROOT[5], ROOT[9], proof)


def test_a_tree_that_was_rewritten_is_never_the_continuation() -> None:
    rewritten = Tree([b"entry %d" % number if number != 3 else b"forged" for number in range(40)])
    for new in range(4, 41):
        root = merkle.compute_root(new, rewritten.nodes)
        for old in range(4, new + 1):
            proof = merkle.prove_consistency(old, new, rewritten.nodes)
            assert not merkle.verify_consistency(old, new, ROOT[old], root, proof)


def test_an_inner_node_is_no_leaf() -> None:
    inner = merkle.hash_leaf(TREE.leaves[0] + TREE.leaves[1])
    assert inner != ROOT[2]
    assert not is_included(inner, 0, 1, [], ROOT[2])
