"""Attention, routing and schedules of JAX."""

# fmt: off
from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.example_libraries import optimizers
from oracle import OracleTable

jax.config.update("jax_enable_x64", True)
TABLE = OracleTable("jax", jax.__version__)
DRAWS = {"queries": (-3, 3), "keys": (-3, 3), "values": (-5, 5), "n": (4, 4), "d": (4, 4), "c": (4, 4), "window": (0, 3), "slope": (0.01, 1), "logits": (-4, 4), "k": (3, 6), "top": (1, 3), "vector": (-5, 5), "epsilon": (1e-6, 0.1),
         "initial": (0.001, 1), "decay": (0.001, 1), "step": (0, 900)}  # fmt: skip


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"jax.{function}", compute, **{"within": 1e-10, "near_zero": 1e-12, "draws": DRAWS, **more})


SINGLE = {"within": 1e-4, "near_zero": 1e-5}  # the scores are single precision whatever is given


def _attend(queries: Any, keys: Any, values: Any, **kind: Any) -> Any:
    one_head = [jnp.array(each)[:, None, :] for each in (queries, keys, values)]
    return jax.nn.dot_product_attention(*one_head, **kind)[:, 0, :]


def _lower(queries: Any, keys: Any, values: Any, slope: float) -> Any:
    places = jnp.arange(len(queries))
    return _attend(queries, keys, values, bias=-slope * (places[:, None] - places)[None, None].astype(float), is_causal=True)


def _gate(logits: Any, top: int) -> Any:
    best, places = jax.lax.top_k(jnp.array(logits), top)
    return jnp.zeros(len(logits)).at[places].set(jax.nn.softmax(best))


def _gate_sigmoid(logits: Any, top: int) -> Any:
    best, places = jax.lax.top_k(jax.nn.sigmoid(jnp.array(logits)), top)
    return jnp.zeros(len(logits)).at[places].set(best / best.sum())


_add("flash_attention.attention_weights", "nn.dot_product_attention", lambda queries, keys: _attend(queries, keys, jnp.eye(len(keys))), asked="the identity as values", **SINGLE)
_add("flash_attention.causal_attention", "nn.dot_product_attention", lambda queries, keys, values: _attend(queries, keys, values, is_causal=True), asked="causal", **SINGLE)
_add("flash_attention.sliding_window_attention", "nn.dot_product_attention", lambda queries, keys, values, window: _attend(queries, keys, values, is_causal=True, local_window_size=(window, 0)), asked="causal, local_window_size", **SINGLE)
_add("flash_attention.alibi_causal_attention", "nn.dot_product_attention", _lower, asked="causal, distances as bias", **SINGLE)
_add("flash_attention.log_sum_exp_of_rows", "nn.dot_product_attention", lambda queries, keys: jax.nn.dot_product_attention(*(jnp.array(each)[:, None, :] for each in (queries, keys, keys)), return_residual=True)[1][:, 0], asked="residual", **SINGLE)
_add("ml.rms_norm", "nn.standardize", lambda vector, epsilon: jax.nn.standardize(jnp.array(vector), mean=0.0, epsilon=epsilon), asked="with mean 0")
_add("moe_routing.router_z_loss", "nn.logsumexp", lambda logits: (jax.nn.logsumexp(jnp.array(logits), axis=1) ** 2).mean(), asked="mean of the squares")
_add("moe_routing.top_k_gates", "lax.top_k", _gate, asked="with jax.nn.softmax")
_add("moe_routing.sigmoid_gates", "lax.top_k", _gate_sigmoid, asked="of jax.nn.sigmoid, over their sum")
_add("moe_routing.top_k_probability_mass", "lax.top_k", lambda logits, top: jax.lax.top_k(jax.nn.softmax(jnp.array(logits)), top)[0].sum(), asked="of jax.nn.softmax, summed")
_add("ml.one_over_t_decay", "example_libraries.optimizers.inverse_time_decay", lambda initial, decay, step: optimizers.inverse_time_decay(initial, 1, decay)(step), asked="decay_steps 1")
