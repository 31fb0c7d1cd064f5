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

from service_nb.query.sql import Builder, Shape, Statement
from service_nb.schema.query import Plan

MOST = 128
MOST_PARAMETERS = 100  # of one that is kept: long lists are seldom of one length twice, and large


class Statements:
    """Builds statements as `query.sql` does, over one relation with its fields. Safe to use from several threads.

    Its trees are shared: whoever changes one changes a copy.
    """

    def __init__(self) -> None:
        self._made: OrderedDict[Hashable, Statement] = OrderedDict()
        self._lock = threading.Lock()

    def groups(self, plan: Plan, relation: exp.Expr, shape: Shape) -> Statement:
        """Return what `build` returns."""
        builder = Builder(plan, relation, shape)
        return self._known("groups", builder, builder.statement)

    def columns(self, plan: Plan, relation: exp.Expr, shape: Shape) -> Statement:
        """Return what `build_columns` returns."""
        builder = Builder(plan, relation, shape)
        return self._known("columns", builder, builder.columns)

    def _known(self, what: str, builder: Builder, make: Callable[[], Statement]) -> Statement:
        if len(builder.parameters) > MOST_PARAMETERS:
            return make()
        key = (what, *_key(builder.plan, builder.shape, builder.conditions))
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


def _key(plan: Plan, shape: Shape, conditions: Sequence[exp.Expr]) -> tuple[object, ...]:
    """Return all that a statement over one relation depends on."""
    decided = (shape.method, shape.nulls, shape.nonfinite, shape.bound, shape.gathers)
    how = type(shape.spelling)  # it has no state
    return plan.aggregation, plan.metric, plan.group_by, how, decided, *map(_form, conditions)


def _form(value: object) -> Hashable:
    """Return a tree as what is equal for equal trees; its own `==` would have to write it out each time."""
    if isinstance(value, exp.Expr):
        return type(value), *[(key, _form(each)) for key, each in value.args.items()]
    return tuple(map(_form, value)) if isinstance(value, list) else value
