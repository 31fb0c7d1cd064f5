"""How alike two texts are, letter by letter, and how names sound."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from flint import fmpq

from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError

LONGEST = 3000
TEXTS = {"first": P("string", about="one text"), "second": P("string", about="the other text")}
GRAMS = {**TEXTS, "size": P("int", domain="[1, 100]", default=2, about="characters of each piece", symbol="q")}
COUNT = R("int", about="number of edits", range="[0, inf)")
SHARE = R(about="1 for equal texts, 0 for texts with nothing in common", range="[0, 1]")
SOUNDEX = {
    letter: digit for digit, letters in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), 1) for letter in letters
}


def check_length(*texts: str) -> None:
    """Refuse texts that are so long that comparing them takes too long."""
    for text in texts:
        if len(text) > LONGEST:
            raise LimitError(f"A text has {len(text)} characters; at most {LONGEST} are compared.")


def read_name(name: str) -> str:
    """Return the capital letters of a name."""
    check_length(name)
    letters = name.upper()
    if not (letters.isascii() and letters.isalpha()):
        raise DomainError("name", name[:40], "letters from A to Z")
    return letters


def count_grams(text: str, size: int) -> Counter[str]:
    """Count the pieces of that many characters."""
    return Counter(text[k : k + size] for k in range(len(text) - size + 1))


def compare_grams(first: str, second: str, size: int) -> tuple[int, int]:
    """Return how many pieces texts share, and how many they have together."""
    check_length(first, second)
    one, other = count_grams(first, size), count_grams(second, size)
    if not one and not other:
        raise DomainError("size", size, "pieces no longer than the longer text")
    return (one & other).total(), one.total() + other.total()


@capability(
    "text_metrics.damerau_levenshtein_distance",
    tier="certified",
    source="damerau1964; boytsov2011",
    keywords=["edit distance", "typos", "spelling", "swapped letters", "fuzzy match"],
    params=TEXTS,
    result=COUNT,
    cases=[
        case(
            first="the", second="Smellyfish", result=9, origin="jellyfish 1.3.0, jellyfish.damerau_levenshtein_distance"
        ),
        case(
            first="a cat", second="Saturday", result=6, origin="jellyfish 1.3.0, jellyfish.damerau_levenshtein_distance"
        ),
    ],
)
def damerau_levenshtein_distance(first: str, second: str) -> int:
    """Fewest insertions, deletions, replacements and swaps of neighbors that turn a text into another."""
    check_length(first, second)
    width, height = len(second), len(first)
    most = width + height
    table = [[most] * (width + 2)] + [[most, row] + [0] * width for row in range(height + 1)]
    table[1] = [most, *range(width + 1)]
    last_row: dict[str, int] = {}
    for row in range(1, height + 1):
        check_deadline()
        last_match = 0
        for column in range(1, width + 1):
            other, match = last_row.get(second[column - 1], 0), last_match
            differs = first[row - 1] != second[column - 1]
            if not differs:
                last_match = column
            table[row + 1][column + 1] = min(
                table[row][column] + differs,
                table[row + 1][column] + 1,
                table[row][column + 1] + 1,
                table[other][match] + (row - other - 1) + 1 + (column - match - 1),
            )
        last_row[first[row - 1]] = row
    return table[height + 1][width + 1]


@capability(
    "text_metrics.string_alignment_distance",
    tier="certified",
    source="boytsov2011",
    keywords=["OSA", "restricted Damerau-Levenshtein", "edit distance", "typos"],
    params=TEXTS,
    result=COUNT,
    cases=[
        case(first="banana", second="abc", result=5, origin="rapidfuzz 3.14.6, rapidfuzz.distance.OSA.distance"),
        case(first="an act", second="recieve", result=7, origin="rapidfuzz 3.14.6, rapidfuzz.distance.OSA.distance"),
    ],
)
def string_alignment_distance(first: str, second: str) -> int:
    """Optimal string alignment distance: edits and swaps of neighbors where no part is edited twice."""
    check_length(first, second)
    before: list[int] = []
    line = list(range(len(second) + 1))
    for row, letter in enumerate(first):
        check_deadline()
        following = [row + 1]
        for column, other in enumerate(second):
            least = min(line[column] + (letter != other), line[column + 1] + 1, following[-1] + 1)
            if row and column and letter == second[column - 1] and first[row - 1] == other:
                least = min(least, before[column - 1] + 1)
            following.append(least)
        before, line = line, following
    return line[-1]


def match_jaro(first: str, second: str) -> fmpq:
    """Return the Jaro similarity."""
    check_length(first, second)
    if not first and not second:
        return fmpq(1)
    reach = max(max(len(first), len(second)) // 2 - 1, 0)
    taken = [False] * len(second)
    matched = []
    for place, letter in enumerate(first):
        for other in range(max(0, place - reach), min(len(second), place + reach + 1)):
            if not taken[other] and second[other] == letter:
                taken[other] = True
                matched.append(letter)
                break
    if not matched:
        return fmpq(0)
    there = [letter for letter, is_taken in zip(second, taken, strict=True) if is_taken]
    swaps = sum(a != b for a, b in zip(matched, there, strict=True)) // 2
    many = len(matched)
    return (fmpq(many, len(first)) + fmpq(many, len(second)) + fmpq(many - swaps, many)) / 3


@capability(
    "text_metrics.jaro_similarity",
    tier="certified",
    source="jaro1989",
    keywords=["record linkage", "fuzzy match", "names", "deduplication"],
    params=TEXTS,
    result=SHARE,
    cases=[
        case(
            first="MARHTA",
            second="Michael",
            result=0.4365079365079365,
            within=1e-12,
            origin="jellyfish 1.3.0, jellyfish.jaro_similarity",
        ),
        case(
            first="Smellyfish",
            second="DUANE",
            result=0.0,
            within=1e-12,
            origin="jellyfish 1.3.0, jellyfish.jaro_similarity",
        ),
    ],
)
def jaro_similarity(first: str, second: str) -> fmpq:
    """Jaro similarity of two texts: letters that they share near the same place, less what is transposed."""
    return match_jaro(first, second)


@capability(
    "text_metrics.jaro_winkler_similarity",
    tier="certified",
    source="winkler1990",
    keywords=["record linkage", "fuzzy match", "names", "deduplication"],
    params=TEXTS,
    result=SHARE,
    cases=[
        case(
            first="Jellyfish",
            second="industry",
            result=0.32407407407407407,
            within=1e-12,
            origin="jellyfish 1.3.0, jellyfish.jaro_winkler_similarity",
        ),
        case(
            first="ca",
            second="industry",
            result=0.0,
            within=1e-12,
            origin="jellyfish 1.3.0, jellyfish.jaro_winkler_similarity",
        ),
    ],
)
def jaro_winkler_similarity(first: str, second: str) -> fmpq:
    """Jaro-Winkler similarity of two texts: Jaro's, raised above 0.7 for the first letters that they share."""
    found = match_jaro(first, second)
    if found <= fmpq(7, 10):
        return found
    shared = next((k for k, (a, b) in enumerate(zip(first[:4], second[:4], strict=False)) if a != b), None)
    shared = min(len(first), len(second), 4) if shared is None else shared
    return found + fmpq(shared, 10) * (1 - found)


