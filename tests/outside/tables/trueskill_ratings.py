"""TrueSkill ratings of two players by the package trueskill."""

from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from trueskill import Rating, TrueSkill, calc_draw_margin

TABLE = OracleTable("trueskill", version("trueskill"))
SKILLS = {
    f"{who}_{what}": span
    for who in ("winner", "loser", "first", "second")
    for what, span in (("mean", [10.0, 40.0]), ("deviation", [1.0, 9.0]))
}
SETTINGS = {"draw_probability": [0.02, 0.5], "beta": [2.0, 6.0], "dynamics": [0.0, 0.3]}
MEANS = ("mean", "deviation")


def rate(
    names: tuple[str, str],
    skills: tuple[float, float, float, float],
    settings: tuple[float, float, float],
    *,
    drawn: bool,
) -> dict[str, float]:
    """Rate two players after a game."""
    draw_probability, beta, dynamics = settings
    game = TrueSkill(beta=beta, tau=dynamics, draw_probability=draw_probability, backend="scipy")
    ranks = [0, 0] if drawn else [0, 1]
    found = game.rate([(Rating(*skills[:2]),), (Rating(*skills[2:]),)], ranks=ranks, min_delta=1e-13)
    return {
        f"{name}_{what}": float(value)
        for name, (rating,) in zip(names, found, strict=True)
        for what, value in zip(MEANS, rating, strict=True)
    }


TABLE.add(
    "sports.trueskill_match_quality",
    "trueskill.TrueSkill.quality",
    lambda *given: TrueSkill(beta=given[4]).quality([(Rating(*given[:2]),), (Rating(*given[2:4]),)]),
    draws=SKILLS | SETTINGS,
)
TABLE.add(
    "sports.trueskill_draw_margin",
    "trueskill.calc_draw_margin",
    lambda draw_probability, beta: calc_draw_margin(draw_probability, 2, TrueSkill(beta=beta, backend="scipy")),
    draws=SETTINGS,
)
TABLE.add(
    "sports.trueskill_win_update",
    "trueskill.TrueSkill.rate",
    lambda *given: rate(("winner", "loser"), given[:4], given[4:], drawn=False),
    draws=SKILLS | SETTINGS,
    within=1e-10,
)
TABLE.add(
    "sports.trueskill_draw_update",
    "trueskill.TrueSkill.rate",
    lambda *given: rate(("first", "second"), given[:4], given[4:], drawn=True),
    draws=SKILLS | SETTINGS,
    within=1e-9,
    asked="a draw",
)
