"""Check digits of the numbers of cards, goods, books, accounts and vehicles."""

from __future__ import annotations

from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError

LONGEST = 200
LONGEST_ACCOUNT = 30
DIGIT = R("int", about="check digit", range="[0, 9]")
ELEVEN = R("int", about="check digit, 10 for X", range="[0, 10]")
VERHOEFF = ("1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258")
DAMM = (
    "0317598642", "7092154863", "4206871359", "1750983426", "6123045978",
    "3674209581", "5869720134", "8945362017", "9438617205", "2581436790",
)  # fmt: skip
VIN = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
)
VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def read_digits(number: str, length: int | None = None) -> list[int]:
    """Read a text of decimal digits."""
    if len(number) > LONGEST:
        raise LimitError(f"The number has {len(number)} characters; at most {LONGEST} are taken.")
    if not (number.isascii() and number.isdigit()) or (length is not None and len(number) != length):
        raise DomainError("number", expected=f"{length or 'one or more'} decimal digits, without spaces or hyphens")
    return [int(each) for each in number]


def read_letters(text: str, name: str) -> int:
    """Read capital letters and digits as a number, in which A is 10 and Z is 35."""
    if len(text) > LONGEST:
        raise LimitError(f"The {name} has {len(text)} characters; at most {LONGEST} are taken.")
    if not (text.isascii() and text.isalnum() and text == text.upper()):
        raise DomainError(name, expected="capital letters and digits, without spaces or hyphens")
    return int("".join(str(int(each, 36)) for each in text))


@capability(
    "identifiers.luhn_check_digit",
    tier="certified",
    source="iso7812",
    keywords=["mod 10", "credit card", "IMEI", "payment card number"],
    params={"number": P("string", about="digits before the check digit")},
    result=DIGIT,
    cases=[
        case(
            number="7992739871", result=3, origin="checkdigit-algorithms 1.0.0, checkdigit.luhn.LuhnAlgorithm.generate"
        ),
        case(
            number="49015420323751",
            result=8,
            origin="checkdigit-algorithms 1.0.0, checkdigit.luhn.LuhnAlgorithm.generate",
        ),
    ],
)
def luhn_check_digit(number: str) -> int:
    """Luhn check digit of a number, as on payment cards and in the IMEI of phones."""
    digits = read_digits(number)
    return -sum(sum(divmod(2 * each, 10)) if at % 2 == 0 else each for at, each in enumerate(reversed(digits))) % 10


@capability(
    "identifiers.verhoeff_check_digit",
    tier="certified",
    source="verhoeff1969",
    keywords=["dihedral group", "Aadhaar"],
    params={"number": P("string", about="digits before the check digit")},
    result=DIGIT,
    cases=[
        case(
            number="7992739871",
            result=8,
            origin="checkdigit-algorithms 1.0.0, checkdigit.verhoeff.VerhoeffAlgorithm.generate",
        ),
        case(
            number="49015420323751",
            result=6,
            origin="checkdigit-algorithms 1.0.0, checkdigit.verhoeff.VerhoeffAlgorithm.generate",
        ),
    ],
)
def verhoeff_check_digit(number: str) -> int:
    """Verhoeff check digit of a number, which finds all single errors and swapped neighbors."""
    found = 0
    for at, each in enumerate(reversed(read_digits(number)), 1):
        found = multiply_dihedral(found, permute(each, at))
    return next(each for each in range(10) if multiply_dihedral(found, each) == 0)


def multiply_dihedral(a: int, b: int) -> int:
    """Multiply two elements of the dihedral group of order 10: turns are 0 to 4, reflections 5 to 9."""
    turn = (a + b) % 5 if a < 5 else (a - b) % 5
    return turn if (a < 5) == (b < 5) else 5 + turn


def permute(digit: int, times: int) -> int:
    """Apply Verhoeff's permutation of digits a number of times."""
    return digit if times % 8 == 0 else int(VERHOEFF[times % 8 - 1][digit])


@capability(
    "identifiers.damm_check_digit",
    tier="certified",
    source="damm2004",
    keywords=["quasigroup"],
    params={"number": P("string", about="digits before the check digit")},
    result=DIGIT,
    cases=[
        case(
            number="7992739871", result=1, origin="checkdigit-algorithms 1.0.0, checkdigit.damm.DammAlgorithm.generate"
        ),
        case(
            number="49015420323751",
            result=0,
            origin="checkdigit-algorithms 1.0.0, checkdigit.damm.DammAlgorithm.generate",
        ),
    ],
)
def damm_check_digit(number: str) -> int:
    """Damm check digit of a number, which finds all single errors and swapped neighbors."""
    found = 0
    for each in read_digits(number):
        found = int(DAMM[found][each])
    return found


