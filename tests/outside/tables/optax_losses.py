"""Losses, steps and schedules of Optax."""

# fmt: off
from __future__ import annotations

from typing import Any

import jax
import optax
from jax import numpy as jnp
from oracle import OracleTable

jax.config.update("jax_enable_x64", True)
TABLE = OracleTable("optax", optax.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"optax.{function}", compute, **{"within": 1e-10, "near_zero": 1e-13, **more})


SCORES = {"k": (3, 5), "target": (0, 2), "smoothing": (0.02, 0.3), "temperature": (0.5, 4), "n": (2, 4)}
_add("ml.cross_entropy_logits", "losses.softmax_cross_entropy_with_integer_labels", lambda logits, target: optax.losses.softmax_cross_entropy_with_integer_labels(jnp.array(logits), jnp.array(target)), draws=SCORES)
_add("ml.binary_cross_entropy_logit", "losses.sigmoid_binary_cross_entropy", lambda logit, target: optax.losses.sigmoid_binary_cross_entropy(jnp.array(logit), jnp.array(target)))
_add("ml.label_smoothing_loss", "losses.softmax_cross_entropy", lambda logits, target, smoothing: optax.losses.softmax_cross_entropy(jnp.array(logits), optax.losses.smooth_labels(jax.nn.one_hot(target, len(logits), dtype=jnp.float64), smoothing)), draws=SCORES, asked="of optax.losses.smooth_labels")
_add("ml.focal_loss", "losses.sigmoid_focal_loss", lambda probability, focus, weight: weight * optax.losses.sigmoid_focal_loss(jax.scipy.special.logit(jnp.float64(probability)), jnp.array(1.0), gamma=focus), draws={"probability": (0.05, 0.95), "focus": (0.5, 4), "weight": (0.1, 1)}, asked="times the weight")
_add("ml.hinge_loss", "losses.hinge_loss", lambda label, score: optax.losses.hinge_loss(jnp.array(score), jnp.array(label)), draws={"label": [-1, 1, -1]})
_add("ml.distillation_loss", "losses.kl_divergence", lambda teacher, student, temperature: temperature**2 * optax.losses.kl_divergence(jax.nn.log_softmax(jnp.array(student) / temperature), jax.nn.softmax(jnp.array(teacher) / temperature)), draws=SCORES, asked="of softened softmaxes, times the squared temperature")
_add("ml.info_nce", "losses.softmax_cross_entropy_with_integer_labels", lambda positive, negatives, temperature: optax.losses.softmax_cross_entropy_with_integer_labels(jnp.array([positive, *negatives]) / temperature, jnp.array(0)), draws=SCORES, asked="the positive one is the label")
STEP = {"weight": (-3, 3), "gradient": (-3, 3), "velocity": (-2, 2), "first": (-1, 1), "second": (0.1, 2), "total": (0.1, 3), "momentum": (0.3, 0.95), "rate": (0.01, 0.3), "decay": (0.01, 0.9), "beta1": (0.5, 0.95), "beta2": (0.8, 0.999), "epsilon": (1e-8, 1e-4), "step": (1, 9), "bound": (0.5, 5), "d": (2, 5)}


def _move(state: Any, chain: Any, gradient: float, weight: float) -> tuple[float, Any]:
    update, after = chain.update(jnp.float64(gradient), state, jnp.float64(weight))
    return weight + float(update), after


def _adam(weight: float, gradient: float, first: float, second: float, step: int, rate: float, beta1: float, beta2: float, epsilon: float) -> dict[str, float]:
    chain = optax.scale_by_adam(beta1, beta2, epsilon)
    state = optax.ScaleByAdamState(jnp.array(step - 1), jnp.float64(first), jnp.float64(second))
    update, after = chain.update(jnp.float64(gradient), state)
    return {"weight": weight - rate * float(update), "first": float(after.mu), "second": float(after.nu)}


def _momentum(weight: float, gradient: float, velocity: float, rate: float, momentum: float) -> dict[str, float]:
    update, after = optax.trace(momentum).update(jnp.float64(-rate * gradient), optax.TraceState(jnp.float64(velocity)))
    return {"weight": weight + float(update), "velocity": float(after.trace)}


def _lion(weight: float, gradient: float, momentum: float, rate: float, beta1: float, beta2: float, decay: float) -> dict[str, float]:
    state = optax.ScaleByLionState(jnp.array(0), jnp.float64(momentum))
    update, after = optax.scale_by_lion(beta1, beta2).update(jnp.float64(gradient), state)
    return {"weight": weight - rate * (float(update) + decay * weight), "momentum": float(after.mu)}


def _rms(weight: float, gradient: float, second: float, rate: float, decay: float, epsilon: float) -> dict[str, float]:
    update, after = optax.scale_by_rms(decay, epsilon, eps_in_sqrt=True).update(jnp.float64(gradient), optax.ScaleByRmsState(jnp.float64(second)))
    return {"weight": weight - rate * float(update), "second": float(after.nu)}


_add("ml.adam_step", "scale_by_adam", _adam, draws=STEP, within=1e-6)
_add("ml.sgd_momentum_step", "trace", _momentum, draws=STEP)
_add("ml.lion_step", "scale_by_lion", _lion, draws=STEP)
_add("ml.rmsprop_step", "scale_by_rms", _rms, draws=STEP, within=1e-7)
_add("ml.gradient_clip", "clip_by_global_norm", lambda gradient, bound: optax.clip_by_global_norm(bound).update(jnp.array(gradient), optax.EmptyState())[0], draws=STEP)
_add("ml.cosine_schedule", "schedules.cosine_decay_schedule", lambda step, steps, high, low: optax.schedules.cosine_decay_schedule(high, steps, low / high)(step), draws={"step": (0, 20), "steps": (20, 40), "high": (0.1, 1), "low": (0, 0.05)}, within=1e-6)
_add("ml.warmup_cosine_schedule", "schedules.warmup_cosine_decay_schedule", lambda step, warmup, steps, high, low: optax.schedules.warmup_cosine_decay_schedule(0.0, high, warmup, steps, low)(step), draws={"step": (0, 40), "warmup": (5, 15), "steps": (41, 60), "high": (0.1, 1), "low": [0.0, 0.0, 0.0]}, within=1e-6)
