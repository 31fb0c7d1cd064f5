"""Projections of Optax."""

# fmt: off
from __future__ import annotations

import jax
import optax
from jax import numpy as jnp
from oracle import OracleTable

jax.config.update("jax_enable_x64", True)
TABLE = OracleTable("optax", optax.__version__)
TABLE.add("optimization.simplex_projection", "optax.projections.projection_simplex", lambda vector, total: optax.projections.projection_simplex(jnp.array(vector), total), draws={"n": (2, 5), "total": (0.5, 4)}, within=1e-10, near_zero=1e-13)
TABLE.add("optimization.l1_ball_projection", "optax.projections.projection_l1_ball", lambda vector, radius: optax.projections.projection_l1_ball(jnp.array(vector), radius), draws={"n": (2, 5), "radius": (0.5, 4)}, within=1e-10, near_zero=1e-13)
TABLE.add("ml.dpo_loss", "optax.losses.sigmoid_binary_cross_entropy", lambda chosen, rejected, chosen_reference, rejected_reference, strength: optax.losses.sigmoid_binary_cross_entropy(jnp.float64(strength * (chosen - chosen_reference - rejected + rejected_reference)), jnp.float64(1.0)), draws={"chosen": (-9, 0), "rejected": (-9, 0), "chosen_reference": (-9, 0), "rejected_reference": (-9, 0), "strength": (0.05, 0.5)}, within=1e-10)