@capability(
    "text_metrics.longest_common_subsequence",
    tier="certified",
    source="gusfield1997, sec. 11.6",
    keywords=["LCS", "diff", "sequence alignment"],
    params=TEXTS,
    result=R("int", about="length of the subsequence", range="[0, inf)"),
    cases=[
        case(
            first="Michelle", second="industry", result=1, origin="textdistance 4.6.3, textdistance.LCSSeq.similarity"
        ),
        case(first="context", second="context", result=7, origin="textdistance 4.6.3, textdistance.LCSSeq.similarity"),
    ],
)
def longest_common_subsequence(first: str, second: str) -> int:
    """Length of the longest sequence of letters that two texts share in order, with gaps."""
    check_length(first, second)
    line = [0] * (len(second) + 1)
    for letter in first:
        check_deadline()
        following = [0]
        for column, other in enumerate(second):
            following.append(line[column] + 1 if letter == other else max(line[column + 1], following[-1]))
        line = following
    return line[-1]


@capability(
    "text_metrics.longest_common_substring",
    tier="certified",
    source="gusfield1997, sec. 7.4",
    keywords=["shared passage", "plagiarism", "overlap"],
    params=TEXTS,
    result=R("int", about="length of the passage", range="[0, inf)"),
    cases=[
        case(first="contact", second="Sunday", result=1, origin="textdistance 4.6.3, textdistance.LCSStr.similarity"),
        case(first="Sunday", second="recieve", result=0, origin="textdistance 4.6.3, textdistance.LCSStr.similarity"),
    ],
)
def longest_common_substring(first: str, second: str) -> int:
    """Length of the longest unbroken passage that two texts share."""
    check_length(first, second)
    longest, line = 0, [0] * (len(second) + 1)
    for letter in first:
        check_deadline()
        line = [0] + [line[column] + 1 if letter == other else 0 for column, other in enumerate(second)]
        longest = max(longest, *line)
    return longest


@capability(
    "text_metrics.gram_dice_similarity",
    tier="certified",
    source="dice1945; gusfield1997",
    keywords=["bigrams", "q-grams", "n-grams", "Sorensen-Dice", "fuzzy match"],
    params=GRAMS,
    result=SHARE,
    cases=[
        case(
            first="banana",
            second="Saturday",
            size=2,
            result=0.0,
            within=1e-12,
            origin="textdistance 4.6.3, textdistance.Sorensen.similarity",
        ),
        case(
            first="banana",
            second="nacht",
            size=2,
            result=0.2222222222222222,
            within=1e-12,
            origin="textdistance 4.6.3, textdistance.Sorensen.similarity",
        ),
    ],
)
def gram_dice_similarity(first: str, second: str, size: int) -> fmpq:
    """Dice similarity of two texts by the pieces of characters that they share, repeated ones counted as often."""
    shared, both = compare_grams(first, second, size)
    return fmpq(2 * shared, both)


