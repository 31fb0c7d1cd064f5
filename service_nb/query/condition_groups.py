"""Conditions joined by *and* and *or*: one form of each meaning, and walks over their leaves.

The conditions of a filter all hold. A group among them says of its parts that any holds, or all. Nothing is negated, so
what is unknown to a database, such as a comparison with null, is as good as false: its OR and its AND mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from service_nb.core.canonical import write_canonical_text
from service_nb.query.conditions import write_condition
from service_nb.schema.query import JOINERS, Condition, ConditionGroup, ConditionTree, Joiner
from service_nb.schema.source import convert_to_json

JOINING_WORDS: Mapping[Joiner, str] = {"all": " and ", "any": " or "}


def flatten_conditions(joiner: Joiner, parts: Iterable[ConditionTree]) -> Iterator[ConditionTree]:
    """Yield the parts of a group; those of a group of its own kind among them take that one's place."""
    for part in parts:
        if isinstance(part, ConditionGroup) and part.joiner == joiner:
            yield from part.parts
        else:
            yield part


def join_conditions(joiner: Joiner, parts: Iterable[ConditionTree]) -> ConditionTree:
    """Join conditions: one alone is what it is."""
    listed = tuple(flatten_conditions(joiner, parts))
    return listed[0] if len(listed) == 1 else ConditionGroup(joiner=joiner, parts=listed)


def sort_conditions(joiner: Joiner, parts: Iterable[ConditionTree]) -> tuple[ConditionTree, ...]:
    """Sort the parts of a group and drop repetitions, so that neither changes the plan hash."""
    listed = tuple(flatten_conditions(joiner, parts))
    if len(listed) < 2:
        return listed
    return tuple(sort_forms(listed, lambda tree: write_tree(tree, convert_to_json)))


def sort_forms(items: Sequence[Any], write: Callable[[Any], Mapping[str, Any]] = lambda item: item) -> list[Any]:
    """Sort items by the forms of the conditions that they are, groups last, and drop those of one form."""
    keyed = {_rank_form(write(item)): item for item in items}
    return [keyed[text] for text in sorted(keyed)]


def _rank_form(form: Mapping[str, Any]) -> str:
    if find_joiner(form) is not None:
        return write_canonical_text(form)
    measure = {key: form[key] for key in form.keys() - {"op", "value", "values"}}
    compared = form.get("column", measure)
    return write_canonical_text([compared, form["op"], form.get("values", form.get("value"))])


def find_joiner(form: Mapping[str, Any]) -> Joiner | None:
    """Find by what the parts of a group in its JSON form are joined; None of a condition."""
    return next((joiner for joiner in JOINERS if joiner in form), None)


def list_leaves(trees: Iterable[ConditionTree]) -> list[Condition]:
    """List the conditions inside all groups, in their order."""
    found: list[Condition] = []
    for tree in trees:
        found += list_leaves(tree.parts) if isinstance(tree, ConditionGroup) else [tree]
    return found


def list_form_leaves(forms: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """List the conditions inside all groups, of JSON forms."""
    found: list[Mapping[str, Any]] = []
    for form in forms:
        joiner = find_joiner(form)
        found += [form] if joiner is None else list_form_leaves(form[joiner])
    return found


def change_leaves(tree: ConditionTree, change: Callable[[Condition], Condition]) -> ConditionTree:
    """Return the same conditions, joined as they are, each changed."""
    if isinstance(tree, Condition):
        return change(tree)
    return ConditionGroup(joiner=tree.joiner, parts=tuple(change_leaves(part, change) for part in tree.parts))


def write_tree(tree: ConditionTree, convert: Callable[[Any], object] = lambda value: value) -> dict[str, object]:
    """Write a condition or a group as the object a caller would write."""
    if isinstance(tree, Condition):
        return write_condition(tree, convert)
    return {tree.joiner: [write_tree(part, convert) for part in tree.parts]}


def describe_conditions(trees: Sequence[ConditionTree], describe: Callable[[Condition], str]) -> str:
    """Say in words what holds of a row or a group, every group among others in brackets."""
    if len(trees) == 1 and isinstance(trees[0], ConditionGroup):
        return _join_words(trees[0].joiner, trees[0].parts, describe)
    return _join_words("all", trees, describe)


def _join_words(joiner: Joiner, trees: Sequence[ConditionTree], describe: Callable[[Condition], str]) -> str:
    return JOINING_WORDS[joiner].join(
        describe(tree) if isinstance(tree, Condition) else f"({_join_words(tree.joiner, tree.parts, describe)})"
        for tree in trees
    )
