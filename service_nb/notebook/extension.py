"""`%load_ext service_nb` and `%unload_ext service_nb`: what is added to a session, and taken away again."""

from __future__ import annotations

from typing import Any

from service_nb.notebook import typed_secrets
from service_nb.notebook.comm import Comms
from service_nb.notebook.completion import make_matcher
from service_nb.notebook.evidence_magics import EvidenceMagics
from service_nb.notebook.magics import ServiceMagics
from service_nb.notebook.session import MAGICS, keep, kept
from service_nb.notebook.source_magics import SourceMagics

BESIDE = (SourceMagics, EvidenceMagics)
# By name, so that loading the extension does not load what they stand on.
MAY_BE_SETTLED = (
    ("service_nb.client.results", "QueryOutcome"),
    ("service_nb.client.results", "Computation"),
    ("service_nb.client.results", "ServiceSource"),
    ("service_nb.client.results", "ComputationList"),
    ("service_nb.notebook.faces", "HealthPage"),
    ("service_nb.notebook.replay_faces", "ReplayPage"),
    ("service_nb.client.replay.outcome", "ReplayOutcome"),
)


def load_ipython_extension(shell: Any) -> None:
    """Add the magics, their settings and their completion to a session; prints nothing."""
    if MAGICS in shell.magics_manager.registry:
        return
    magics = kept(shell)
    if magics is None:
        magics = ServiceMagics(shell, parent=shell)
    else:
        shell.configurables.append(magics)
    shell.register_magics(magics, *(each(shell, magics) for each in BESIDE))
    shell.Completer.custom_matchers.append(make_matcher(magics))
    for home, name in MAY_BE_SETTLED:
        shell.display_formatter.ipython_display_formatter.for_type_by_name(home, name, magics.screen.take)
    shell.events.register("post_run_cell", magics.screen.forget)
    shell.events.register("pre_run_cell", typed_secrets.look)
    magics.comms = Comms(magics)
    magics.comms.register()


def unload_ipython_extension(shell: Any) -> None:
    """Remove all that loading added; variables that hold results stay, and so do the sources for the next loading."""
    magics = shell.magics_manager.registry.pop(MAGICS, None)
    if magics is None:
        return
    keep(shell, magics)
    magics.comms.unregister()
    for each in (magics, *(shell.magics_manager.registry.pop(kind.__name__) for kind in BESIDE)):
        for kind, names in each.magics.items():
            for name in names:
                shell.magics_manager.magics[kind].pop(name, None)
        if each in shell.configurables:
            shell.configurables.remove(each)
    matchers = shell.Completer.custom_matchers
    matchers[:] = [matcher for matcher in matchers if getattr(matcher, "magics", None) is not magics]
    for home, name in MAY_BE_SETTLED:
        shell.display_formatter.ipython_display_formatter.pop(f"{home}.{name}", None)
    shell.events.unregister("post_run_cell", magics.screen.forget)
    shell.events.unregister("pre_run_cell", typed_secrets.look)
