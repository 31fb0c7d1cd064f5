"""Certificates for servers of the tests: an authority that nobody else trusts, and one server that it signed."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_PEM = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True)
class Certificates:
    """Files in PEM: the authority, another one that signed nothing, and a server's certificate with its key."""

    authority: Path
    stranger: Path
    server: Path
    key: Path


def certificates(folder: Path, name: str = "localhost") -> Certificates:
    """Write certificates of a server of that name into a folder."""
    found = Certificates(*(folder / f"{part}.pem" for part in ("authority", "stranger", "server", "key")))
    key, authority = _made("authority of the tests", None)
    found.authority.write_bytes(authority.public_bytes(_PEM))
    found.stranger.write_bytes(_made("another authority", None)[1].public_bytes(_PEM))
    server_key, server = _made(name, (key, authority))
    found.server.write_bytes(server.public_bytes(_PEM))
    form = (_PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    found.key.write_bytes(server_key.private_bytes(*form))
    return found


def _made(
    name: str, signer: tuple[ec.EllipticCurvePrivateKey, x509.Certificate] | None
) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if signer is None else signer[1].subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    )
    return key, builder.sign(key if signer is None else signer[0], hashes.SHA256())
