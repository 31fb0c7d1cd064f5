"""How many lines an edit inserts and deletes, at the least: the length of the shortest edit script has one value."""

from __future__ import annotations

MOST_STEPS = 2_000_000  # of the search in one edit; beyond, no number is given rather than one that is not the least


def changes(old: bytes, new: bytes) -> tuple[int, int] | None:
    """Return insertions and deletions of the shortest edit script by lines, None where finding it takes too long."""
    before, after = _lines(old), _lines(new)
    start = 0
    shortest = min(len(before), len(after))
    while start < shortest and before[start] == after[start]:
        start += 1
    end = 0
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return _between(before[start : len(before) - end], after[start : len(after) - end])


def _lines(data: bytes) -> list[bytes]:
    """Only a line feed ends a line; a last line without one is another line than the same with it."""
    *whole, last = data.split(b"\n")
    return [*(line + b"\n" for line in whole), *([last] if last else [])]


def _between(before: list[bytes], after: list[bytes]) -> tuple[int, int] | None:
    # A line that the other side does not have is in no common subsequence.
    here, there = set(after), set(before)
    left = [line for line in before if line in here]
    right = [line for line in after if line in there]
    if not left or not right:
        return len(after), len(before)
    edits = _shortest(left, right)
    if edits is None:
        return None
    common = (len(left) + len(right) - edits) // 2
    return len(after) - common, len(before) - common


def _shortest(left: list[bytes], right: list[bytes]) -> int | None:
    """Myers' greedy search (An O(ND) difference algorithm, 1986): the fewest insertions and deletions in all."""
    most, steps = len(left) + len(right), 0
    furthest = {1: 0}
    for edits in range(most + 1):
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)
            )
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(left) and y < len(right) and left[x] == right[y]:
                x, y, steps = x + 1, y + 1, steps + 1
            furthest[diagonal] = x
            if x >= len(left) and y >= len(right):
                return edits
        steps += edits + 1
        if steps > MOST_STEPS:
            return None
    return most