@capability(
    "text_metrics.gram_jaccard_similarity",
    tier="certified",
    source="ukkonen1992",
    keywords=["bigrams", "q-grams", "n-grams", "shingles", "near duplicates"],
    params=GRAMS,
    result=SHARE,
    cases=[
        case(
            first="recieve",
            second="kitten",
            size=2,
            result=0.0,
            within=1e-12,
            origin="textdistance 4.6.3, textdistance.Jaccard.similarity",
        ),
        case(
            first="an act",
            second="recieve",
            size=1,
            result=0.08333333333333333,
            within=1e-12,
            origin="textdistance 4.6.3, textdistance.Jaccard.similarity",
        ),
    ],
)
def gram_jaccard_similarity(first: str, second: str, size: int) -> fmpq:
    """Jaccard similarity of two texts by the pieces of characters that they share, repeated ones counted as often."""
    shared, both = compare_grams(first, second, size)
    return fmpq(shared, both - shared)


ALIGNED = {
    **TEXTS,
    "gap": P("float64", domain="[0, 1e9]", default=1.0, about="cost of a letter that is left out"),
}


@capability(
    "text_metrics.needleman_wunsch_score",
    tier="certified",
    source="needleman1970",
    keywords=["global alignment", "sequence alignment", "DNA", "protein"],
    params=ALIGNED,
    result=R(about="score: 1 for each match, less the gaps"),
    cases=[
        case(
            first="GCATGCG",
            second="Saturday",
            gap=1.5,
            result=-1.5,
            within=1e-12,
            origin="textdistance 4.6.3, textdistance.NeedlemanWunsch",
        ),
        case(
            first="contact",
            second="banana",
            gap=2.0,
            result=0.0,
            within=1e-12,
            origin="textdistance 4.6.3, textdistance.NeedlemanWunsch",
        ),
    ],
)
def needleman_wunsch_score(first: str, second: str, gap: float) -> fmpq:
    """Needleman-Wunsch score of the best global alignment of two sequences, 1 a match and 0 a mismatch."""
    check_length(first, second)
    cost, match = gap.as_integer_ratio()  # scores in shares of a match, which are whole numbers
    line = [-cost * column for column in range(len(second) + 1)]
    for letter in first:
        check_deadline()
        following = [line[0] - cost]
        for column, other in enumerate(second):
            paired = line[column] + match * (letter == other)
            following.append(max(paired, line[column + 1] - cost, following[-1] - cost))
        line = following
    return fmpq(line[-1], match)


@capability(
    "text_metrics.soundex",
    tier="certified",
    source="knuthsorting1998, ch. 6",
    keywords=["phonetic code", "surname", "sounds like", "genealogy"],
    params={"name": P("string", about="letters from A to Z")},
    result=R("string", about="letter and three digits"),
    cases=[
        case(name="Gutierrez", result="G362", origin="jellyfish 1.3.0, jellyfish.soundex"),
        case(name="Lloyd", result="L300", origin="jellyfish 1.3.0, jellyfish.soundex"),
    ],
)
def soundex(name: str) -> str:
    """American Soundex code of a name: its first letter and three digits for how it sounds."""
    letters = read_name(name)
    found, last = letters[0], SOUNDEX.get(letters[0])
    for letter in letters[1:]:
        code = SOUNDEX.get(letter)
        if code is not None and code != last:
            found += str(code)
        if letter not in "HW":  # letters on both sides of these count as neighbors
            last = code
    return found[:4].ljust(4, "0")


@capability(
    "text_metrics.match_rating_code",
    tier="certified",
    source="moore1977",
    keywords=["phonetic code", "surname", "sounds like", "airline"],
    params={"name": P("string", about="letters from A to Z")},
    result=R("string", about="up to six letters"),
    cases=[
        case(name="Tymczak", result="TYMCZK", origin="jellyfish 1.3.0, jellyfish.match_rating_codex"),
        case(name="Catherine", result="CTHRN", origin="jellyfish 1.3.0, jellyfish.match_rating_codex"),
    ],
)
def match_rating_code(name: str) -> str:
    """Match rating code of a name: without vowels after the first letter and doubled letters, at most six."""
    letters = read_name(name)
    kept = letters[0]
    for before, letter in pairwise(letters):
        if letter not in "AEIOU" and letter != before:
            kept += letter
    return kept if len(kept) <= 6 else kept[:3] + kept[-3:]
