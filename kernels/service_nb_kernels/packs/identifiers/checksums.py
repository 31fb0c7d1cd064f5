"""Cyclic redundancy checks of bytes, by the parameters of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case

BYTES = P("int[n]", domain="[0, 255]", about="bytes")
NINE = list(b"123456789")
FIVE = [0x00, 0xFF, 0x12, 0x34, 0x80]
OFTEN = 4096  # bytes between two looks at the clock


def reflect(value: int, width: int) -> int:
    """Return the bits of a value in the opposite order."""
    return int(f"{value:0{width}b}"[::-1], 2)


def divide(data: Sequence[int], width: int, polynomial: int, start: int, is_reflected: bool) -> int:
    """Return the remainder of bytes by a polynomial, bit by bit, the lowest bit first where it is reflected."""
    mask, top = (1 << width) - 1, 1 << (width - 1)
    register, mirrored = (reflect(start, width), reflect(polynomial, width)) if is_reflected else (start, polynomial)
    for at, byte in enumerate(data):
        if at % OFTEN == 0:
            check_deadline()
        if is_reflected:
            register ^= int(byte)
            for _ in range(8):
                register = register >> 1 ^ (mirrored if register & 1 else 0)
            continue
        for bit in range(7, -1, -1):
            has_carry = bool(register & top) != bool(int(byte) >> bit & 1)
            register = (register << 1 & mask) ^ (polynomial if has_carry else 0)
    return register


def declare_crc(
    name: str,
    parameters: tuple[int, int, int, bool, int],
    results: tuple[int, int],
    oracle: str,
    *,
    summary: str,
    keywords: Sequence[str],
) -> Callable[[Sequence[int]], int]:
    """Declare a check of width, polynomial, start, reflection and final mask; results are of NINE and FIVE."""
    width, polynomial, start, is_reflected, final = parameters
    origin = f"crccheck 1.3.1, crccheck.crc.{oracle}.calc"

    @capability(
        f"identifiers.{name}",
        tier="certified",
        source="cook2024",
        params={"data": BYTES},
        result=R("int", about="check value", range=f"[0, {(1 << width) - 1}]"),
        limit={"n": 100_000},
        keywords=["cyclic redundancy check", "checksum", *keywords],
        summary=summary,
        cases=[case(data=data, result=each, origin=origin) for data, each in zip((NINE, FIVE), results, strict=True)],
    )
    def check(data: Sequence[int]) -> int:
        return divide(data, width, polynomial, start, is_reflected) ^ final

    return check


crc_8_smbus = declare_crc(
    "crc_8_smbus",
    (8, 0x7, 0x0, False, 0x0),
    (0xF4, 0x81),
    "Crc8Smbus",
    summary="CRC-8 of bytes, as the SMBus counts it.",
    keywords=["CRC-8", "PEC"],
)
crc_8_maxim_dow = declare_crc(
    "crc_8_maxim_dow",
    (8, 0x31, 0x0, True, 0x0),
    (0xA1, 0x74),
    "Crc8MaximDow",
    summary="CRC-8/MAXIM-DOW of bytes, as on the 1-Wire bus.",
    keywords=["1-Wire", "Dallas", "CRC-8"],
)
crc_8_sae_j1850 = declare_crc(
    "crc_8_sae_j1850",
    (8, 0x1D, 0xFF, False, 0xFF),
    (0x4B, 0x67),
    "Crc8SaeJ1850",
    summary="CRC-8/SAE-J1850 of bytes, as in networks of vehicles.",
    keywords=["J1850", "CRC-8"],
)
crc_15_can = declare_crc(
    "crc_15_can",
    (15, 0x4599, 0x0, False, 0x0),
    (0x59E, 0x48EB),
    "Crc15Can",
    summary="CRC-15/CAN of bytes, as in frames of the CAN bus.",
    keywords=["CAN bus"],
)
crc_16_arc = declare_crc(
    "crc_16_arc",
    (16, 0x8005, 0x0, True, 0x0),
    (0xBB3D, 0x7187),
    "Crc16Arc",
    summary="CRC-16/ARC of bytes, often called CRC-16 or CRC-16-IBM.",
    keywords=["CRC-16", "CRC-16-IBM", "LHA"],
)
crc_16_modbus = declare_crc(
    "crc_16_modbus",
    (16, 0x8005, 0xFFFF, True, 0x0),
    (0x4B37, 0x71A3),
    "Crc16Modbus",
    summary="CRC-16/MODBUS of bytes, as in Modbus RTU frames.",
    keywords=["Modbus RTU", "CRC-16"],
)
crc_16_ibm_3740 = declare_crc(
    "crc_16_ibm_3740",
    (16, 0x1021, 0xFFFF, False, 0x0),
    (0x29B1, 0x2F75),
    "Crc16Ibm3740",
    summary="CRC-16/IBM-3740 of bytes, often called CRC-16-CCITT-FALSE.",
    keywords=["CCITT-FALSE", "AUTOSAR", "CRC-16"],
)
crc_16_xmodem = declare_crc(
    "crc_16_xmodem",
    (16, 0x1021, 0x0, False, 0x0),
    (0x31C3, 0x3E79),
    "Crc16Xmodem",
    summary="CRC-16/XMODEM of bytes, as in file transfer by XMODEM.",
    keywords=["XMODEM", "ZMODEM", "CRC-16"],
)
crc_16_kermit = declare_crc(
    "crc_16_kermit",
    (16, 0x1021, 0x0, True, 0x0),
    (0x2189, 0xA035),
    "Crc16Kermit",
    summary="CRC-16/KERMIT of bytes, the true CRC-16-CCITT.",
    keywords=["CCITT", "Bluetooth", "CRC-16"],
)
crc_16_ibm_sdlc = declare_crc(
    "crc_16_ibm_sdlc",
    (16, 0x1021, 0xFFFF, True, 0xFFFF),
    (0x906E, 0x6F42),
    "Crc16IbmSdlc",
    summary="CRC-16/IBM-SDLC of bytes, as in X.25, HDLC and PPP.",
    keywords=["X-25", "HDLC", "PPP", "frame check sequence"],
)
crc_16_usb = declare_crc(
    "crc_16_usb",
    (16, 0x8005, 0xFFFF, True, 0xFFFF),
    (0xB4C8, 0x8E5C),
    "Crc16Usb",
    summary="CRC-16/USB of bytes, as in USB data packets.",
    keywords=["USB", "CRC-16"],
)
crc_16_dnp = declare_crc(
    "crc_16_dnp",
    (16, 0x3D65, 0x0, True, 0xFFFF),
    (0xEA82, 0x2AE6),
    "Crc16Dnp",
    summary="CRC-16/DNP of bytes, as in DNP3 telecontrol.",
    keywords=["DNP3", "SCADA", "CRC-16"],
)
crc_24_openpgp = declare_crc(
    "crc_24_openpgp",
    (24, 0x864CFB, 0xB704CE, False, 0x0),
    (0x21CF02, 0x552A67),
    "Crc24OpenPgp",
    summary="CRC-24/OPENPGP of bytes, as in ASCII armor of OpenPGP.",
    keywords=["PGP", "ASCII armor"],
)
crc_32 = declare_crc(
    "crc_32",
    (32, 0x4C11DB7, 0xFFFFFFFF, True, 0xFFFFFFFF),
    (0xCBF43926, 0x5117F625),
    "Crc32",
    summary="CRC-32 of bytes, as in Ethernet, ZIP, gzip and PNG.",
    keywords=["CRC-32/ISO-HDLC", "zlib", "checksum"],
)
crc_32_iscsi = declare_crc(
    "crc_32_iscsi",
    (32, 0x1EDC6F41, 0xFFFFFFFF, True, 0xFFFFFFFF),
    (0xE3069283, 0xDE8EF9D7),
    "Crc32Iscsi",
    summary="CRC-32C (Castagnoli) of bytes, as in iSCSI, SCTP and ext4.",
    keywords=["CRC-32C", "Castagnoli"],
)
crc_32_mpeg_2 = declare_crc(
    "crc_32_mpeg_2",
    (32, 0x4C11DB7, 0xFFFFFFFF, False, 0x0),
    (0x376E6E7, 0xCA91E6EB),
    "Crc32Mpeg2",
    summary="CRC-32/MPEG-2 of bytes, as in transport streams.",
    keywords=["MPEG-2", "STM32"],
)
crc_32_bzip2 = declare_crc(
    "crc_32_bzip2",
    (32, 0x4C11DB7, 0xFFFFFFFF, False, 0xFFFFFFFF),
    (0xFC891918, 0x356E1914),
    "Crc32Bzip2",
    summary="CRC-32/BZIP2 of bytes, as in the blocks of bzip2 files.",
    keywords=["bzip2", "AAL5"],
)
crc_32_cksum = declare_crc(
    "crc_32_cksum",
    (32, 0x4C11DB7, 0x0, False, 0xFFFFFFFF),
    (0x765E7680, 0x727EA288),
    "Crc32Cksum",
    summary="CRC-32/CKSUM of bytes, without the length that the command cksum appends.",
    keywords=["POSIX", "cksum"],
)
