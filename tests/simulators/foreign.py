"""Honest notebooks of other tools and kernels, in the shapes in which those write them; with cards of ours and without.

The shapes are those of files that these tools have written: what they put into metadata, how their outputs look, what
they leave out. Nothing in them is of this package but the cards, which stand in one more cell.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any
from zlib import crc32

Json = dict[str, Any]
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def notebooks(cells: list[Json]) -> list[tuple[str, Json, int]]:
    """Name, notebook, number of cards: each shape without cards of ours, and with cells in it that hold some."""
    made = []
    for name, book in shapes():
        made.append((name, book, 0))
        if book["nbformat"] == 4:
            one = copy.deepcopy(book)
            has_id = one["nbformat_minor"] >= 5
            one["cells"] += [{key: cell[key] for key in cell if has_id or key != "id"} for cell in cells]
            made.append((f"{name}, with cards", one, len(cells)))
    return made


Shapes = Iterator[tuple[str, Json]]


def shapes() -> Shapes:
    yield from versions()
    yield from kernels()
    yield from tools()
    yield from outputs()


def book(*cells: Json, minor: int = 5, **metadata: Any) -> Json:
    return {"nbformat": 4, "nbformat_minor": minor, "metadata": metadata, "cells": list(cells)}


def code(source: Any, *shown: Json, id_: bool = True, metadata: Json | None = None, **more: Any) -> Json:
    made = {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": metadata or {},
        "outputs": list(shown),
        "source": source,
    }
    return made | ({"id": f"c{crc32(str(source).encode()):08x}"} if id_ else {}) | more


def prose(source: Any = "# Title", *, id_: bool = True, **more: Any) -> Json:
    return {"cell_type": "markdown", "metadata": {}, "source": source} | ({"id": "prose"} if id_ else {}) | more


def shown(data: Mapping[str, Any]) -> Json:
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": dict(data)}


def display(metadata: Json | None = None, **data: Any) -> Json:
    return {
        "output_type": "display_data",
        "metadata": metadata or {},
        "data": {key.replace("__", "/"): data[key] for key in data},
    }


def stream(text: Any = "hello\n", name: str = "stdout") -> Json:
    return {"output_type": "stream", "name": name, "text": text}


ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "x", "traceback": ["\x1b[0;31mValueError\x1b[0m: x"]}


def versions() -> Shapes:
    for minor in range(6):
        has_id = minor == 5
        cells = prose(id_=has_id), code("print(1)", stream(), shown({"text/plain": "1"}), id_=has_id)
        yield f"minor version {minor}", book(*cells, minor=minor)
    yield "ids under minor version 4", book(prose(), code("1"), minor=4)
    yield "no ids under minor version 5", book(prose(id_=False), code("1", id_=False))
    yield "a minor version of the future", book(prose(), code("1"), minor=6)
    yield "no metadata at all", {"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [code("1", id_=False)]}
    yield "no cells", book()
    third = {
        "cell_type": "code",
        "input": ["1"],
        "language": "python",
        "outputs": [{"output_type": "pyout", "prompt_number": 1, "text": ["1"]}],
        "prompt_number": 1,
        "collapsed": False,
    }
    yield (
        "IPython 2",
        {
            "nbformat": 3,
            "nbformat_minor": 0,
            "metadata": {"name": ""},
            "worksheets": [{"cells": [third, {"cell_type": "heading", "level": 1, "source": ["T"]}], "metadata": {}}],
        },
    )
    yield "IPython 0.12", {"nbformat": 2, "metadata": {"name": "old"}, "worksheets": [{"cells": [third]}]}


def kernels() -> Shapes:
    """Kernels of other languages, as nbconvert and JupyterLab save what they answer."""
    for name, language, extension, data in (
        (
            "ir",
            "R",
            ".r",
            {
                "text/html": "<table><tr><td>1</td></tr></table>",
                "text/latex": "1",
                "text/markdown": "1",
                "text/plain": "[1] 1",
            },
        ),
        ("julia-1.11", "julia", ".jl", {"text/plain": "3-element Vector{Int64}", "image/svg+xml": "<svg/>"}),
        ("scala212", "scala", ".sc", {"text/plain": "res0: Int = 1", "text/html": "<div id='x'></div>"}),
        ("octave", "octave", ".m", {"text/plain": "ans = 1", "image/png": PIXEL}),
        ("xcpp17", "C++17", ".cpp", {"text/plain": "1"}),
        ("sagemath", "sage", ".py", {"text/html": "<html>\\(x\\)</html>", "text/plain": "x", "text/latex": "$x$"}),
        ("bash", "bash", ".sh", {"text/plain": "1"}),
        (".net-csharp", "C#", ".cs", {"text/html": "<span>1</span>", "text/csv": "a\n1"}),
        (
            "SQL",
            "sql",
            ".sql",
            {
                "application/vnd.dataresource+json": {"schema": {"fields": [{"name": "a"}]}, "data": [{"a": 1}]},
                "text/html": "<table/>",
            },
        ),
        ("wolframlanguage12", "Wolfram Language", ".m", {"text/html": "<div>1</div>", "text/plain": "1"}),
        ("sas", "sas", ".sas", {"text/html": "<!DOCTYPE html><html><body>SAS</body></html>"}),
        ("stata", "stata", ".do", {"text/html": "<table/>", "image/svg+xml": "<svg/>"}),
        ("rust", "Rust", ".rs", {"text/plain": "1"}),
        ("gophernotes", "go", ".go", {"text/plain": "1 <nil>"}),
        ("haskell", "haskell", ".hs", {"text/plain": "1", "text/html": "<span/>"}),
        ("ocaml-jupyter", "OCaml", ".ml", {"text/plain": "- : int = 1"}),
        ("ruby3", "ruby", ".rb", {"text/plain": "1"}),
        ("deno", "typescript", ".ts", {"text/plain": "1", "application/vnd.vegalite.v5+json": {"mark": "bar"}}),
        ("xlua", "lua", ".lua", {"text/plain": "1"}),
        ("calysto_prolog", "prolog", ".pl", {"text/plain": "true."}),
    ):
        info = {
            "name": language,
            "file_extension": extension,
            "mimetype": f"text/x-{language}",
            "codemirror_mode": language.lower(),
        }
        spec = {"name": name, "display_name": language, "language": language}
        yield (
            f"kernel of {language}",
            book(
                prose(id_=False),
                code("1", shown(data), stream(["a\n", "b\n"]), id_=False),
                minor=4,
                kernelspec=spec,
                language_info=info,
            ),
        )


def tools() -> Shapes:
    when = "2024-01-02T03:04:05.678901Z"
    execution = {
        "execution": {
            "iopub.execute_input": when,
            "iopub.status.busy": when,
            "iopub.status.idle": when,
            "shell.execute_reply": when,
        }
    }
    yield "nbconvert --execute", book(code("1", stream(), metadata=execution))
    papermill = {
        "papermill": {
            "duration": 0.01,
            "end_time": when,
            "exception": False,
            "start_time": when,
            "status": "completed",
        },
        "tags": ["parameters"],
    }
    run = {
        "default_parameters": {"alpha": 0.1},
        "parameters": {"alpha": 0.6},
        "version": "2.6.0",
        "input_path": "a.ipynb",
        "environment_variables": {},
    }
    yield (
        "papermill",
        book(
            code("alpha = 0.1", metadata=papermill),
            code("# Parameters\nalpha = 0.6\n", metadata={"tags": ["injected-parameters"]}),
            papermill=run,
        ),
    )
    text = {
        "formats": "ipynb,py:percent",
        "text_representation": {
            "extension": ".py",
            "format_name": "percent",
            "format_version": "1.3",
            "jupytext_version": "1.16.4",
        },
    }
    yield "jupytext", book(prose(), code("1", metadata={"lines_to_next_cell": 2}), jupytext=text)
    colab_widgets = {
        STATE: {
            "abc": {
                "model_module": "@jupyter-widgets/output",
                "model_name": "OutputModel",
                "model_module_version": "1.0.0",
                "state": {"outputs": [stream()], "msg_id": ""},
            }
        }
    }
    yield (
        "Colab",
        book(
            prose(id_=False, metadata={"id": "Ab1", "colab_type": "text"}),
            code(
                "1",
                display({"tags": []}, text__plain="1"),
                id_=False,
                metadata={
                    "id": "x",
                    "colab": {"base_uri": "https://localhost:8080/", "height": 35},
                    "cellView": "form",
                    "outputId": "5f",
                },
            ),
            minor=0,
            colab={"provenance": [], "toc_visible": True},
            accelerator="GPU",
            widgets=colab_widgets,
        ),
    )
    intrinsic = {
        "application/vnd.google.colaboratory.intrinsic+json": {"type": "dataframe", "variable_name": "df"},
        "text/html": "<div></div>",
        "text/plain": "   a",
    }
    yield "Colab with a data frame", book(code("df", shown(intrinsic), id_=False), minor=0, colab={"name": "x.ipynb"})
    yield (
        "VS Code",
        book(
            code("1", shown({"text/plain": ["1"]}), metadata={"vscode": {"languageId": "python"}}),
            language_info={"name": "python", "version": "3.11.7"},
            orig_nbformat=4,
        ),
    )
    yield (
        "VS Code polyglot",
        book(
            code(
                "1",
                metadata={"dotnet_interactive": {"language": "fsharp"}, "polyglot_notebook": {"kernelName": "fsharp"}},
            ),
            polyglot_notebook={"kernelInfo": {"items": []}},
        ),
    )
    bricks = {
        "application/vnd.databricks.v1+cell": {
            "cellMetadata": {"byteLimit": 2048000, "rowLimit": 10000},
            "inputWidgets": {},
            "nuid": "1-2",
            "showTitle": False,
            "title": "",
        }
    }
    table = {
        "application/vnd.databricks.v1+output": {
            "addedWidgets": {},
            "aggData": [],
            "data": [["a", 1]],
            "datasetInfos": [],
            "metadata": {},
            "schema": [{"name": "x", "type": '"string"'}],
            "type": "table",
        }
    }
    whole = {
        "application/vnd.databricks.v1+notebook": {
            "dashboards": [],
            "language": "python",
            "notebookName": "n",
            "widgets": {},
        }
    }
    yield (
        "Databricks",
        book(
            code(
                "display(df)",
                {
                    "output_type": "display_data",
                    "metadata": table,
                    "data": {"text/html": ["<style scoped>.ansiout {display: block}</style><table/>"]},
                },
                {"output_type": "display_data", "metadata": {}, "data": table},
                id_=False,
                metadata=bricks,
            ),
            minor=0,
            **whole,
        ),
    )
    yield (
        "Databricks of SQL",
        book(code("%sql select 1", id_=False, metadata=bricks, execution_count=0), minor=0, **whole),
    )
    yield (
        "Kaggle",
        book(
            code(
                "1", id_=False, metadata={"_uuid": "8f2839f2", "_cell_guid": "b1076dfc", "trusted": True, **execution}
            ),
            minor=4,
            kaggle={
                "accelerator": "none",
                "dataSources": [{"sourceId": 1, "sourceType": "competition"}],
                "isGpuEnabled": False,
            },
        ),
    )
    yield (
        "Deepnote",
        book(
            code(
                "1",
                stream(),
                id_=False,
                metadata={"cell_id": "0-1", "deepnote_cell_type": "code", "source_hash": "b62", "execution_start": 1},
            ),
            prose(id_=False, metadata={"deepnote_cell_type": "markdown"}),
            minor=0,
            deepnote={"is_reactive": False},
            deepnote_notebook_id="1",
            orig_nbformat=2,
        ),
    )
    yield (
        "nteract and Synapse",
        book(
            code(
                "1",
                display({}, text__plain="1") | {"transient": {"display_id": "a"}},
                id_=False,
                metadata={
                    "jupyter": {"source_hidden": False, "outputs_hidden": False},
                    "nteract": {"transient": {"deleting": False}},
                    "collapsed": False,
                    "gather": {"logged": 1},
                },
            ),
            minor=2,
            nteract={"version": "nteract-front-end@1.0.0"},
            synapse_widget={"version": "0.1", "state": {}},
            microsoft={"host": {"AzureML": {"notebookHasBeenCompleted": True}}},
        ),
    )
    yield (
        "SageMaker Studio",
        book(
            code("1"),
            availableInstances=[{"_defaultOrder": 0, "name": "ml.t3.medium", "vcpuNum": 2}],
            instance_type="ml.t3.medium",
        ),
    )
    yield (
        "Azure Data Studio",
        book(
            code(
                "select 1",
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {"resultSet": {"id": 0, "rowCount": 1}},
                    "data": {"application/vnd.dataresource+json": {"schema": {}, "data": []}, "text/html": ["<table>"]},
                },
                display({}, text__html="(1 row affected)"),
                id_=False,
                metadata={"azdata_cell_guid": "c3", "tags": []},
            ),
            minor=2,
        ),
    )
    yield (
        "CoCalc",
        book(
            code(
                "1",
                id_=False,
                metadata={
                    "cocalc": {
                        "outputs": {
                            "0": {"name": "input", "opts": {"prompt": "x"}, "output_type": "stream", "value": "3"}
                        }
                    },
                    "scrolled": True,
                },
            ),
            minor=4,
        ),
    )
    yield (
        "nbgrader",
        book(
            code(
                "raise NotImplementedError()",
                metadata={
                    "deletable": False,
                    "nbgrader": {
                        "cell_type": "code",
                        "checksum": "1",
                        "grade": True,
                        "grade_id": "q1",
                        "locked": False,
                        "points": 2,
                        "schema_version": 3,
                        "solution": True,
                        "task": False,
                    },
                },
            ),
            celltoolbar="Create Assignment",
        ),
    )
    yield (
        "RISE",
        book(
            prose(metadata={"slideshow": {"slide_type": "slide"}}),
            code("1", metadata={"slideshow": {"slide_type": "skip"}}),
            rise={"scroll": True},
        ),
    )
    yield (
        "Jupyter Book",
        book(
            prose(),
            code("1", stream(), metadata={"tags": ["hide-input", "remove-stderr"]}),
            mystnb={"execution_mode": "cache"},
        ),
    )
    yield (
        "Quarto and nbdev",
        book(
            {"cell_type": "raw", "id": "front", "metadata": {}, "source": "---\ntitle: x\n---"},
            code("#| export\nx = 1", metadata={"quarto-private-1": {"key": "k"}}),
        ),
    )
    yield (
        "SoS",
        book(
            code("1", metadata={"kernel": "R"}), sos={"kernels": [["R", "ir", "R", "#DCDCDA", "r"]], "version": "0.24"}
        ),
    )
    yield (
        "Polynote",
        book(
            code("1", id_=False, metadata={"language": "scala", "cell.metadata.exec_info": {"startTs": 1, "endTs": 2}}),
            minor=0,
            config={"dependencies": {}, "exclusions": []},
            language_info={"name": "scala"},
        ),
    )
    yield (
        "JupyterLite",
        book(
            code("1", metadata={"trusted": True}),
            kernelspec={"name": "python", "display_name": "Python (Pyodide)", "language": "python"},
        ),
    )
    yield "marimo", book(code("import marimo as mo"), marimo={"version": "0.9"})
    merge = {"nbdime-conflicts": {"local_diff": [{"op": "addrange", "key": 0, "valuelist": ["x"]}], "remote_diff": []}}
    yield "a merge by nbdime", book(code("<<<<<<< local\nx\n>>>>>>> remote", metadata=merge))
    yield (
        "extensions of the classic notebook",
        book(
            code(
                "1",
                id_=False,
                metadata={
                    "hide_input": True,
                    "init_cell": True,
                    "ExecuteTime": {"end_time": when, "start_time": when},
                    "collapsed": True,
                    "heading_collapsed": True,
                },
            ),
            minor=4,
            toc={"base_numbering": 1, "toc_cell": False},
            varInspector={"cols": {"lenName": 16}},
            latex_envs={"LaTeX_envs_menu_present": True},
        ),
    )


def outputs() -> Shapes:
    """What notebooks hold beside text, and what some leave out."""
    yield "an attachment", book(prose("![x](attachment:x.png)", attachments={"x.png": {"image/png": PIXEL}}))
    models = {
        "a": {
            "model_module": "@jupyter-widgets/controls",
            "model_module_version": "2.0.0",
            "model_name": "IntSliderModel",
            "state": {"layout": "IPY_MODEL_b", "value": 3},
        },
        "b": {
            "model_module": "@jupyter-widgets/base",
            "model_module_version": "2.0.0",
            "model_name": "LayoutModel",
            "state": {},
        },
    }
    held = {
        "model_module": "@jupyter-widgets/output",
        "model_module_version": "1.0.0",
        "model_name": "OutputModel",
        "state": {"layout": "IPY_MODEL_b", "outputs": [display({}, text__plain="3"), stream(), ERROR]},
    }
    view = {VIEW: {"model_id": "a", "version_major": 2, "version_minor": 0}, "text/plain": "IntSlider(value=3)"}
    yield (
        "widgets with their state",
        book(
            code("interact(f)", {"output_type": "display_data", "metadata": {}, "data": view}),
            widgets={STATE: {"state": {**models, "c": held}, "version_major": 2, "version_minor": 0}},
        ),
    )
    yield (
        "a widget without its state",
        book(code("slider", {"output_type": "display_data", "metadata": {}, "data": view})),
    )
    yield "streams and an error", book(code("f()", stream(["a\n"]), stream("b", "stderr"), ERROR, stream()))
    yield "an output of no metadata", book(code("1", {"output_type": "display_data", "data": {"text/plain": "1"}}))
    yield (
        "an update of a display",
        book(
            code(
                "1",
                {
                    "output_type": "update_display_data",
                    "metadata": {},
                    "data": {"text/plain": "2"},
                    "transient": {"display_id": "x"},
                },
            )
        ),
    )
    yield "an empty bundle", book(code("1", display()))
    yield (
        "a picture with its size",
        book(
            code(
                "plot()",
                display(
                    {"image/png": {"width": 300, "height": 200}, "needs_background": "light"},
                    image__png=PIXEL,
                    text__plain="<Figure>",
                ),
            )
        ),
    )
    plot = {
        "application/vnd.plotly.v1+json": {
            "config": {},
            "data": [{"type": "bar", "y": [1, 2**60, None]}],
            "layout": {},
        },
        "text/html": ["<div>", "</div>"],
    }
    yield "a plot with large numbers", book(code("fig", {"output_type": "display_data", "metadata": {}, "data": plot}))
    yield (
        "JSON, GeoJSON and JavaScript",
        book(
            code(
                "x",
                display(
                    {"application/json": {"expanded": False, "root": "root"}},
                    **{
                        "application__json": {"a": [1]},
                        "application__geo+json": {"type": "Point"},
                        "application__javascript": "alert(1)",
                    },
                ),
            )
        ),
    )
    yield (
        "a frame of pandas",
        book(code("df", shown({"text/html": ["<table class='dataframe'>", "</table>"], "text/plain": ["   a"]}))),
    )
    yield (
        "folded cells",
        book(
            code(
                "1",
                stream(),
                metadata={
                    "collapsed": True,
                    "jupyter": {"outputs_hidden": True, "source_hidden": True},
                    "scrolled": "auto",
                },
            )
        ),
    )
    yield (
        "a folded heading",
        book(prose("## Part", metadata={"jp-MarkdownHeadingCollapsed": True}), code("1", stream())),
    )
    yield (
        "raw cells",
        book(
            {
                "cell_type": "raw",
                "id": "r",
                "metadata": {"format": "text/restructuredtext", "raw_mimetype": "text/latex"},
                "source": ["x"],
            }
        ),
    )
    yield "cells of one id", book(prose(), prose())
    yield "sixty outputs below a cell", book(code("loop()", *(display({}, text__plain=str(at)) for at in range(60))))
    yield "no language and no kernel", book(code("1", execution_count=None))
    yield "text that speaks of cards", book(code("print(x)", stream("A Card of service_nb 0.1.0 is a card.\n")))