@capability(
    "identifiers.gtin_check_digit",
    tier="certified",
    source="gs1general",
    keywords=["EAN-13", "EAN-8", "UPC-A", "GTIN", "ISBN-13", "GLN", "SSCC", "barcode"],
    params={"number": P("string", about="digits before the check digit")},
    result=DIGIT,
    cases=[
        case(
            number="400638133393",
            result=1,
            origin="python-barcode 0.16.1, barcode.ean.EuropeanArticleNumber13.calculate_checksum",
        ),
        case(
            number="9638507",
            result=4,
            origin="python-barcode 0.16.1, barcode.ean.EuropeanArticleNumber13.calculate_checksum",
        ),
        case(
            number="03600029145",
            result=2,
            origin="python-barcode 0.16.1, barcode.ean.EuropeanArticleNumber13.calculate_checksum",
        ),
    ],
)
def gtin_check_digit(number: str) -> int:
    """Check digit of a GTIN (EAN, UPC), ISBN-13, GLN or SSCC: weights 3 and 1 from the right, modulo 10."""
    return -sum(each * (3 if at % 2 == 0 else 1) for at, each in enumerate(reversed(read_digits(number)))) % 10


@capability(
    "identifiers.isbn_10_check_digit",
    tier="certified",
    source="iso2108",
    keywords=["ISBN-10", "book number", "mod 11"],
    params={"number": P("string", about="the nine digits before the check digit")},
    result=ELEVEN,
    cases=[
        case(
            number="030640615", result=2, origin="python-barcode 0.16.1, barcode.isxn.InternationalStandardBookNumber10"
        ),
        case(
            number="080442957",
            result=10,
            origin="python-barcode 0.16.1, barcode.isxn.InternationalStandardBookNumber10",
        ),
    ],
)
def isbn_10_check_digit(number: str) -> int:
    """Check digit of an ISBN of ten digits, 10 for X."""
    return sum(at * each for at, each in enumerate(read_digits(number, 9), 1)) % 11


@capability(
    "identifiers.issn_check_digit",
    tier="certified",
    source="iso3297",
    keywords=["ISSN", "serial number", "mod 11"],
    params={"number": P("string", about="the seven digits before the check digit")},
    result=ELEVEN,
    cases=[
        case(
            number="0378595", result=5, origin="python-barcode 0.16.1, barcode.isxn.InternationalStandardSerialNumber"
        ),
        case(
            number="2434561", result=10, origin="python-barcode 0.16.1, barcode.isxn.InternationalStandardSerialNumber"
        ),
    ],
)
def issn_check_digit(number: str) -> int:
    """Check digit of an ISSN, the number of a journal, 10 for X."""
    return -sum(at * each for at, each in enumerate(reversed(read_digits(number, 7)), 2)) % 11


@capability(
    "identifiers.iban_check_digits",
    tier="certified",
    version=2,
    source="iso13616; iso7064",
    keywords=["IBAN", "bank account", "mod 97"],
    params={
        "country": P("string", about="two letters of the country"),
        "account": P("string", about="national account number (BBAN), capital letters and digits"),
    },
    result=R("int", about="the two check digits as a number: 2 stands for 02", range="[2, 98]"),
    cases=[
        case(
            country="DE", account="370400440532013000", result=89, origin="schwifty 2026.10.1, schwifty.IBAN.from_bban"
        ),
        case(
            country="GB", account="NWBK60161331926819", result=29, origin="schwifty 2026.10.1, schwifty.IBAN.from_bban"
        ),
        case(country="DE", account="3" * 31, error="domain_error", origin="by hand: longer than any"),
    ],
)
def iban_check_digits(country: str, account: str) -> int:
    """Both check digits of an IBAN, from the country and the national account number."""
    if len(country) != 2 or not country.isalpha():
        raise DomainError("country", expected="two capital letters")
    read_letters(country, "country")
    if len(account) > LONGEST_ACCOUNT:
        raise DomainError("account", expected=f"at most {LONGEST_ACCOUNT} characters: an IBAN has at most 34")
    read_letters(account, "account")
    return 98 - read_letters(account + country + "00", "account") % 97


@capability(
    "identifiers.vin_check_digit",
    tier="certified",
    source="iso3779",
    keywords=["VIN", "chassis number", "vehicle identification number"],
    params={"number": P("string", about="all 17 characters; the ninth, checked in North America, does not count")},
    result=ELEVEN,
    cases=[
        case(number="1M8GDM9AXKP042788", result=10, origin="vininfo 1.11.0, vininfo.Vin.verify_checksum"),
        case(number="WVWZZZ1JZ3W386752", result=9, origin="vininfo 1.11.0, vininfo.Vin.verify_checksum"),
    ],
)
def vin_check_digit(number: str) -> int:
    """Check digit of a vehicle identification number, its ninth character, 10 for X."""
    if len(number) != len(VIN_WEIGHTS) or any(each not in VIN and each not in "0123456789" for each in number):
        raise DomainError("number", expected="17 characters: digits and capital letters other than I, O and Q")
    return (
        sum(w * VIN.get(c, 0 if c in VIN else ord(c) - ord("0")) for w, c in zip(VIN_WEIGHTS, number, strict=True)) % 11
    )
