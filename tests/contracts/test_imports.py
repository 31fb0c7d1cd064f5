"""What loads when: `import service_nb` is light, and its public names are all there."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import service_nb

HEAVY = ["numpy", "pyarrow", "duckdb", "pandas", "polars", "matplotlib", "sqlglot", "lark", "IPython", "openpyxl"]


def loaded_by(code: str) -> set[str]:
    script = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    return set(json.loads(output.splitlines()[-1]))


@pytest.mark.parametrize(
    "code", ["import service_nb", "import service_nb; dir(service_nb)", "import service_nb.errors"]
)
def test_importing_the_package_loads_nothing_heavy(code: str) -> None:
    assert loaded_by(code) & set(HEAVY) == set()


def test_a_session_of_small_sources_never_loads_the_database() -> None:
    code = (
        "import service_nb; service = service_nb.create_service()\n"
        "service.connect({'records': [{'x': 1}]}, name='small')\n"
        "assert service.ask('sum x from small').rows == [{'x': 1, 'count': 1}]"
    )
    loaded = loaded_by(code)
    assert loaded & {"duckdb", "sqlglot", "IPython", "matplotlib", "service_nb.client.replay.rerun"} == set()


def test_a_call_of_a_deployment_loads_no_command_line_of_its_library() -> None:
    assert loaded_by("import service_nb.deployment.http") & {"httpx", "click", "rich", "pygments"} == set()


def test_public_names_are_sorted_and_resolve() -> None:
    assert service_nb.__all__ == sorted(service_nb.__all__)
    assert all(getattr(service_nb, name) is not None for name in service_nb.__all__)
    assert dir(service_nb) == service_nb.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        _ = service_nb.no_such_name
