"""The greeting of `%load_ext`: how to connect, how to ask, and where the sidebar is."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from service_nb.cards.blocks import Command
from service_nb.cards.faces import Bundle
from service_nb.notebook.connect_lines import list_file_lines, list_tables
from service_nb.notebook.run_lines import build_lines_bundle

if TYPE_CHECKING:
    from service_nb.notebook.session import ServiceMagics

READING = "Every magic has a help page: %service_ask --help."
_SIDEBAR = "In Jupyter, the menu Service > Open the Service Sidebar shows sources, capabilities and evidence."


def build_greeting(session: ServiceMagics) -> Bundle:
    """Build what loading the extension shows: how to connect, how to ask, and where the sidebar is.

    Only the folder and the variables are looked at: loading stays cheap, and no client is made for it.
    """
    frames = (f"%service_connect {name}" for name in list_tables(session.shell.user_ns))
    connect = next(chain(list_file_lines(), frames), "%service_connect --help")
    source = connect.split()[1]
    ask = "%service_ask --help" if source.startswith("-") else f"%service_ask count from {source}"
    has_front_end = getattr(session.shell, "kernel", None) is not None
    lines = (Command(connect, "Connect"), Command(ask, "Ask"))
    return build_lines_bundle(lines, title="service_nb is ready", more=_SIDEBAR if has_front_end else READING)
