"""Figures for Prometheus. Labels are routes, methods, statuses: no tenant, key, source or value is in any of them."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from service_nb._version import __version__
from service_nb.server.places import Places
from service_nb.server.running import Runs

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4.encode()
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
KNOWN_METHODS = ("GET", "POST", "DELETE", "HEAD")  # a client may send any word


class Metrics:
    """The figures of one application."""

    def __init__(self, runs: Runs, places: Places) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "service_nb_requests", "Requests answered.", ("route", "method", "status"), registry=registry
        )
        self._seconds = Histogram(
            "service_nb_request_seconds", "From request to answer.", ("route",), buckets=SECONDS, registry=registry
        )
        self._cancelled = Counter("service_nb_cancelled", "Runs asked to stop.", ("reason",), registry=registry)
        self._abandoned = Counter("service_nb_abandoned", "Runs that did not stop in time.", registry=registry)
        self._recorded = Counter("service_nb_recorded", "Answers that were recorded.", registry=registry)
        self._errors = Counter("service_nb_errors", "Errors by their code.", ("code",), registry=registry)
        Gauge("service_nb_running", "Requests that are being worked on.", registry=registry).set_function(
            lambda: len(runs)
        )
        Gauge("service_nb_queued", "Requests that wait.", registry=registry).set_function(lambda: places.queued)
        Gauge("service_nb_build", "1, of the version.", ("version",), registry=registry).labels(__version__).set(1)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer; status 0 is none, for the client was gone."""
        known = method if method in KNOWN_METHODS else "other"
        self._requests.labels(route, known, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def failed(self, code: str) -> None:
        """Count an error."""
        self._errors.labels(code).inc()

    def cancelled(self, reason: str) -> None:
        """Count a run that was asked to stop."""
        self._cancelled.labels(reason).inc()

    def abandoned(self) -> None:
        """Count a run that did not stop."""
        self._abandoned.inc()

    def recorded(self) -> None:
        """Count an answer that was recorded."""
        self._recorded.inc()

    def text(self) -> bytes:
        """Return the figures."""
        return generate_latest(self._registry)
