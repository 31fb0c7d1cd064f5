"""A tree as LaTeX: the shown formula is the computed one."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from service_nb_kernels.formula import tree as t
from service_nb_kernels.formula.functions import FUNCTIONS

GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
}  # fmt: skip
SYMBOLS = {"pi": r"\pi", "e": "e", "euler_gamma": r"\gamma_E", "inf": r"\infty", "lambda_": r"\lambda"}
SIGNS = {"sum": r"\sum", "product": r"\prod"}
RELATIONS = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "==": "=", "!=": r"\ne"}
SUM, PRODUCT, POWER, ATOM = 1, 2, 4, 5
ONE_AS_WRITTEN = t.Number(Fraction(1), "1")


class Latex:
    """Writes trees, with the symbols that parameters and constants declare."""

    def __init__(self, symbols: Mapping[str, str]) -> None:
        self._symbols = {**SYMBOLS, **symbols}

    def formula(self, node: t.Node, name: str | None = None) -> str:
        """Return the formula; definitions become lines of their own below each other."""
        if not isinstance(node, t.Let):
            return self._with_name(node, name)
        lines = [f"{self.symbol(known)} &= {self.write(value)}" for known, value in node.definitions]
        body = self.write(node.body) if name is None else f"{self.symbol(name)} &= {self.write(node.body)}"
        lines.append(body if name is not None else f"&\\phantom{{=}}\\; {body}")
        return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"

    def _with_name(self, node: t.Node, name: str | None) -> str:
        return self.write(node) if name is None else f"{self.symbol(name)} = {self.write(node)}"

    def symbol(self, name: str) -> str:
        """Return how a name is written."""
        if name in self._symbols:
            return self._symbols[name]
        head, _, tail = name.partition("_")
        stem = head.rstrip("0123456789")
        if stem and stem != head:  # d1, beta_2: digits are an index
            head, tail = stem, head[len(stem) :] + (f"_{tail}" if tail else "")
        if len(head) > 1 and head not in GREEK:
            return rf"\mathrm{{{name.replace('_', chr(92) + ' ')}}}"
        first = rf"\{head}" if head in GREEK else head
        if not tail:
            return first
        below = tail.replace("_", r"\,")
        return f"{first}_{{{below}}}" if len(tail) == 1 or tail.isdigit() else rf"{first}_{{\mathrm{{{below}}}}}"

    def write(self, node: t.Node) -> str:
        """Return one expression."""
        return self._write(node)[0]

    def _write(self, node: t.Node) -> tuple[str, int]:  # one line for each kind of node
        match node:
            case t.Number(_, text, unit):
                return self._number(text, unit)
            case t.Text(value):
                return rf"\text{{“{_escaped(value)}”}}", ATOM
            case t.Name(name):
                return self.symbol(name), ATOM
            case t.Negative(operand):
                return f"-{self.wrapped(operand, PRODUCT)}", SUM
            case t.Binary():
                return self._binary(node)
            case t.Compare(first, rest):
                return " ".join([self.write(first), *(f"{RELATIONS[s]} {self.write(term)}" for s, term in rest)]), 0
            case t.Logic("not", (operand,)):
                return rf"\neg\left({self.write(operand)}\right)", ATOM
            case t.Logic(kind, operands):
                return rf" \;\text{{{kind}}}\; ".join(map(self.write, operands)), 0
            case t.Where():
                return self._cases(node), ATOM
            case t.Call(function, arguments):
                return self._call(function, arguments)
            case t.Lambda(variable, body):
                return rf"{self.symbol(variable)} \mapsto {self.write(body)}", 0
            case t.Each(body, loops):
                turns, inner = self._turns(loops)
                return rf"\left[{inner.write(body)}\right]_{{{turns}}}", ATOM
            case t.Items(items):
                return rf"\left[{', '.join(map(self.write, items))}\right]", ATOM
            case t.Index(array, index):
                return f"{self.wrapped(array, ATOM)}_{{{self._place(index)}}}", ATOM
            case t.Slice(array, start, stop):
                ends = ":".join("" if end is None else self.write(end) for end in (start, stop))
                return f"{self.wrapped(array, ATOM)}_{{{ends}}}", ATOM
            case t.Fields(fields):
                lines = [rf"\text{{{_escaped(name)}}} &= {self.write(value)}" for name, value in fields]
                return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}", ATOM
            case t.Let():
                return self.formula(node), ATOM

    def _number(self, text: str, unit: str | None) -> tuple[str, int]:
        mantissa, _, exponent = text.lower().partition("e")
        written = mantissa.replace("_", r"\,")
        if exponent:
            written = rf"{written} \times 10^{{{int(exponent)}}}"
        if unit is not None:
            written += rf"\,\mathrm{{{_escaped(unit).replace('*', ' ')}}}"
        return written, PRODUCT if exponent or unit is not None else ATOM

    def _place(self, index: t.Node) -> str:
        if isinstance(index, t.Negative):
            return f"n{self.write(index)}"
        return self.write(index)

    def _binary(self, node: t.Binary) -> tuple[str, int]:
        left, right = node.left, node.right
        match node.operator:
            case "+":
                return f"{self.wrapped(left, SUM)} + {self.wrapped(right, SUM)}", SUM
            case "-":
                return f"{self.wrapped(left, SUM)} - {self.wrapped(right, PRODUCT)}", SUM
            case "*":
                b = self.wrapped(right, PRODUCT)
                joint = r" \cdot " if b[:1].isdigit() else r"\, "
                return f"{self.wrapped(left, PRODUCT)}{joint}{b}", PRODUCT
            case "/":
                return rf"\frac{{{self.write(left)}}}{{{self.write(right)}}}", PRODUCT
            case "//":
                return rf"\left\lfloor \frac{{{self.write(left)}}}{{{self.write(right)}}} \right\rfloor", ATOM
            case "%":
                return rf"{self.wrapped(left, PRODUCT)} \bmod {self.wrapped(right, PRODUCT)}", PRODUCT
        base = self.wrapped(left, ATOM)
        if isinstance(left, t.Call | t.Index):
            base = rf"\left({self.write(left)}\right)"
        return f"{base}^{{{self.write(right)}}}", POWER

    def wrapped(self, node: t.Node, level: int) -> str:
        """Return one expression, in brackets where it binds weaker than what is around it."""
        text, own = self._write(node)
        return text if own >= level else rf"\left({text}\right)"

    def _cases(self, node: t.Where) -> str:
        lines, rest = [], t.Where(node.condition, node.then, node.otherwise)
        current: t.Node = rest
        while isinstance(current, t.Where):
            lines.append(rf"{self.write(current.then)} & \text{{if }} {self.write(current.condition)}")
            current = current.otherwise
        lines.append(rf"{self.write(current)} & \text{{otherwise}}")
        return r"\begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"

    def _call(self, name: str, arguments: tuple[t.Node, ...]) -> tuple[str, int]:
        match name, arguments:
            case ("sum" | "product" as kind, (t.Each(body, loops),)):
                turns, inner = self._turns(loops)
                return rf"{SIGNS[kind]}_{{{turns}}} {inner.wrapped(body, PRODUCT)}", SUM
            case ("min" | "max" as kind, (t.Each(body, loops),)):
                turns, inner = self._turns(loops)
                return rf"\{kind}_{{{turns}}} {inner.wrapped(body, PRODUCT)}", PRODUCT
            case ("sum" | "product" as kind, (array,)):
                return rf"{SIGNS[kind]} {self.wrapped(array, ATOM)}", PRODUCT
            case ("integral", (t.Lambda(variable, body), low, high)):
                bounds = rf"_{{{self.write(low)}}}^{{{self.write(high)}}}"
                return rf"\int{bounds} {self.wrapped(body, PRODUCT)}\, \mathrm{{d}}{self.symbol(variable)}", PRODUCT
            case ("root", (t.Lambda(variable, body), low, high)):
                within = rf"{self.symbol(variable)} \in \left({self.write(low)}, {self.write(high)}\right)"
                return rf"\left\{{{within} : {self.write(body)} = 0\right\}}", ATOM
            case ("smallest", (t.Lambda(variable, body), start)):
                symbol = self.symbol(variable)
                return rf"\min\left\{{{symbol} \ge {self.write(start)} : {self.write(body)}\right\}}", ATOM
            case ("len", (array,)):
                return rf"\left|{self.write(array)}\right|", ATOM
        function = FUNCTIONS.get(name)
        if function is None:  # sorted, enumerate, zip, range
            return rf"\operatorname{{{name}}}\left({', '.join(map(self.write, arguments))}\right)", ATOM
        return self._filled(function.latex, arguments), POWER

    def _filled(self, template: str, arguments: tuple[t.Node, ...]) -> str:
        written = [self.write(argument) for argument in arguments]
        text = template.replace("{*}", ", ".join(written).replace("{", "{{").replace("}", "}}"))
        for place, argument in enumerate(arguments):
            bracketed = written[place] if isinstance(argument, t.Name) else rf"\left({written[place]}\right)"
            spaced = f" {bracketed}" if isinstance(argument, t.Name) else bracketed
            text = text.replace(f"{{{place}!p}}", spaced.replace("{", "{{").replace("}", "}}"))
        return text.format(*written)

    def _turns(self, loops: tuple[t.Loop, ...]) -> tuple[str, Latex]:
        """What stands below a sum, and the writer for its body: items of arrays are written with their index there."""
        written, inner = [], self
        for loop in loops:
            turns, items = inner._members(loop.target, loop.iterable, "i")
            inner = Latex({**inner._symbols, **items})
            written += [turns, *(inner.write(condition) for condition in loop.conditions)]
        return r",\; ".join(written), inner

    def _members(self, target: t.Target, iterable: t.Node, index: str) -> tuple[str, dict[str, str]]:
        match target, iterable:
            case str(name), t.Call("range", (stop,)):
                return rf"0 \le {self.symbol(name)} < {self.write(stop)}", {}
            case str(name), t.Call("range", (start, stop)):
                return rf"{self.write(start)} \le {self.symbol(name)} < {self.write(stop)}", {}
            case (str(place), inner), t.Call("enumerate", (array, *start)) if not start or start == [ONE_AS_WRITTEN]:
                symbol = self.symbol(place)
                turns = r"1, 2, \ldots" if start else r"0, 1, \ldots"
                return f"{symbol} = {turns}", self._items(inner, array, symbol)
            case tuple(), t.Call("zip"):
                return index, self._items(target, iterable, index)
        return rf"{self._target(target)} \in {self.write(iterable)}", {}

    def _items(self, target: t.Target, iterable: t.Node, index: str) -> dict[str, str]:
        """How the parts of each item are written: as their arrays, with an index."""
        match target, iterable:
            case tuple(parts), t.Call("zip", arrays):
                pairs = zip(parts, arrays, strict=True)
                return {name: text for part, array in pairs for name, text in self._items(part, array, index).items()}
            case str(name), t.Slice(array, start, _):  # x[1:] beside x: the next item
                shift = "" if start is None else f" + {self.write(start)}"
                return {name: rf"{self.wrapped(array, ATOM)}_{{{index}{shift}}}"}
            case str(name), array:
                return {name: rf"{self.wrapped(array, ATOM)}_{{{index}}}"}
        return {}

    def _target(self, target: t.Target) -> str:
        return self.symbol(target) if isinstance(target, str) else f"({', '.join(map(self._target, target))})"


def _escaped(text: str) -> str:
    return (
        text.replace("%", r"\%").replace("_", r"\_").replace("^", r"\^{}")
        if "^" not in text
        else text.replace("%", r"\%").replace("_", r"\_")
    )
