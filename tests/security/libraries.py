"""Shared libraries written without a compiler, of a few hundred bytes: what they do when loaded is all they do."""

from __future__ import annotations

import struct
from pathlib import Path

PAGE = 0x1000
NOTHING = bytes.fromhex("c3")  # ret


def set_bits(bits: int) -> bytes:
    """Code that sets bits of MXCSR, as libraries linked with -Ofast by older compilers do: 8000 is FTZ, 40 is DAZ."""
    return (
        bytes.fromhex("4883ec08 0fae1c24 810c24")  # sub rsp, 8; stmxcsr [rsp]; or dword [rsp], bits
        + struct.pack("<I", bits)
        + bytes.fromhex("0fae1424 4883c408 c3")  # ldmxcsr [rsp]; add rsp, 8; ret
    )


FLUSH_RESULTS, FLUSH_ARGUMENTS, FLUSH_BOTH = set_bits(0x8000), set_bits(0x0040), set_bits(0x8040)
ROUND_DOWN, ROUND_UP, ROUND_TO_ZERO = set_bits(0x2000), set_bits(0x4000), set_bits(0x6000)


def write_library(path: Path, on_load: bytes) -> Path:
    """Write a shared library for x86-64 Linux that runs this machine code when it is loaded, and has no symbols."""
    # Text at the start of the file, with the code in it; data on the next page: the table for the dynamic linker.
    headers = 4
    code_at = 64 + headers * 56
    names_at = code_at + (len(on_load) + 15) // 16 * 16
    symbols_at = names_at + 16
    text_size = symbols_at + 24
    table = b"".join(
        struct.pack("<qQ", tag, value)
        for tag, value in (
            (12, code_at),  # DT_INIT
            (5, names_at),  # DT_STRTAB
            (10, 1),  # DT_STRSZ
            (6, symbols_at),  # DT_SYMTAB
            (11, 24),  # DT_SYMENT
            (0, 0),
        )
    )
    load, dynamic, stack = 1, 2, 0x6474E551
    read_execute, read_write = 5, 6
    program = b"".join(
        struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, align)
        for kind, flags, at, size, align in (
            (load, read_execute, 0, text_size, PAGE),
            (load, read_write, PAGE, len(table), PAGE),
            (dynamic, read_write, PAGE, len(table), 8),
            (stack, read_write, 0, 0, 16),
        )
    )
    start = b"\x7fELF\x02\x01\x01" + bytes(9)
    start += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, headers, 64, 0, 0)
    text = (start + program).ljust(code_at, b"\0") + on_load
    path.write_bytes(text.ljust(PAGE, b"\0") + table)
    return path
