"""Queues of pyqueueing."""

from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from pyqueueing.models.erlang_a import ErlangA
from pyqueueing.models.erlang_c import ErlangC
from pyqueueing.models.mg1 import MG1
from pyqueueing.models.mm1 import MM1
from pyqueueing.models.mm1k import MM1K
from pyqueueing.models.mmc import MMC
from pyqueueing.models.mmck import MMcK


def roomy(arguments):
    """Let there be a place for each server at least."""
    return {**arguments, "places": max(arguments["places"], arguments["servers"])}


TABLE = OracleTable("pyqueueing", version("pyqueueing"))
TABLE.add(
    "queueing.erlang_a_wait_probability",
    "pyqueueing.models.erlang_a.ErlangA.prob_wait",
    lambda arrival_rate, service_rate, servers, patience_rate: ErlangA(
        arrival_rate, service_rate, servers, patience_rate
    ).prob_wait(),
    draws={"arrival_rate": (0.5, 9.0), "service_rate": (0.4, 2.0), "servers": (1, 12), "patience_rate": (0.05, 3.0)},
    within=1e-09,
)
TABLE.add(
    "queueing.erlang_a_abandonment",
    "pyqueueing.models.erlang_a.ErlangA.prob_abandon",
    lambda arrival_rate, service_rate, servers, patience_rate: ErlangA(
        arrival_rate, service_rate, servers, patience_rate
    ).prob_abandon(),
    draws={"arrival_rate": (0.5, 9.0), "service_rate": (0.4, 2.0), "servers": (1, 12), "patience_rate": (0.05, 3.0)},
    within=1e-09,
    near_zero=1e-12,
)
TABLE.add(
    "queueing.erlang_a_mean_wait",
    "pyqueueing.models.erlang_a.ErlangA.mean_wait",
    lambda arrival_rate, service_rate, servers, patience_rate: ErlangA(
        arrival_rate, service_rate, servers, patience_rate
    ).mean_wait(),
    draws={"arrival_rate": (0.5, 9.0), "service_rate": (0.4, 2.0), "servers": (1, 12), "patience_rate": (0.05, 3.0)},
    within=1e-09,
    near_zero=1e-12,
)
TABLE.add(
    "queueing.mm1k_mean_number",
    "pyqueueing.models.mm1k.MM1K.mean_system_size",
    lambda arrival_rate, service_rate, places: MM1K(arrival_rate, service_rate, places).mean_system_size(),
    draws={"arrival_rate": (0.5, 9.0), "service_rate": (0.4, 2.0), "places": (1, 25)},
    within=1e-08,
)
TABLE.add(
    "queueing.mm1k_mean_time",
    "pyqueueing.models.mm1k.MM1K.mean_system_time",
    lambda arrival_rate, service_rate, places: MM1K(arrival_rate, service_rate, places).mean_system_time(),
    draws={"arrival_rate": (0.5, 9.0), "service_rate": (0.4, 2.0), "places": (1, 25)},
    within=1e-08,
)
TABLE.add(
    "queueing.mmck_blocking",
    "pyqueueing.models.mmck.MMcK.prob_block",
    lambda arrival_rate, service_rate, servers, places: MMcK(arrival_rate, service_rate, servers, places).prob_block(),
    draws={"arrival_rate": (0.5, 9.0), "service_rate": (0.4, 2.0), "servers": (1, 12), "places": (1, 25)},
    prepare=lambda arguments: roomy(arguments),
    within=1e-09,
)
TABLE.add(
    "queueing.mmck_mean_wait",
    "pyqueueing.models.mmck.MMcK.mean_wait",
    lambda arrival_rate, service_rate, servers, places: MMcK(arrival_rate, service_rate, servers, places).mean_wait(),
    draws={"arrival_rate": (0.5, 9.0), "service_rate": (0.4, 2.0), "servers": (1, 12), "places": (1, 25)},
    prepare=lambda arguments: roomy(arguments),
    within=1e-09,
    near_zero=1e-14,
)
TABLE.add(
    "queueing.mmc_mean_number",
    "pyqueueing.models.mmc.MMC.mean_system_size",
    lambda arrival_rate, service_rate, servers: MMC(arrival_rate, service_rate, servers).mean_system_size(),
    draws={"arrival_rate": (0.5, 3.0), "service_rate": (1.1, 2.0), "servers": (3, 9)},
    within=1e-09,
)
TABLE.add(
    "queueing.mmc_number_probability",
    "pyqueueing.models.mmc.MMC.prob_n",
    lambda arrival_rate, service_rate, servers, number: MMC(arrival_rate, service_rate, servers).prob_n(number),
    draws={"arrival_rate": (0.5, 3.0), "service_rate": (1.1, 2.0), "servers": (3, 9), "number": (0, 15)},
    within=1e-09,
)
TABLE.add(
    "queueing.service_level_servers",
    "pyqueueing.models.erlang_c.ErlangC.required_servers",
    lambda arrival_rate, service_rate, time, target: ErlangC(
        arrival_rate=arrival_rate, service_rate=service_rate
    ).required_servers(target_service_level=(time, target)),
    draws={"arrival_rate": (5.0, 20.0), "service_rate": (0.4, 1.0), "time": (0.05, 0.3), "target": (0.8, 0.98)},
    within=1e-09,
)
TABLE.add(
    "queueing.mm1_mean_number",
    "pyqueueing.models.mm1.MM1.mean_system_size",
    lambda arrival_rate, service_rate: MM1(arrival_rate, service_rate).mean_system_size(),
    draws={"arrival_rate": (0.1, 1.0), "service_rate": (1.1, 3.0)},
    within=1e-10,
)
TABLE.add(
    "queueing.mm1_mean_time",
    "pyqueueing.models.mm1.MM1.mean_system_time",
    lambda arrival_rate, service_rate: MM1(arrival_rate, service_rate).mean_system_time(),
    draws={"arrival_rate": (0.1, 1.0), "service_rate": (1.1, 3.0)},
    within=1e-10,
)
TABLE.add(
    "queueing.mg1_mean_wait",
    "pyqueueing.models.mg1.MG1.mean_wait",
    lambda arrival_rate, mean_service, service_variance: MG1(
        arrival_rate, 1 / mean_service, service_var=service_variance
    ).mean_wait(),
    draws={"arrival_rate": (0.1, 1.0), "mean_service": (0.1, 0.9), "service_variance": (0.0, 2.0)},
    within=1e-10,
)
TABLE.add(
    "queueing.utilisation",
    "pyqueueing.models.mmc.MMC.utilization",
    lambda arrival_rate, service_rate, servers: MMC(arrival_rate, service_rate, servers).utilization(),
    draws={"arrival_rate": (0.1, 1.0), "service_rate": (1.1, 3.0), "servers": (1, 9)},
    within=1e-10,
)
