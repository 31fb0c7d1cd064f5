"""Count for Prometheus. Labels are routes, methods, statuses: no tenant, key, source or value is in any of them."""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from service_nb._version import __version__
from service_nb.server.limits import SharedLimits
from service_nb.server.requests import Exchange
from service_nb.server.runs import RequestRuns

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4.encode()
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
KNOWN_METHODS = ("GET", "POST", "DELETE", "HEAD")  # a client may send any word


class Metrics:
    """The metrics of one application; its counters are counted where things happen."""

    def __init__(self, runs: RequestRuns, limits: SharedLimits) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "service_nb_requests", "Requests answered.", ("route", "method", "status"), registry=registry
        )
        self._seconds = Histogram(
            "service_nb_request_seconds", "From request to answer.", ("route",), buckets=SECONDS, registry=registry
        )
        self.cancelled = Counter("service_nb_cancelled", "Requests asked to stop.", ("reason",), registry=registry)
        self.abandoned = Counter("service_nb_abandoned", "Requests that did not stop in time.", registry=registry)
        self.recorded = Counter("service_nb_recorded", "Answers that were recorded.", registry=registry)
        self.errors = Counter("service_nb_errors", "Errors by their code.", ("code",), registry=registry)
        running = Gauge("service_nb_running", "Requests that are being worked on.", registry=registry)
        running.set_function(lambda: len(runs))
        Gauge("service_nb_queued", "Requests that wait.", registry=registry).set_function(lambda: limits.queued)
        Gauge("service_nb_build", "1, of the version.", ("version",), registry=registry).labels(__version__).set(1)

    def count_answer(self, exchange: Exchange) -> None:
        """Count an answer; status 0 is none, for the client was gone."""
        method = exchange.method if exchange.method in KNOWN_METHODS else "other"
        self._requests.labels(exchange.route, method, str(exchange.status)).inc()
        self._seconds.labels(exchange.route).observe(exchange.measure_seconds())

    def format(self) -> bytes:
        """Format the metrics as Prometheus reads them."""
        return generate_latest(self._registry)


def merge_metrics(texts: Sequence[bytes]) -> bytes:
    """Merge the metrics of several processes as of one: what is counted is added up."""
    if len(texts) == 1:
        return texts[0]
    lines: dict[str, float | None] = {}  # in the order of the first process that has them; None: no sample
    for text in texts:
        for line in text.decode().splitlines():
            name, _, value = line.rpartition(" ")
            if line.startswith("#"):
                lines.setdefault(line, None)
            elif name.startswith("service_nb_build{"):
                lines[name] = 1.0
            elif name.partition("{")[0].endswith("_created"):
                lines[name] = min(float(value), lines.get(name) or float(value))
            else:
                lines[name] = (lines.get(name) or 0.0) + float(value)
    written = (name if value is None else f"{name} {value!r}" for name, value in lines.items())
    return "".join(f"{line}\n" for line in written).encode()
