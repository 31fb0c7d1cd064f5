"""Cyclic redundancy checks."""

from __future__ import annotations

from importlib.metadata import version

from crccheck import crc
from oracle import OracleTable

TABLE = OracleTable("crccheck", version("crccheck"))
CLASSES = {
    "crc_8_smbus": "Crc8Smbus",
    "crc_8_maxim_dow": "Crc8MaximDow",
    "crc_8_sae_j1850": "Crc8SaeJ1850",
    "crc_15_can": "Crc15Can",
    "crc_16_arc": "Crc16Arc",
    "crc_16_modbus": "Crc16Modbus",
    "crc_16_ibm_3740": "Crc16Ibm3740",
    "crc_16_xmodem": "Crc16Xmodem",
    "crc_16_kermit": "Crc16Kermit",
    "crc_16_ibm_sdlc": "Crc16IbmSdlc",
    "crc_16_usb": "Crc16Usb",
    "crc_16_dnp": "Crc16Dnp",
    "crc_24_openpgp": "Crc24OpenPgp",
    "crc_32": "Crc32",
    "crc_32_iscsi": "Crc32Iscsi",
    "crc_32_mpeg_2": "Crc32Mpeg2",
    "crc_32_bzip2": "Crc32Bzip2",
    "crc_32_cksum": "Crc32Cksum",
}
for name, kind in CLASSES.items():
    TABLE.add(
        f"identifiers.{name}",
        f"crccheck.crc.{kind}.calc",
        lambda data, kind=kind: getattr(crc, kind).calc(bytearray(data)),
        draws={"n": (1, 40), "data": (0, 255)},
    )
