"""The comm that front ends open to the kernel, and `answer` behind it.

Front ends may send from threads of their own (subshells of the kernel), so that they are answered while a cell runs;
answers are made one at a time.
"""

from __future__ import annotations

import threading
from typing import Any

from service_nb.notebook.link_message import TARGET


class Comms:
    """The open comms of one session: any number of front ends, each on a comm of its own."""

    def __init__(self, magics: Any) -> None:
        self._magics = magics
        self._open: dict[str, Any] = {}
        self._one_at_a_time = threading.Lock()

    def register(self) -> None:
        """Let front ends open comms; where there is no kernel, or nothing that carries comms, do nothing."""
        manager = _manager(self._magics.shell)
        if manager is not None:
            manager.register_target(TARGET, self.opened)

    def unregister(self) -> None:
        """Close all comms and take no more of them."""
        manager = _manager(self._magics.shell)
        if manager is None:
            return
        if manager.targets.get(TARGET) == self.opened:  # another's target of the same name stays
            manager.unregister_target(TARGET, self.opened)
        for comm in list(self._open.values()):
            comm.close()
        self._open.clear()

    def opened(self, comm: Any, _message: Any) -> None:
        """Take a comm that a front end opened."""
        self._open[comm.comm_id] = comm
        comm.on_msg(lambda message: self._answer(comm, message))
        comm.on_close(lambda _message: self._open.pop(comm.comm_id, None))

    def _answer(self, comm: Any, message: Any) -> None:
        from service_nb.notebook.link import answer  # noqa: PLC0415  # lazy: most notebooks are never asked

        with self._one_at_a_time:
            told = answer(message["content"].get("data"), self._magics)
        comm.send(told)


def _manager(shell: Any) -> Any:
    if getattr(shell, "kernel", None) is None:
        return None
    try:
        import comm  # noqa: PLC0415  # IPython alone does not bring it
    except ImportError:
        return None
    return comm.get_comm_manager()  # asked of the module: the kernel puts its own manager there
