"""Projections and steps of Optax."""

# fmt: off
from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax
from oracle import OracleTable

jax.config.update("jax_enable_x64", True)
TABLE = OracleTable("optax", optax.__version__)


def _fill(noise: list[float], power: float) -> dict[str, Any]:
    """The powers that carry most are the point of the simplex that is nearest to the noises with the other sign."""
    powers = optax.projections.projection_simplex(-jnp.array(noise), power)
    return {"level": (powers + jnp.array(noise))[powers.argmax()], "powers": powers}


def _decay(weight: float, rate: float, decay: float) -> Any:
    step = optax.chain(optax.add_decayed_weights(decay), optax.scale(-rate))
    change, _ = step.update(jnp.array(0.0), step.init(jnp.array(weight)), jnp.array(weight))
    return optax.apply_updates(jnp.array(weight), change)


STEP = {"weight": (-5, 5), "rate": (0.001, 0.5), "decay": (0.001, 0.5)}
TRIPLET = {"anchor": (-2, 2), "positive": (-2, 2), "negative": (-2, 2), "margin": (0.1, 5)}
TABLE.add("optimization.water_filling", "optax.projections.projection_simplex", _fill, draws={"noise": (0.1, 5), "power": (0.2, 9), "n": (2, 7)}, within=1e-10, near_zero=1e-12, asked="of the noises with the other sign")
TABLE.add("ml.adamw_decay", "optax.add_decayed_weights", _decay, draws=STEP, within=1e-12, asked="scaled by the rate, without a gradient")
