"""Certificates for servers of the tests: an authority that nobody else trusts, and what it signed."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, fields
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_PEM = serialization.Encoding.PEM
_FORM = (_PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())


@dataclass(frozen=True, slots=True)
class Certificates:
    """Files in PEM: the authority, another one that signed nothing, and servers' certificates, all of one key.

    Beside the one that is right, for the server's name, there is one that is over, one of another name, and one that
    nobody but itself signed.
    """

    authority: Path
    stranger: Path
    server: Path
    expired: Path
    elsewhere: Path
    selfmade: Path
    key: Path


def certificates(folder: Path, name: str = "localhost") -> Certificates:
    """Write certificates of a server of that name into a folder."""
    found = Certificates(*(folder / f"{each.name}.pem" for each in fields(Certificates)))
    key, server = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    made = {
        found.authority: _made("authority of the tests", key, None),
        found.stranger: _made("another authority", ec.generate_private_key(ec.SECP256R1()), None),
    }
    signer = key, made[found.authority]
    made |= {
        found.server: _made(name, server, signer),
        found.expired: _made(name, server, signer, days=-1),
        found.elsewhere: _made("elsewhere.example", server, signer),
        found.selfmade: _made(name, server, None),
    }
    for path, certificate in made.items():
        path.write_bytes(certificate.public_bytes(_PEM))
    found.key.write_bytes(server.private_bytes(*_FORM))
    found.key.chmod(0o600)
    return found


def _made(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    signer: tuple[ec.EllipticCurvePrivateKey, x509.Certificate] | None,
    days: int = 2,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    is_authority, of_signer = signer is None, (key if signer is None else signer[0]).public_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if signer is None else signer[1].subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=3))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        # What RFC 5280 has every certificate carry, and Python from 3.13 on wants to see.
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(of_signer), critical=False)
        .add_extension(_usage(signs=is_authority), critical=True)
    )
    return builder.sign(key if signer is None else signer[0], hashes.SHA256())


def _usage(*, signs: bool) -> x509.KeyUsage:
    names = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only")
    unused = dict.fromkeys((*names, "decipher_only"), False)
    return x509.KeyUsage(digital_signature=True, key_cert_sign=signs, crl_sign=signs, **unused)
