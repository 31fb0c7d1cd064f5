"""Delimited text: encodings, delimiters, quotes, line ends, names; and names of groups that differ by little; conditions."""

import codecs
from collections.abc import Iterator

from tests.rows.case import Case, always, as_csv, as_file

SUM = [{"k": "a", "n": 3}, {"k": "b", "n": 4}]
ASK = "sum n by k from s order by k"


def list_files() -> Iterator[Case]:
    for name, text in {
        "comma": "k,n\na,1\na,2\nb,4\n",
        "semicolon": "k;n\na;1\na;2\nb;4\n",
        "tab": "k\tn\na\t1\na\t2\nb\t4\n",
        "pipe": "k|n\na|1\na|2\nb|4\n",
        "carriage returns": "k,n\r\na,1\r\na,2\r\nb,4\r\n",
        "old line ends": "k,n\ra,1\ra,2\rb,4\r",
        "mixed line ends": "k,n\r\na,1\na,2\r\nb,4",
        "no last line end": "k,n\na,1\na,2\nb,4",
        "blank lines": "\n\nk,n\na,1\n\na,2\n\n\nb,4\n\n",
        "quotes everywhere": '"k","n"\n"a","1"\n"a","2"\n"b","4"\n',
        "mark of utf-8": "\ufeffk,n\na,1\na,2\nb,4\n",
        "mark and quotes": '\ufeff"k","n"\na,1\na,2\nb,4\n',
        "another column with commas in quotes": 'k,t,n\na,"x,y",1\na,"x;y;z",2\nb,"""q""",4\n',
        "line end in a cell": 'k,t,n\na,"x\ny",1\na,"x\r\n\r\ny",2\nb,z,4\n',
        "delimiter in quotes of the header": '"k";"a,b,c,d";n\na;1;1\na;2;2\nb;3;4\n',
    }.items():
        yield Case(f"file with {name}", "files", as_file("s.csv", text), ASK, SUM)
    for name, text, right in [
        ("trailing delimiters", "k,n,\na,1,\na,2,\nb,4,\n", SUM),
        ("trailing delimiters in rows", "k,n\na,1,\na,2,\nb,4,\n", SUM),
        ("a short row", "k,n,m\na,1,1\na,2\nb,4,1\n", SUM),
        ("a long row", "k,n\na,1\na,2,9\nb,4\n", SUM),
        ("names twice", "k,n,n\na,1,5\na,2,5\nb,4,5\n", None),
        ("names that differ by case", "k,n,N\na,1,5\na,2,5\nb,4,5\n", SUM),
        ("an empty name", "k,,n\na,1,1\na,1,2\nb,1,4\n", SUM),
        ("a title above", "Report 2024\nk,n\na,1\na,2\nb,4\n", SUM),
        ("a remark above", "# made by x\nk,n\na,1\na,2\nb,4\n", SUM),
        ("a line sep=", "sep=;\nk;n\na;1\na;2\nb;4\n", SUM),
        ("blanks behind commas", "k, n\na, 1\na, 2\nb, 4\n", SUM),
        ("an open quote", 'k,n\na,1\na,2\n"b,4\n', SUM),
        ("a quote inside", 'k,n\na,1\na,2\nb"c,4\n', None),
        ("a backslash before a quote", 'k,n\na,1\na,2\n"b\\"",4\n', None),
        ("units below the header", "k,n\n-,kg\na,1\na,2\nb,4\n", SUM),
        ("blanks as delimiters", "k n\na 1\na 2\nb 4\n", SUM),
        ("quotes of one stroke", "k,n\n'a',1\n'a',2\n'b',4\n", [{"k": "'a'", "n": 3}, {"k": "'b'", "n": 4}]),
        ("two tables", "k,n\na,1\na,2\nb,4\n\nk,n\nc,9\n", SUM),
        ("a nul", "k,n\na,1\na,2\nb\0,4\n", None),
    ]:
        yield Case(
            f"file with {name}",
            "files",
            as_file("s.csv", text),
            ASK,
            right,
            refusal=True,
            note="blank|text|column|quote",
        )
    town = "k,n\nZürich,1\nZürich,2\nGenève,4\n"
    right = [{"k": "Genève", "n": 4}, {"k": "Zürich", "n": 3}]
    for encoding in ("latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "mac-roman", "cp850"):
        bytes_ = town.encode(encoding)
        yield Case(f"{encoding}, said", "files", as_file("s.csv", bytes_), ASK, right, {"encoding": encoding})
        yield Case(
            f"{encoding}, not said", "files", as_file("s.csv", bytes_), ASK, right, refusal=True, note="encoding"
        )
    yield Case(
        "utf-8 read as cp1252",
        "files",
        as_file("s.csv", town),
        ASK,
        right,
        {"encoding": "cp1252"},
        refusal=True,
        note="utf-8|encoding",
        card_note="encoding",
    )
    yield Case(
        "mark of utf-8 read as utf-8",
        "files",
        as_file("s.csv", codecs.BOM_UTF8 + town.encode()),
        ASK,
        right,
        {"encoding": "utf-8"},
    )
    yield Case(
        "mark of utf-8 read as latin-1",
        "files",
        as_file("s.csv", codecs.BOM_UTF8 + town.encode()),
        ASK,
        right,
        {"encoding": "latin-1"},
        refusal=True,
        note="utf-8|encoding",
        card_note="encoding",
    )
    yield Case(
        "semicolons in a file of commas", "files", as_file("s.csv", "a;b,k,n\n1;1,a,1\n1;2,a,2\n1;3,b,4\n"), ASK, SUM
    )
    yield Case(
        "commas in the names of a file of semicolons",
        "files",
        as_file("s.csv", "k;n;height, width, depth, x\na;1;1\na;2;1\nb;4;1\n"),
        ASK,
        SUM,
        refusal=True,
    )
    yield Case(
        "decimal commas in a file of commas",
        "files",
        as_file("s.csv", "k,n\na,1,5\nb,2,5\n"),
        "sum n from s",
        [{"n": 4.0}],
        refusal=True,
    )
    yield Case(
        "one column of decimal commas",
        "files",
        as_file("s.csv", "n\n1,5\n2,5\n"),
        "sum n from s",
        [{"n": 4.0}],
        refusal=True,
    )
    yield Case(
        "one column with blank lines",
        "files",
        as_file("s.csv", "n\n1\n\n3\n"),
        "count n from s",
        [{"n": 2, "count": 3}],
    )
    yield Case("a tab in a file of tabs", "files", as_file("s.tsv", "k\tn\na\t1\na\t2\nb\t4\n"), ASK, SUM)
    yield Case("commas in a file named tsv", "files", as_file("s.tsv", "k,n\na,1\na,2\nb,4\n"), ASK, SUM, refusal=True)
    yield Case("an empty file", "files", as_file("s.csv", ""), "count from s", None, refusal=True)
    yield Case("a header alone", "files", as_file("s.csv", "k,n\n"), "count from s", [{"count": 0}], refusal=True)


def list_rows_of_others() -> Iterator[Case]:
    """A total that was not made anew, and names among the rows."""
    for word in ("Total", "Grand total:", "TOTAL", "Gesamt"):
        lines = ["A,10", "B,20", "C,30", f"{word},75"]
        yield Case(f"stale {word}", "rows", as_csv("k,n", *lines), "max n from s", [{"n": 30}], note="total")
        yield Case(
            f"stale {word}, counted", "rows", as_csv("k,n", *lines), "count from s", [{"count": 3}], note="total"
        )
    lines = ["Oslo,N1", "Bergen,N2", "city,code", "Rome,I1"]
    yield Case("names again", "rows", as_csv("city,code", *lines), "count from s", [{"count": 3}], note="names")
    for code in (-9, -8, -7, -1):
        lines = [f"{age},1" for age in (18, 34, 90, code, code)]
        question = "min age from s"
        yield Case(f"code {code}", "rows", as_csv("age,n", *lines), question, [{"age": 18}], note="missing")


def list_groups() -> Iterator[Case]:
    """Names of groups that look the same: letters decide, or a word says it."""
    for name, left, right, note in [
        ("composed and decomposed", "Zu\u0308rich", "Z\u00fcrich", "normal|NFC|composed|look"),
        ("trailing blank", "Berlin ", "Berlin", "blank"),
        ("leading blank", " Berlin", "Berlin", "blank"),
        ("no-break blank", "Berlin\u00a0", "Berlin", "blank"),
        ("blank of no width", "Ber\u200blin", "Berlin", "blank|invisible|look"),
        ("soft hyphen", "Ber\u00adlin", "Berlin", "invisible|look"),
        ("tab behind", "Berlin\t", "Berlin", "blank"),
        ("mark of bytes inside", "\ufeffBerlin", "Berlin", "invisible|look|mark"),
    ]:
        lines = [f'"{left}",1', f'"{right}",2', f'"{left}",3', '"X",9']
        question = "sum n by k from s where n < 9"
        yield Case(f"groups: {name}", "groups", as_csv("k,n", *lines), question, [{"n": 6}], refusal=True, note=note)
        found = f"sum n from s where k = '{right}'"
        yield Case(f"found: {name}", "groups", as_csv("k,n", *lines), found, [{"n": 6}], refusal=True, note=note)
        alone, said = [f'"{left}",1', '"X",9'], "blank|not seen|composed"
        yield Case(f"alone: {name}", "groups", as_csv("k,n", *alone), found, [{"n": 1}], refusal=True, note=said)
    for name, left, right in [  # these are seen to differ, or belong to different scripts: two groups
        ("two blanks inside", "New  York", "New York"),
        ("letters of another script", "\u0412erlin", "Berlin"),
        ("a ligature", "\ufb01sh", "fish"),
        ("full width letters", "\uff22erlin", "Berlin"),
        ("an accent", "Zurich", "Z\u00fcrich"),
    ]:
        rows = [{"k": left, "n": 4}, {"k": right, "n": 2}]
        yield Case(
            f"groups: {name}",
            "groups",
            as_csv("k,n", f"{left},1", f"{right},2", f"{left},3"),
            "sum n by k from s",
            rows,
        )
    case = as_csv("k,n", "Berlin,1", "berlin,2", "BERLIN,3")
    yield Case(
        "groups by case",
        "groups",
        case,
        "sum n by k from s order by k",
        [{"k": "BERLIN", "n": 3}, {"k": "Berlin", "n": 1}, {"k": "berlin", "n": 2}],
    )
    yield Case("found by case", "groups", case, "sum n from s where k = 'berlin'", [{"n": 2}])
    trim = as_csv("k,n", '"Berlin ",1', '"Berlin",2', '" ",3')
    yield Case(
        "blanks trimmed",
        "groups",
        trim,
        "sum n by k from s order by k",
        [{"k": "Berlin", "n": 3}, {"k": None, "n": 3}],
        {"trim": True},
    )
    order = always([{"k": word} for word in ("\U0001f600", "\uff5e", "z", "Z", "é", "e")])
    points = ["Z", "e", "z", "é", "\uff5e", "\U0001f600"]
    yield Case(
        "letters by code point", "groups", order, "count by k from s order by k", [{"k": word} for word in points]
    )


def list_conditions() -> Iterator[Case]:
    rows = always([
        {"k": "it's", "n": 1}, {"k": 'say "x"', "n": 2}, {"k": "100%", "n": 4}, {"k": "a_b", "n": 8}, {"k": "axb", "n": 16},
        {"k": None, "n": 32}, {"k": "", "n": 64}, {"k": "null", "n": 128}, {"k": "a\\b", "n": 256}, {"k": "`t`", "n": 512}, {"k": "100", "n": None},
    ])  # fmt: skip
    for condition, total in [
        ("k = 'it''s'", 1), ("k = \"it's\"", 1), ("k = 'say \"x\"'", 2), ("k contains '%'", 4), ("k contains '_'", 8), ("k starts with 'a'", 8 + 16 + 256),
        ("k is null", 32), ("k is not null", 1023 - 32), ("k = ''", 64), ("k = 'null'", 128), ("k contains '\\'", 256), ("k = '`t`'", 512), ("k != 'axb'", 1023 - 32 - 16),
        ("k not in ('axb', 'null')", 1023 - 32 - 16 - 128), ("k in ('axb', 'a_b')", 24), ("k = '100%'", 4), ("k contains ''", 1023 - 32), ("k = 'nul' or n = 1", 1),
        ("n < 4 or n > 256 and k = '`t`'", 1 + 2 + 512), ("(n < 4 or n > 256) and k = '`t`'", 512), ("n between 4 and 16", 28), ("n not in (1, 2)", 1020), ("n != 1", 1022),
        ("k like 'a%'", 8 + 16 + 256), ("k = 'IT''S'", None), ("n = '1'", 1), ("k > 'a' and k < 'b'", 8 + 16 + 256),
    ]:  # fmt: skip
        yield Case(f"where {condition}", "conditions", rows, f"sum n from s where {condition}", [{"n": total}])
    for condition in (
        "k = null",
        "k != null",
        "k in ('axb', null)",
        "k not in ('axb', null)",
        "k = NULL",
        "n = nan",
        "k like '%x_'",
        "k like 'a_b'",
        "k = 100",
    ):
        yield Case(f"where {condition}", "conditions", rows, f"sum n from s where {condition}", None, refusal=True)


FILES = [*list_files(), *list_rows_of_others(), *list_groups(), *list_conditions()]
