"""Activations and normalizations of JAX."""

# fmt: off
from __future__ import annotations

from typing import Any

import jax
from oracle import OracleTable

jax.config.update("jax_enable_x64", True)
TABLE = OracleTable("jax", jax.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"jax.{function}", compute, **{"within": 1e-11, "near_zero": 1e-13, **more})


_add("ml.gelu", "nn.gelu", lambda x: jax.nn.gelu(x, approximate=False), asked="exact")
_add("ml.gelu_tanh", "nn.gelu", lambda x: jax.nn.gelu(x, approximate=True), asked="approximate")
_add("ml.swish", "nn.silu", lambda x, slope: jax.nn.silu(slope * x) / slope, draws={"slope": (0.3, 3)}, asked="at slope times x, over slope")
_add("ml.mish", "nn.mish", lambda x: jax.nn.mish(x))
_add("ml.elu", "nn.elu", lambda x, alpha: jax.nn.elu(x, alpha))
_add("ml.selu", "nn.selu", lambda x: jax.nn.selu(x), within=1e-8)
_add("ml.layer_norm", "nn.standardize", lambda vector, epsilon: jax.nn.standardize(jax.numpy.array(vector), epsilon=epsilon), draws={"epsilon": (1e-6, 1e-3), "d": (3, 6)})
_add("elementary.softplus", "nn.softplus", lambda x: jax.nn.softplus(x))
_add("elementary.log1m_exp", "nn.log1mexp", lambda x: jax.nn.log1mexp(-x), asked="at -x")
_add("elementary.reciprocal_sqrt", "lax.rsqrt", lambda x: jax.lax.rsqrt(x))
_add("ml.batch_norm", "nn.standardize", lambda x, running_mean, running_variance, gain, shift, epsilon: gain * jax.nn.standardize(jax.numpy.array([x]), mean=running_mean, variance=running_variance, epsilon=epsilon)[0] + shift, asked="with stated mean and variance, times the gain, plus the shift", draws={"epsilon": (1e-6, 1e-3), "running_variance": (0.1, 9), "x": (-5, 5), "running_mean": (-3, 3), "gain": (0.2, 3), "shift": (-2, 2)})
_add("ml.group_advantages", "nn.standardize", lambda rewards: jax.nn.standardize(jax.numpy.array(rewards), epsilon=0.0), asked="without epsilon", draws={"rewards": (-3, 9), "n": (3, 7)}, within=1e-9)
_add("ml.convolution_output_size", "lax.conv_general_dilated", lambda size, kernel, stride, padding, dilation: jax.eval_shape(lambda x, k: jax.lax.conv_general_dilated(x, k, (stride,), [(padding, padding)], rhs_dilation=(dilation,)), jax.numpy.zeros((1, 1, size)), jax.numpy.zeros((1, 1, kernel))).shape[2], asked="the shape", draws={"size": (16, 90), "kernel": (1, 5), "stride": (1, 4), "padding": (0, 4), "dilation": (1, 3)})
