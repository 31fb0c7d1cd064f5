"""Has the JupyterLab extension and the panel built where a wheel or an sdist is made, and puts them into it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildHook(BuildHookInterface[Any]):
    """What was built goes into an sdist beside its sources, so that a wheel made of an sdist needs no Node."""

    def dependencies(self) -> list[str]:
        """Ask for Node only where something has to be built and the machine has none that is good."""
        builder = self._builder()
        return [] if builder.is_current() or builder.has_node() else [builder.NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is out of date; an editable install is left to `make`, which links instead of copying."""
        if version == "editable":
            return
        builder = self._builder()
        try:
            builder.build()
        except builder.BuildError as error:
            sys.exit(f"typescript: {error}")
        if self.target_name == "sdist":
            build_data["force_include"].update({each: each for each in map(self._inside, builder.OUTPUTS)})
            return
        panel = self._inside(builder.PANEL)
        build_data["force_include"][panel] = panel
        build_data["shared_data"][self._inside(builder.LAB)] = builder.SHARED.as_posix()

    def _inside(self, output: Path) -> str:
        return output.relative_to(Path(self.root).resolve()).as_posix()

    def _builder(self) -> ModuleType:
        spec = importlib.util.spec_from_file_location("typescript_build", Path(self.root, "typescript", "build.py"))
        assert spec is not None  # noqa: S101 - a file that is part of every checkout and sdist
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module
