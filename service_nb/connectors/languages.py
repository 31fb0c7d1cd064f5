"""The language of a file, told by its name alone."""

from __future__ import annotations

_ENDINGS = {
    "Assembly": "asm s",
    "C": "c h",
    "C#": "cs",
    "C++": "cc cpp cxx hh hpp hxx",
    "CSS": "css",
    "Clojure": "clj cljs",
    "CUDA": "cu cuh",
    "D": "d",
    "Dart": "dart",
    "Elixir": "ex exs",
    "Erlang": "erl hrl",
    "F#": "fs fsx",
    "Fortran": "f f90 f95 for",
    "Go": "go",
    "Groovy": "groovy gradle",
    "HTML": "html htm",
    "Haskell": "hs",
    "INI": "ini cfg",
    "JSON": "json",
    "Java": "java",
    "JavaScript": "js mjs cjs jsx",
    "Julia": "jl",
    "Jupyter Notebook": "ipynb",
    "Kotlin": "kt kts",
    "Lua": "lua",
    "MATLAB": "m",
    "Makefile": "mk",
    "Markdown": "md markdown",
    "Nix": "nix",
    "OCaml": "ml mli",
    "PHP": "php",
    "Perl": "pl pm",
    "PowerShell": "ps1",
    "Protocol Buffers": "proto",
    "Python": "py pyi pyx",
    "R": "r",
    "Ruby": "rb",
    "Rust": "rs",
    "SCSS": "scss",
    "SQL": "sql",
    "SVG": "svg",
    "Scala": "scala",
    "Shell": "sh bash zsh",
    "Starlark": "bzl star",
    "Svelte": "svelte",
    "Swift": "swift",
    "TOML": "toml",
    "TeX": "tex bib",
    "Terraform": "tf",
    "TypeScript": "ts tsx mts cts",
    "Visual Basic": "vb",
    "Vue": "vue",
    "XML": "xml xsd",
    "YAML": "yaml yml",
    "Zig": "zig",
    "reStructuredText": "rst",
}
LANGUAGES = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
BY_NAME = {"makefile": "Makefile", "dockerfile": "Dockerfile", "cmakelists.txt": "CMake", "rakefile": "Ruby"}


def language_of(path: str) -> str | None:
    """Return the language that a file of this name is usually written in, None for names that say nothing."""
    name = path.rpartition("/")[2].lower()
    stem, dot, ending = name.rpartition(".")
    return BY_NAME.get(name) or (LANGUAGES.get(ending) if dot and stem else None)
