"""Statements of one live source that were written before.

To write a statement takes longer than many a database takes to answer it, and questions differ mostly in what their
conditions compare with. So conditions alone are written anew for each plan, since how they are written may depend on
their operands; where all else is the same too, and they came out the same, the tree is the one of before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from sqlglot import exp

from service_nb.query.sql import Builder, Shape, SqlStatement
from service_nb.schema.query import Plan

MOST = 128
MOST_PARAMETERS = 100  # of one that is kept: long lists are seldom of one length twice, and large


class Statements:
    """Builds statements as `query.sql` does, over one relation with its fields. Safe to use from several threads.

    Its trees are shared: whoever changes one changes a copy.
    """

    def __init__(self) -> None:
        self._made: OrderedDict[Hashable, SqlStatement] = OrderedDict()
        self._lock = threading.Lock()

    def groups(self, plan: Plan, relation: exp.Expr, shape: Shape) -> SqlStatement:
        """Build the statement of a plan's groups, as `build` does."""
        builder = Builder(plan, relation, shape)
        return self._find_or_build("groups", builder, builder.build_groups)

    def columns(self, plan: Plan, relation: exp.Expr, shape: Shape) -> SqlStatement:
        """Build the statement of a plan's columns, as `build_columns` does."""
        builder = Builder(plan, relation, shape)
        return self._find_or_build("columns", builder, builder.build_columns)

    def _find_or_build(self, what: str, builder: Builder, make: Callable[[], SqlStatement]) -> SqlStatement:
        if len(builder.parameters) > MOST_PARAMETERS:
            return make()
        key = (what, *_build_key(builder.plan, builder.shape, builder.conditions))
        with self._lock:
            found = self._made.get(key)
            if found is not None:
                self._made.move_to_end(key)
        if found is not None:
            return replace(found, parameters=builder.parameters)
        made = make()
        with self._lock:
            self._made[key] = made
            while len(self._made) > MOST:
                self._made.popitem(last=False)
        return made


def _build_key(plan: Plan, shape: Shape, conditions: Sequence[exp.Expr]) -> tuple[object, ...]:
    """Return all that a statement over one relation depends on."""
    decided = (shape.method, shape.nulls, shape.nonfinite, shape.bound, shape.gathers)
    how = type(shape.spelling)  # it has no state
    return plan.aggregation, plan.metric, plan.group_by, how, decided, *map(_freeze_tree, conditions)


def _freeze_tree(value: object) -> Hashable:
    """Return a tree as what is equal for equal trees; its own `==` would have to write it out each time."""
    if isinstance(value, exp.Expr):
        return type(value), *[(key, _freeze_tree(each)) for key, each in value.args.items()]
    return tuple(map(_freeze_tree, value)) if isinstance(value, list) else value
